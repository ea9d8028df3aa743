"""A vector that shrinks, a few elements at a time, until it is empty."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import COUNT, FOLLOWS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale
from mallard.bench.experiments.description.sentence import Fastest, Pairs, Share
from mallard.bench.experiments.vectors import AXES, DRAWN, EXPLANATION, LARGE, LEGEND, ONLY, sizes

FEW = (10, 100, 500, 1000, 2000, 10_000)  # with the article's: 500, 2,000 and 10,000
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

EXPERIMENT = Experiment(
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
        QUICK: Scale(60, grids=sizes((10, 100, 1000, 10_000, 1_000_000), (500, 10_000))),
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
