"""Nodes of a list that come and go in ranges (allocplus, chapters 2 and 3).

burst          ranges of nodes, in one call or node by node; then single nodes, and the end of the whole list
adaptive-pool  the same ranges, and the memory held after they have gone
"""

from __future__ import annotations

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, COUNTS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale
from mallard.bench.experiments.description.sentence import Bursts, Fastest, Least

RANGES = (
    Quantity("insert_ns", "insert", "insert the first time", "a node"),
    Quantity("erase_ns", "erase", "erase the first time", "a node"),
    Quantity("insert_warm_ns", "insert warm", "insert once more", "a node"),
    Quantity("erase_warm_ns", "erase warm", "erase once more", "a node"),
)
OVERHEAD = Quantity(
    *("overhead_percent", "overhead %", "overhead of system memory over the nodes' own bytes, percent", "%"),
    shown=".1f",
)
HELD = Quantity("held_bytes", "held", "taken from the system for all nodes")
LEAST_OVERHEAD = Least(OVERHEAD, "Overhead of system memory, at most", ".1f %")
AXES = (
    Axis(
        *("range", COUNTS, "nodes inserted or erased at a time, such as 10^1..10^4 or 10,1000"),
        default=(10, 100, 1000, 10_000),  # as in the article
        value_format="ranges of {}",
        plural="ranges",
    ),
    Axis("nodes", COUNT, "nodes in all", default=2_000_000, role=AMOUNT),
)
RULES = (Rule("range", "nodes", "all ranges have one length", divides=True),)
SCALES = {QUICK: Scale(20), STANDARD: Scale(120, 5), PAPER: Scale(600, 9)}
LEGEND = "range: nodes inserted or erased at a time."

ERASED = Quantity("erased_bytes", "after erasure", "held after erasure")
OFFERED = Quantity("offered_bytes", "offered", "offered to the system after erasure, still resident")
POOL = Quantity("pool_bytes", "in the pool", "kept by the pool itself after erasure")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after erasure and trim")

ADAPTIVE_POOL = Experiment(
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

PUSH = Quantity("push_ns", "push", "push one node back", "a node")
POP = Quantity("pop_ns", "pop", "pop one node off the front", "a node")
COPY = Quantity("copy_ns", "copy", "copy-construct the list", "a node")
ASSIGN = Quantity("assign_ns", "assign", "assign to a list of half as many nodes", "a node")
CLEAR = Quantity("clear_ns", "clear", "clear the list", "a node")
WHOLE = (COPY, ASSIGN, CLEAR)  # the whole list in a call
TIMES = (*RANGES, PUSH, POP, *WHOLE)

BURST = Experiment(
    name="burst",
    text="list nodes by ranges, and pushed and popped (allocplus 2)",
    examples=(("--range 1000 --contenders", "with the bursts of Boost"),),
    operation="a node inserted or erased",
    title="Bursts",
    heading="Bursts: many nodes in a call",
    explanation="The list and its ranges are those of the adaptive pools. A strategy with -burst allocates "
    "and frees a whole range in one call; the others go node by node. With -contiguous the nodes of a call "
    "lie side by side. Every strategy pushes and pops single nodes one by one, without bursts. The list is "
    "copied from one in the runner's memory, and assigned from it to half as many nodes.",
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
        sentences=(Fastest(TIMES), Bursts((*RANGES, *WHOLE)), LEAST_OVERHEAD),
        unfinished="the range",
        plots=tuple(Plot(phase, "ns a node") for phase in RANGES),
        drawn=(
            *("heap", "heap-burst", "multipool", "multipool-burst"),
            *("boost-allocator", "boost-allocator-burst"),
        ),
        legend=LEGEND,
    ),
)
