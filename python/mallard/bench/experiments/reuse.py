"""Blocks freed in some order and allocated again: what the order costs the allocations."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import AMOUNT, COUNT, COUNTS, RANGE, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale
from mallard.bench.experiments.description.sentence import Fastest

NAME = "reuse"
IN_ORDER, RANDOM, REPLACED = "in-order", "random", "replaced"
PATTERNS = (IN_ORDER, "reversed", RANDOM, REPLACED, "half")
KINDS = ONE_SIZE, MIXED = "same", "mixed"
OF_MIXED = described.EXPERIMENTS[NAME]["mixed_sizes"]
SIZES = (16, 24, 32, 64, 128, 256, 512)

PAIR = Quantity("pair_ns", "pair", "free a block and allocate another", "a pair")


def grid(
    sizes: tuple[int, ...], powers: tuple[int, ...], patterns: tuple[str, ...], *kinds: str
) -> dict[str, tuple[object, ...]]:
    live = tuple(2**power for power in powers)
    return {"block_bytes": sizes, "live": live, "pattern": patterns, "sizes": kinds or (ONE_SIZE,)}


EXPERIMENT = Experiment(
    name=NAME,
    text="free blocks in some order, and allocate as many again",
    examples=(
        ("--block-bytes 24 --live 2^12,2^16 --pattern random", "one size, freed at random"),
        ("--sizes mixed --malloc jemalloc", "blocks of 16 to 64 bytes, with jemalloc"),
    ),
    operation="a free with its allocation",
    title="Reuse",
    heading="Blocks that are freed and allocated again",
    explanation="N blocks are live. The patterns in-order, reversed and random free all of them in that "
    "order and allocate N again. replaced frees and allocates one block at random, half a random half of "
    "all. The program writes the first word of a block after its allocation, and reads it before its free. "
    "Mixed sizes lie evenly between 16 bytes and the size of the table. null does this work with the "
    "addresses of free blocks in a separate array.",
    axes=(
        Axis(*("block_bytes", RANGE, "bytes of a block, such as 16,64 or 16..512"), value_format="{} bytes"),
        Axis("live", COUNTS, "N: blocks in use, such as 2^6..2^20", value_format="{count} blocks"),
        Axis(
            *("pattern", WORDS, f"freed blocks: {', '.join(PATTERNS)}"),
            words=PATTERNS,
            value_format="{}",
            plural="patterns",
        ),
        Axis(
            *("sizes", WORDS, "sizes of the blocks: same (default), mixed"),
            words=KINDS,
            value_format="{} sizes",
        ),
        Axis(
            "operations",
            COUNT,
            "frees with their allocations, at least",
            default={QUICK: 2 * 10**6, STANDARD: 4 * 10**6, PAPER: 2 * 10**7},
            role=AMOUNT,
        ),
    ),
    places=("live",),
    apart=("sizes", "pattern", "block_bytes"),
    scales={
        QUICK: Scale(
            20,
            grids=(
                grid((24, 64, 512), (12, 16), (RANDOM, REPLACED)),
                grid((64,), (12, 16), (IN_ORDER,)),
                grid((512,), (12, 16), (RANDOM,), MIXED),
            ),
            variants=False,
        ),
        STANDARD: Scale(
            60,
            grids=(
                grid((24, 64, 512), (6, 12, 16), PATTERNS),
                grid((16, 4096), (12,), PATTERNS),
                grid((24, 64), (20,), (RANDOM, REPLACED)),
                grid((128, 512), (12, 16), PATTERNS, MIXED),
            ),
        ),
        PAPER: Scale(
            600,
            grids=(
                grid(SIZES, (6, 9, 12, 16, 20), PATTERNS, *KINDS),
                grid((1024, 2048, 4096), (6, 9, 12, 16), PATTERNS, *KINDS),
            ),
        ),
    },
    block="block_bytes",
    # Those that serve blocks of one size.
    only={name: ("sizes", (ONE_SIZE,)) for name in described.names_in(NAME) if name not in OF_MIXED},
    panel=Phases(
        across="N",
        head="N",
        x="N, blocks in use",
        times=(PAIR,),
        amounts=(),
        total="A free with its allocation",
        sentences=(Fastest((PAIR,)),),
        unfinished="N",
        drawn=("multipool", "fixed-pool", "small-object-pool", "heap"),
        first=(("sizes", ONE_SIZE), ("pattern", RANDOM)),
        legend="N: blocks in use.",
    ),
)
