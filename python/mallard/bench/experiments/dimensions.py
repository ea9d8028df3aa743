"""One structure whose parameters are P0089's five dimensions: rows vary each of them around a centre."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, RANGE, THREADS, Axis
from mallard.bench.experiments.description.experiment import WALL, Experiment
from mallard.bench.experiments.description.panel import Own
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale


@dataclass(frozen=True)
class Dimension:
    letter: str
    name: str
    axis: str  # the parameter of the runner
    text: str  # of its value
    centre: int
    values: tuple[int, ...]
    # From 0 to 1, as `mallard profile` and `mallard choose` have it. L follows from times, C from processors.
    share: Callable[[int], float] | None = None


DIMENSIONS = (
    Dimension(
        *("D", "density", "accesses", "accesses of a block"),
        centre=16,
        values=(0, 4, 16, 64, 256),
        share=lambda accesses: 1 / (1 + accesses),
    ),
    Dimension(
        *("V", "variation", "sizes", "sizes of blocks"),
        centre=4,
        values=(1, 2, 4, 8, 16),
        share=lambda sizes: 1 - 1 / sizes,
    ),
    Dimension(
        *("L", "locality", "traversals", "traversals in a visit"),
        centre=4,
        values=(1, 2, 4, 8, 16),
    ),
    Dimension(
        *("U", "utilization", "generations", "generations of blocks"),
        centre=4,
        values=(1, 2, 4, 16, 64),
        share=lambda generations: 1 / generations,
    ),
    Dimension(
        *("C", "contention", THREADS, "threads"),
        centre=1,
        values=(1, 2, 4, 8),
    ),
)
CENTRE = {dimension.axis: (dimension.centre,) for dimension in DIMENSIONS}
GRIDS = tuple({**CENTRE, dimension.axis: dimension.values} for dimension in DIMENSIONS)

EXPERIMENT = Experiment(
    name="dimensions",
    text="vary each of the five dimensions around a centre",
    examples=(
        ("--malloc mimalloc,jemalloc", "with other mallocs"),
        ("--accesses 0,1,2,4 --traversals 1", "another centre"),
    ),
    operation="a block with its accesses",
    clock=WALL,
    title="Dimensions",
    heading="Five dimensions around a centre",
    explanation="A thread has 256 subsystems with an allocator each, which allocate 128 blocks in turn. A "
    "further generation replaces all blocks. After each generation all blocks are accessed, in visits of "
    "some traversals of one subsystem. Sizes of blocks lie around 128 bytes. D is 1 / (1 + accesses), V is "
    "1 - 1 / sizes, and U is 1 / generations.",
    axes=(
        *(
            Axis(
                dimension.axis,
                RANGE,
                f"{dimension.letter}: {dimension.text}, such as {','.join(map(str, dimension.values[:3]))}",
                value_format=f"{{}} {dimension.axis}",
            )
            for dimension in DIMENSIONS
        ),
        Axis(
            *("operations", COUNT, "blocks that a thread allocates, at least"),
            default={QUICK: 10**6, STANDARD: 4 * 10**6, PAPER: 10**7},
            role=AMOUNT,
        ),
    ),
    rules=(Rule("traversals", "accesses", "a visit makes that many of them", divides=True),),
    places=tuple(dimension.axis for dimension in DIMENSIONS),
    scales={
        QUICK: Scale(60, 5, GRIDS, within_cores=True),
        STANDARD: Scale(300, 5, GRIDS),
        PAPER: Scale(1200, 9, GRIDS),
    },
    panel=Own(),
)
