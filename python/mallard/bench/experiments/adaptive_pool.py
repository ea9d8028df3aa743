"""Adaptive pools: nodes that come and go in ranges, and the memory held after they have gone."""

from __future__ import annotations

from mallard.bench.experiments.by_ranges import (
    AXES,
    HELD,
    LEAST_OVERHEAD,
    LEGEND,
    OVERHEAD,
    RANGES,
    RULES,
    SCALES,
)
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.sentence import Bursts, Fastest, Least

ERASED = Quantity("erased_bytes", "after erasure", "held after erasure")
OFFERED = Quantity("offered_bytes", "offered", "offered to the system after erasure, still resident")
POOL = Quantity("pool_bytes", "in the pool", "kept by the pool itself after erasure")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after erasure and trim")

EXPERIMENT = Experiment(
    name="adaptive-pool",
    text="insert and erase list nodes by ranges (allocplus 3)",
    examples=(("--range 10,10000", "short ranges and long ones"),),
    operation="a node inserted and erased",
    title="Adaptive pools",
    heading="Adaptive pools: nodes by ranges",
    explanation="A list gets nodes at its end and loses them again, a range at a time: node by node, or "
    "(burst) a range in one call. The first round starts with no memory, the second with the memory that the "
    "first left. The overhead compares the system's memory with the nodes' own bytes, so it includes the "
    "waste between an allocator's blocks.",
    axes=AXES,
    rules=RULES,
    places=("range",),
    claimed=("range",),
    scales=SCALES,
    compared=(*RANGES, HELD),
    panel=Phases(
        across="range",
        x="nodes in a range",
        times=RANGES,
        amounts=(OVERHEAD, HELD, ERASED, OFFERED, POOL, TRIMMED),
        total="All of it together",
        sentences=(
            Fastest(RANGES),
            Bursts(RANGES[:2]),
            LEAST_OVERHEAD,
            Least(ERASED, "Held after all nodes were erased, at most"),
            Least(POOL, "Kept by the pools themselves then, at most"),
        ),
        unfinished="the range",
        plots=(
            *(Plot(phase, "ns a node") for phase in RANGES),
            Plot(OVERHEAD, "percent of the nodes' bytes"),
            Plot(ERASED, "MiB", mebibytes=True),
        ),
        drawn=("fixed-pool", "fixed-pool-burst", "adaptive-pool", "adaptive-pool-burst"),
        legend=LEGEND,
    ),
)
