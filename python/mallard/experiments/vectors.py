"""The common parts of vectors that grow and vectors that shrink (allocplus, chapter 1)."""

from __future__ import annotations

from mallard.experiments.description import (
    COUNT,
    COUNTS,
    FOLLOWS,
    PAPER,
    QUICK,
    STANDARD,
    WORDS,
    Axis,
    Experiment,
    Fastest,
    Least,
    LeastAt,
    Pairs,
    Phases,
    Plot,
    Quantity,
    Scale,
)

INT, MY_INT = "int", "myint"  # the article's class, with a copy constructor and an assignment of its own
ARTICLES = (10, 100, 1000, 10_000)
POWERS = tuple(10**power for power in range(1, 8))
AXES = (
    Axis(
        *("elements", COUNTS, "elements of a vector, such as 10^1..10^7 or 10,10000"),
        said="{} elements",
    ),
    Axis(
        "type",
        WORDS,
        "type of the elements: int, myint (default: both)",
        words=(INT, MY_INT),
        said="{}",
        plural="types",
    ),
    # The number of vectors follows from their size.
    Axis("iterations", COUNT, "vectors in a time (default: enough of each size)", role=FOLLOWS),
)
ONLY = {"realloc": ("type", INT)}  # it moves bytes, and MY_INT has a copy constructor
HOW = (
    "heap-v2 stands behind boost::container::vector with an allocator that can grow and shrink a block where "
    "it lies; heap-v2-masked tells the size of what it gives but is told to copy; heap-v1 is an allocator of "
    "the standard's kind. heap is the same allocator behind std::vector, and boost-allocator-... the same "
    "three with Boost's own. myint is the article's class, an int with a copy constructor; int may be moved "
    "by bytes. Counts are of one vector."
)
DRAWN = ("heap", "heap-v1", "heap-v2-masked", "heap-v2")
LEGEND = "Counts are of one vector."
LARGE = 100_000  # elements: with fewer, the growth of a process is chance

PUSH_BACK = Quantity("push_back_ns", "push_back", "push an element back", "a push_back")
FORWARD = Quantity(
    "expansions_forward", "forward", "times that its block grew forward in place", "forward", shown=",.0f"
)
BACKWARD = Quantity(
    "expansions_backward", "backward", "times that its block grew backward", "backward", shown=",.0f"
)
CALLS = Quantity(
    "calls",
    "calls",
    "calls of the allocator that gave a vector its room",
    "calls",
    shown=",.0f",
    sum_of=("allocations", "expansions_forward", "expansions_backward"),
)
CAPACITY = Quantity(
    "final_capacity", "capacity", "elements that it had room for at the end", "capacity", shown=",.0f"
)
PEAK_LIVE = Quantity("peak_live_bytes", "peak live", "that a vector had of its allocator at one time, most")
PEAK = Quantity("peak_bytes", "peak", "growth of resident memory, most", large=LARGE)
IN_PLACE = (
    *(("heap-v2", "heap-v2-masked"), ("region-heap-v2", "heap-v2-masked")),
    ("boost-allocator-v2", "boost-allocator-v2-masked"),
)


def sizes(of_int: tuple[int, ...], of_my_int: tuple[int, ...]) -> tuple[dict[str, tuple[object, ...]], ...]:
    """The grids of a scale: numbers of elements for each type."""
    return (
        {"elements": of_int, "type": (INT,)},
        {"elements": of_my_int, "type": (MY_INT,)},
    )


def growing(
    name: str,
    text: str,
    examples: tuple[tuple[str, str], ...],
    title: str,
    heading: str,
    grown: Quantity,
    how: str,
    *compared: Quantity,
) -> Experiment:
    """A description. `grown` counts growth in place, and `how` names its direction."""
    return Experiment(
        name=name,
        text=text,
        examples=examples,
        operation="an element pushed",
        title=title,
        heading=heading,
        how=HOW,
        axes=AXES,
        places=("elements",),
        claimed=("type", "elements"),
        scales={
            QUICK: Scale(60, grids=sizes(POWERS, ARTICLES)),
            STANDARD: Scale(300, 5, sizes(POWERS, POWERS)),
            PAPER: Scale(1200, 9, sizes(POWERS, POWERS)),
        },
        only=ONLY,
        compared=compared,
        panel=Phases(
            across="number of elements",
            x="elements of the vector",
            times=(PUSH_BACK,),
            amounts=(CALLS, grown, CAPACITY, PEAK_LIVE, PEAK),
            whole="A push_back",
            relative=PUSH_BACK,
            sentences=(
                Fastest((PUSH_BACK,), sizes=True),
                Pairs(PUSH_BACK, f"{how} takes, of the time of copying", IN_PLACE),
                LeastAt(CALLS, 10, "Calls of the allocator for 10 elements", "g"),
                Least(PEAK_LIVE, "Most bytes that a vector had at one time, at the largest size"),
            ),
            unfinished="the number of elements",
            plots=(
                Plot(PUSH_BACK, "ns a push_back"),
                Plot(CALLS, "calls"),
                Plot(PEAK_LIVE, "bytes an element", each="elements"),
            ),
            drawn=DRAWN,
            first=(("type", "int"),),
            legend=LEGEND,
        ),
    )
