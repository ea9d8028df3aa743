"""Bursts: ranges of nodes, in one call or node by node; then single nodes, and the end of the whole
list."""

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
from mallard.bench.experiments.description.sentence import Bursts, Fastest

PUSH = Quantity("push_ns", "push", "push one node back", "a node")
POP = Quantity("pop_ns", "pop", "pop one node off the front", "a node")
CLEAR = Quantity("clear_ns", "clear", "clear the list", "a node")
TIMES = (*RANGES, PUSH, POP, CLEAR)

EXPERIMENT = Experiment(
    name="burst",
    text="list nodes by ranges, and pushed and popped (allocplus 2)",
    examples=(("--range 1000 --contenders", "beside the bursts of Boost"),),
    operation="a node inserted or erased",
    title="Bursts",
    heading="Bursts: many nodes in a call",
    explanation="The list and its ranges are those of the adaptive pools. A strategy with -burst allocates "
    "and frees a whole range in one call; the others go node by node. Every strategy pushes and pops single "
    "nodes one by one, without bursts.",
    axes=AXES,
    rules=RULES,
    places=("range",),
    claimed=("range",),
    scales=SCALES,
    compared=(*TIMES, HELD),
    panel=Phases(
        across="range",
        x="nodes in a range",
        times=TIMES,
        amounts=(OVERHEAD, HELD),
        total="All ranges together",
        sentences=(Fastest(TIMES), Bursts((*RANGES, CLEAR)), LEAST_OVERHEAD),
        unfinished="the range",
        plots=tuple(Plot(phase, "ns a node") for phase in RANGES),
        drawn=(
            *("heap", "heap-burst", "multipool", "multipool-burst"),
            *("boost-allocator", "boost-allocator-burst"),
        ),
        legend=LEGEND,
    ),
)
