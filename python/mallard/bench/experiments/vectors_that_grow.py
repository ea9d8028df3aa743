"""The common parts of vectors that grow forward and vectors that grow backward (allocplus, chapter 1)."""

from __future__ import annotations

from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale
from mallard.bench.experiments.description.sentence import Fastest, Least, LeastAt, Pairs
from mallard.bench.experiments.vectors import AXES, DRAWN, EXPLANATION, INT, LARGE, LEGEND, ONLY, sizes

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
