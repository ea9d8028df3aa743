"""Benchmark III: 2^T bytes allocated in total, 2^A of them live at a time, in blocks of 2^S."""

from __future__ import annotations

from mallard.experiments.description import COUNTS, RANGE, Axis, Experiment

EXPERIMENT = Experiment(
    name="utilization",
    text="free the oldest block, allocate another (Benchmark III)",
    examples=(("--total 30..33 --buffer warm,none", "with an initial buffer and without"),),
    operation="an allocation with its deallocation",
    title="Utilization",
    heading="Utilization: much allocated, little in use",
    how="The program allocates T bytes in all, with A of them in use at once, in blocks of S bytes. It "
    "touches the first byte of each block. A cell marked mem ran out of memory, as did a printed cell "
    "marked fail.",
    axes=(
        Axis(
            *("total_log2", RANGE, "T: bytes allocated in all, as exponents of two, such as 30..35"),
            said="T = 2^{}",
            option="total",
        ),
        Axis(
            *("active_log2", RANGE, "A: bytes live at a time, as exponents of two, such as 15..20"),
            said="A = 2^{}",
            option="active",
        ),
        Axis(
            *("block_log2", RANGE, "S: bytes of a block, as exponents of two, such as 10..15"),
            said="S = 2^{}",
            option="block",
        ),
        Axis("buffer", COUNTS, "initial buffer of monotonic allocators: warm (default), cold, none"),
        Axis("final_frees", COUNTS, "frees of the blocks that are live at the end: timed (default), untimed"),
    ),
    places=("total_log2", "active_log2", "block_log2"),
    claimed=("buffer", "total_log2", "active_log2", "block_log2"),
)
