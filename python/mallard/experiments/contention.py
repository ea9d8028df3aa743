"""Benchmark IV: W threads, each allocating and deallocating a block of 2^S bytes 2^N times, over and over."""

from __future__ import annotations

from mallard.experiments.description import AMOUNT, COUNT, COUNTS, RANGE, WALL, Axis, Experiment

EXPERIMENT = Experiment(
    name="contention",
    text="allocate and free in several threads (Benchmark IV)",
    examples=(("--threads 1..8 --freed-by other", "each thread frees the blocks of another"),),
    operation="a pair of one thread",
    clock=WALL,
    title="Contention",
    heading="Contention",
    axes=(
        Axis(
            *("iterations_log2", RANGE, "N, pairs in a go, exponents of two: 15..19"),
            said="N = 2^{}",
            option="iterations",
        ),
        Axis(
            *("block_log2", RANGE, "S, bytes of a block, exponents of two: 6..8"),
            said="S = 2^{}",
            option="block",
        ),
        Axis(
            *("threads", RANGE, "W: 1..8, also beyond the cores (quick: up to their number)"),
            said="W = {}",
        ),
        Axis("multiplier", COUNT, "goes, each with an allocator of its own (100)", role=AMOUNT),
        Axis("buffer", COUNTS, "of the monotonic strategies: static (the default), none"),
        Axis(
            "freed_by",
            COUNTS,
            "who frees a block: self, other (another thread, where the allocator can)",
        ),
    ),
    places=("iterations_log2", "block_log2", "threads"),
    claimed=("buffer", "iterations_log2", "block_log2", "threads"),
)
