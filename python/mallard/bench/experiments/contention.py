"""Benchmark IV: W threads, which each allocate and deallocate a block of 2^S bytes 2^N times, in rounds."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import AMOUNT, COUNT, RANGE, THREADS, WORDS, Axis
from mallard.bench.experiments.description.experiment import WALL, Experiment
from mallard.bench.experiments.description.panel import Most, Race, Wording
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Printed, Scale

NAME = "contention"
STATIC, NONE = "static", "none"
SELF, OTHER = "self", "other"
# P0089 section 11 and P0213 section 12 print these rows (N, S), each for W from 1 to 8.
PRINTED = ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))


def grid(
    iterations: tuple[int, ...], blocks: tuple[int, ...], *buffers: str
) -> tuple[dict[str, tuple[object, ...]]]:
    return (
        {
            THREADS: tuple(range(1, 9)),
            "iterations_log2": iterations,
            "block_log2": blocks,
            "buffer": buffers,
        },
    )


EXPERIMENT = Experiment(
    name=NAME,
    text="allocate and free in several threads (Benchmark IV)",
    examples=(("--threads 1..8 --freed-by other", "each thread frees the blocks of another"),),
    operation="a pair of one thread",
    clock=WALL,
    title="Contention",
    heading="Contention: several threads at once",
    explanation="Every thread allocates and deallocates a block of S bytes, N times. Times are by the wall "
    "clock: a flat line means that no thread waits. Threads beyond the number of cores also wait for their "
    "turn. A shared strategy is one allocator for all threads; the others give each thread an allocator of "
    "its own.",
    axes=(
        Axis(
            *("iterations_log2", RANGE, "N: pairs in a round, as exponents of two, such as 15..19"),
            value_format="N = 2^{}",
            option="iterations",
        ),
        Axis(
            *("block_log2", RANGE, "S: bytes of a block, as exponents of two, such as 6..8"),
            value_format="S = 2^{}",
            option="block",
        ),
        Axis(
            *(THREADS, RANGE, "W: threads, such as 1..8; there may be more than cores"),
            value_format="W = {}",
        ),
        Axis("multiplier", COUNT, "rounds, each with a new allocator", 100, role=AMOUNT),
        Axis(
            *("buffer", WORDS, "initial buffer of monotonic allocators: static (default), none"),
            words=(STATIC, NONE),
            plural="buffers",
        ),
        Axis(
            *("freed_by", WORDS, "thread that frees a block: self; other, if the allocator allows it"),
            default=(SELF, OTHER),
            words=(SELF, OTHER),
        ),
    ),
    places=("iterations_log2", "block_log2", "threads"),
    printed=Printed(("iterations_log2", "block_log2"), PRINTED, "blocks"),
    scales={
        # The effect of threads on each other varies more between processes than the work of one thread.
        QUICK: Scale(60, 5, grid((15,), (6, 8), STATIC), variants=False, within_cores=True),
        STANDARD: Scale(300, grids=grid((15, 17), (6, 8), STATIC), variants=False),
        PAPER: Scale(
            3600,
            grids=grid((15, 16, 17, 18, 19), (6, 7, 8), STATIC, NONE),
            variants=False,
        ),
    },
    plan="contention",
    block="block_log2",
    # A thread's own allocator cannot take back another thread's block.
    only={
        name: ("freed_by", (SELF,))
        for name in described.names_in(NAME)
        if name not in described.EXPERIMENTS[NAME]["freed_by_other"]
    },
    claimed=("buffer", "iterations_log2", "block_log2", "threads"),
    panel=Race(
        wording=Wording(
            *("a pair", "pairs", "one pair of allocation and deallocation, in each thread"),
            clock="Wall-clock",
        ),
        maps=2,
        title="N = {}, S = {} bytes",
        row_text="number of threads",
        below=(Most("slowest_ns", "The slowest thread by the fastest, at most", base="fastest_ns"),),
        legend="N pairs for each allocator made, blocks of S bytes, W threads. new-delete in ns a pair of "
        "one thread by the wall clock, the others in percent of new-delete.",
        plotted="threads",
        figures=(Quantity("cpu_ns_per_pair", "CPU ns", "CPU ns a pair, of all threads together"),),
        remarks={("freed_by", OTHER): "Each thread's blocks are freed by its neighbour."},
    ),
)
