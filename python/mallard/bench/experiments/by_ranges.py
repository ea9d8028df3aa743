"""The common parts of bursts and adaptive pools: nodes of a list that come and go in ranges (allocplus,
chapters 2 and 3)."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, COUNTS, Axis
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale
from mallard.bench.experiments.description.sentence import Least

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
