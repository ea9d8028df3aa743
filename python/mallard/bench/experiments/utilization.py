"""Benchmark III: 2^T bytes allocated in total, 2^A of them live at a time, in blocks of 2^S."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import RANGE, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Most, Race, Wording
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Printed, Rule, Scale, Short

WARM, COLD, NONE = "warm", "cold", "none"
TIMED, UNTIMED = "timed", "untimed"
ACTIVE, BLOCKS = tuple(range(15, 21)), tuple(range(10, 16))
TOTALS = tuple(range(30, 36))


def grid(buffer: str, *totals: int) -> dict[str, tuple[object, ...]]:
    return {"active_log2": ACTIVE, "block_log2": BLOCKS, "total_log2": totals, "buffer": (buffer,)}


EXPERIMENT = Experiment(
    name="utilization",
    text="free the oldest block, allocate another (Benchmark III)",
    examples=(("--total 30..33 --buffer warm,none", "with an initial buffer and without"),),
    operation="an allocation with its deallocation",
    title="Utilization",
    heading="Utilization: much allocated, little in use",
    explanation="The program allocates T bytes in all, with A of them in use at once, in blocks of S bytes. "
    "It touches the first byte of each block. A cell marked mem ran out of memory, as did a printed cell "
    "marked fail.",
    axes=(
        Axis(
            *("total_log2", RANGE, "T: bytes allocated in all, as exponents of two, such as 30..35"),
            value_format="T = 2^{}",
            option="total",
            plural="totals_log2",
        ),
        Axis(
            *("active_log2", RANGE, "A: bytes live at a time, as exponents of two, such as 15..20"),
            value_format="A = 2^{}",
            option="active",
        ),
        Axis(
            *("block_log2", RANGE, "S: bytes of a block, as exponents of two, such as 10..15"),
            value_format="S = 2^{}",
            option="block",
        ),
        Axis(
            *("buffer", WORDS, "initial buffer of monotonic allocators: warm (default), cold, none"),
            words=(WARM, COLD, NONE),
            plural="buffers",
        ),
        Axis(
            "final_frees",
            WORDS,
            "frees of the blocks that are live at the end: timed, untimed",
            default=(TIMED,),
            words=(TIMED, UNTIMED),
        ),
    ),
    places=("total_log2", "active_log2", "block_log2"),
    # P0089 section 10 and P0213 section 11 print these rows (A, S) for every T.
    printed=Printed(
        ("active_log2", "block_log2"),
        (*((active, BLOCKS[0]) for active in ACTIVE), *((ACTIVE[-1], block) for block in BLOCKS[1:])),
        "blocks",
    ),
    rules=(
        Rule(
            *("block_log2", "active_log2"),
            message="a block of 2^{first} bytes (S) is larger than the 2^{second} that are live at a time "
            "(A); choose S up to A",
        ),
        Rule(
            *("active_log2", "total_log2"),
            message="2^{first} bytes live at a time (A) are more than the 2^{second} allocated in all (T); "
            "choose A up to T",
        ),
    ),
    scales={
        QUICK: Scale(60, grids=(grid(WARM, TOTALS[0]),), variants=False),
        STANDARD: Scale(300, grids=(grid(WARM, *TOTALS), grid(NONE, TOTALS[0])), variants=False),
        PAPER: Scale(3600, grids=(grid(WARM, *TOTALS),), variants=False),
    },
    short=Short("total_log2", 30, 5),  # a multipool takes about a millisecond
    claimed=("buffer", "total_log2", "active_log2", "block_log2"),
    panel=Race(
        wording=Wording(
            "an allocation",
            "allocations",
            "one allocation with its deallocation",
            memory="held at the end",
            memory_text="Resident memory by which the process has grown at the end",
        ),
        maps=1,
        title="T = {} bytes",
        row_text="A and S",
        below=(
            Most("held_bytes", "Held at the end, at most", in_bytes=True),
            Most("free_ns", "ns for a free at the end, at most"),
        ),
        legend="T bytes allocated in all, A live at a time, blocks of S. new-delete in ns an allocation with "
        "its deallocation, the others in percent of new-delete. null: blocks already there, taken in turn.",
        memory="held_bytes",
    ),
)
