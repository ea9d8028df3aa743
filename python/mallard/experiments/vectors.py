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
    Axis("iterations", COUNT, "vectors in a time (default: enough for each size)", role=FOLLOWS),
)
ONLY = {"realloc": ("type", (INT,))}  # it moves bytes, and MY_INT has a copy constructor
HOW = (
    "heap-v2 gives boost::container::vector an allocator that can grow and shrink a block in place. "
    "heap-v2-masked reports the usable size of a block but may not resize it, so the vector copies. heap-v1 "
    "has the standard's interface only. heap is this allocator behind std::vector. boost-allocator-v1, -v2 "
    "and -v2-masked have Boost's allocator. myint is the article's class, an int with a copy constructor; "
    "the bytes of an int may be moved. Counts are of one vector."
)
DRAWN = ("heap", "heap-v1", "heap-v2-masked", "heap-v2")
LEGEND = "Counts are of one vector."
LARGE = 100_000  # elements: with fewer, the growth of a process is chance

PUSH_BACK = Quantity("push_back_ns", "push_back", "push an element back", "a push_back")
FORWARD = Quantity(
    "expansions_forward", "forward", "growths of its block forward in place", "forward", shown=",.0f"
)
BACKWARD = Quantity(
    "expansions_backward", "backward", "growths of its block backward", "backward", shown=",.0f"
)
CALLS = Quantity(
    "calls",
    "calls",
    "calls of the allocator that gave a vector more memory",
    "calls",
    shown=",.0f",
    sum_of=("allocations", "expansions_forward", "expansions_backward"),
)
CAPACITY = Quantity(
    "final_capacity", "capacity", "elements that it can hold at the end", "capacity", shown=",.0f"
)
PEAK_LIVE = Quantity("peak_live_bytes", "peak live", "held by a vector at its peak")
PEAK = Quantity("peak_bytes", "peak", "growth of resident memory at its peak", large=LARGE)
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
