"""Vectors that grow by one element at a time, and vectors that shrink (allocplus, chapter 1).

expansion-forward   forward, if the vector's block can grow
expansion-backward  backward, into free memory in front of the block
shrink-to-fit       a few elements at a time, until the vector is empty
"""

from __future__ import annotations

from mallard.bench.experiments.description.axis import COUNT, COUNTS, FOLLOWS, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale
from mallard.bench.experiments.description.sentence import Fastest, Least, LeastAt, Pairs, Share

INT, MY_INT = "int", "myint"  # the article's class, with a user-defined copy constructor and assignment
AXES = (
    Axis(
        *("elements", COUNTS, "elements of a vector, such as 10^1..10^7 or 10,10000"),
        value_format="{} elements",
    ),
    Axis(
        "type",
        WORDS,
        "type of the elements: int, myint (default: both)",
        words=(INT, MY_INT),
        value_format="{}",
        plural="types",
    ),
    # The number of vectors follows from their size.
    Axis("iterations", COUNT, "vectors in a time (default: enough for each size)", role=FOLLOWS),
)
ONLY = {"realloc": ("type", (INT,))}  # it moves bytes, and MY_INT has a copy constructor
EXPLANATION = (
    "heap-v2 gives boost::container::vector an allocator that can grow and shrink a block in place. "
    "heap-v2-masked reports the usable size of a block but may not resize it, so the vector copies. heap-v1 "
    "has the standard's interface only. heap is this allocator behind std::vector. boost-allocator-v1, -v2 "
    "and -v2-masked have Boost's allocator. myint is the article's class, an int with a copy constructor; "
    "the bytes of an int may be moved. Counts are of one vector."
)
DRAWN = ("heap", "heap-v1", "heap-v2-masked", "heap-v2")
LEGEND = "Counts are of one vector."
LARGE = 100_000  # elements: with fewer, the growth of a process is chance


def sizes(of_int: tuple[int, ...], of_my_int: tuple[int, ...]) -> tuple[dict[str, tuple[object, ...]], ...]:
    """The grids of a scale: numbers of elements for each type."""
    return (
        {"elements": of_int, "type": (INT,)},
        {"elements": of_my_int, "type": (MY_INT,)},
    )


# ---- growth -------------------------------------------------------------------------------------------

POWERS = tuple(10**power for power in range(1, 8))
ARTICLES = (10, 100, 1000, 10_000)

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
    summands=("allocations", "expansions_forward", "expansions_backward"),
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


def growing(
    name: str,
    text: str,
    examples: tuple[tuple[str, str], ...],
    title: str,
    heading: str,
    grown: Quantity,
    direction: str,
    *compared: Quantity,
) -> Experiment:
    """A description. `grown` counts growth in place, and `direction` names it."""
    return Experiment(
        name=name,
        text=text,
        examples=examples,
        operation="an element pushed",
        title=title,
        heading=heading,
        explanation=EXPLANATION,
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
            total="A push_back",
            relative=PUSH_BACK,
            sentences=(
                Fastest((PUSH_BACK,), sizes=True),
                Pairs(PUSH_BACK, f"{direction} takes, of the time of copying", IN_PLACE),
                LeastAt(CALLS, 10, "Calls of the allocator for 10 elements", "g"),
                Least(PEAK_LIVE, "Most bytes that a vector had at one time, at the largest size"),
            ),
            unfinished="the number of elements",
            plots=(
                Plot(PUSH_BACK, "ns a push_back"),
                Plot(CALLS, "calls"),
                Plot(PEAK_LIVE, "bytes an element", per="elements"),
            ),
            drawn=DRAWN,
            first=(("type", INT),),
            legend=LEGEND,
        ),
    )


FORWARD_GROWTH = growing(
    "expansion-forward",
    "push to the back of a vector that may grow in place",
    (("--elements 10^7 --type int", "a vector that outgrows the caches"),),
    "Forward growth",
    "A vector grows: forward in place",
    FORWARD,
    "Growing forward in place",
)

BACKWARD_GROWTH = growing(
    "expansion-backward",
    "push to a vector that may grow to its front only",
    (("--elements 1000 --type int,myint", "bytes to move, and objects to copy"),),
    "Backward growth",
    "A vector grows: backward, to spare memory",
    BACKWARD,
    "Growing backward",
    PEAK_LIVE,
)

# ---- shrinking ----------------------------------------------------------------------------------------

SHRUNK = (200, 500, 10_000)  # the article's
FEW = (10, 100, 200, 500, 1000, 10_000)
MANY = (*FEW, 100_000, 1_000_000, 10_000_000)
SHRINK = Quantity("shrink_ns", "shrink", "erase the last elements and shrink", "a shrink")
# The row's own time, as in the article.
TOTAL = Quantity("", "with its making", "make a vector and shrink it to nothing, each shrink", "a shrink")
ALLOCATIONS = Quantity(
    "allocations", "allocations", "blocks that the allocator gave a vector", "allocations", shown=",.0f"
)
SHRINKS = Quantity("shrinks", "in place", "shrinks of its block in place", "in place", shown=",.0f")
HELD = Quantity("held_bytes", "held", "growth of resident memory with all elements", large=LARGE)
HALF = Quantity("half_bytes", "half", "held with half of the elements left", large=LARGE)
REMAINING = Quantity("left_bytes", "left", "held with one step of elements left", large=LARGE)
OFFERED = Quantity("offered_bytes", "offered", "offered to the system then, still resident", large=LARGE)
RETURNED = Quantity(
    "returned_bytes", "returned", "given back to the system when one step is left", large=LARGE
)

SHRINKING = Experiment(
    name="shrink-to-fit",
    text="erase the end of a vector and shrink it, until empty",
    examples=(("--elements 10000 --step 5", "five elements at a time"),),
    operation="an erasure with its shrink_to_fit",
    title="Shrinking",
    heading="A vector shrinks to fit",
    explanation=EXPLANATION,
    axes=(
        *AXES,
        Axis("step", COUNT, "elements erased at a time (default: 5; more of large vectors)", role=FOLLOWS),
    ),
    rules=(Rule("step", "elements", "the last elements are erased in equal steps", divides=True),),
    places=("elements",),
    claimed=("type", "elements"),
    scales={
        QUICK: Scale(60, grids=sizes((10, 100, 1000, 10_000, 1_000_000), SHRUNK)),
        STANDARD: Scale(300, 5, sizes(MANY, FEW)),
        PAPER: Scale(1200, 9, sizes(MANY, MANY)),
    },
    only=ONLY,
    compared=(SHRINK,),
    panel=Phases(
        across="number of elements",
        x="elements of the vector",
        times=(SHRINK, TOTAL),
        amounts=(ALLOCATIONS, SHRINKS, HELD, HALF, REMAINING, OFFERED, RETURNED),
        total="A shrink",
        relative=SHRINK,
        sentences=(
            Fastest((SHRINK, TOTAL), sizes=True),
            Pairs(
                SHRINK,
                "Shrinking in place takes, of the time of copying",
                (("heap-v2", "heap-v1"), ("boost-allocator-v2", "boost-allocator-v1")),
            ),
            Share(RETURNED, HELD, "Given back to the system of {} elements"),
        ),
        unfinished="the number of elements",
        plots=(Plot(SHRINK, "ns a shrink"), Plot(TOTAL, "ns a shrink")),
        drawn=tuple(name for name in DRAWN if name != "heap-v2-masked"),
        first=(("type", "int"),),
        legend=LEGEND,
    ),
)
