"""Benchmark IV: W threads, which each allocate and deallocate a block of 2^S bytes 2^N times, in rounds."""

from __future__ import annotations

from mallard.experiments.description import AMOUNT, COUNT, COUNTS, RANGE, WALL, Axis, Experiment

EXPERIMENT = Experiment(
    name="contention",
    text="allocate and free in several threads (Benchmark IV)",
    examples=(("--threads 1..8 --freed-by other", "each thread frees the blocks of another"),),
    operation="a pair of one thread",
    clock=WALL,
    title="Contention",
    heading="Contention: several threads at once",
    how="Every thread allocates and deallocates a block of S bytes, N times. Times are by the wall clock: a "
    "flat line means that no thread waits. Threads beyond the number of cores also wait for their turn. A "
    "shared strategy is one allocator for all threads; the others give each thread an allocator of its own.",
    axes=(
        Axis(
            *("iterations_log2", RANGE, "N: pairs in a round, as exponents of two, such as 15..19"),
            said="N = 2^{}",
            option="iterations",
        ),
        Axis(
            *("block_log2", RANGE, "S: bytes of a block, as exponents of two, such as 6..8"),
            said="S = 2^{}",
            option="block",
        ),
        Axis(
            *("threads", RANGE, "W: threads, such as 1..8; there may be more than cores"),
            said="W = {}",
        ),
        Axis("multiplier", COUNT, "rounds, each with a new allocator (default: 100)", role=AMOUNT),
        Axis("buffer", COUNTS, "initial buffer of monotonic allocators: static (default), none"),
        Axis(
            "freed_by",
            COUNTS,
            "thread that frees a block: self, other (of allocators that allow it)",
        ),
    ),
    places=("iterations_log2", "block_log2", "threads"),
    claimed=("buffer", "iterations_log2", "block_log2", "threads"),
)
