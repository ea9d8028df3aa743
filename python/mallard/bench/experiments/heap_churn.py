"""A heap that ages: for a long time, random blocks are freed and blocks of random sizes allocated."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, COUNTS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Rule, Scale
from mallard.bench.experiments.description.sentence import Fastest, FromTo, Least

PAIR = Quantity("pair_ns", "pair", "free a block and allocate another", "a pair")
FILL = Quantity("fill_ns", "first block", "allocate one of the first blocks", "a first block")
FRAGMENTATION = Quantity("fragmentation", "held / live", "peak held bytes over peak live bytes", shown=".3f")
OVERHEAD = Quantity(
    *("overhead_bytes", "bytes a block", "held beyond the live bytes at the end, bytes a block", "bytes"),
    shown=".0f",
    least=8.0,
)
LIVE = Quantity("peak_live_bytes", "peak live", "in use by the blocks at their peak")
HELD = Quantity("peak_held_bytes", "peak held", "taken from the system at the peak")
OFFERED = Quantity("offered_bytes", "offered", "offered to the system at the end, still resident")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after all was freed and trimmed")

EXPERIMENT = Experiment(
    name="heap-churn",
    text="free a random block, allocate another, for a long time",
    examples=(("--live 10^5 --malloc mimalloc", "with the heap of mimalloc"),),
    operation="a free with its allocation",
    title="Ageing heap",
    heading="A heap that ages",
    explanation="Sizes are drawn evenly between two bounds before the clock starts. The program writes both "
    "ends of a block after its allocation, and reads its first word before its free. Held is the growth of "
    "the process, and live the bytes that its blocks asked for. null does this work without an allocator.",
    axes=(
        Axis(
            *("live", COUNTS, "blocks in use at a time, such as 10^3..10^5"),
            default=(100_000,),
            value_format="{} live blocks",
        ),
        Axis(
            "operations",
            COUNT,
            "frees with their allocations",
            default={QUICK: 5 * 10**6, STANDARD: 10**7, PAPER: 10**8},
            role=AMOUNT,
        ),
        Axis("least_bytes", COUNT, "bytes of the smallest block", default=16),
        Axis("most_bytes", COUNT, "bytes of the largest block", default=4096),
    ),
    rules=(Rule("least_bytes", "most_bytes", "sizes are drawn between them"),),
    places=("live",),
    claimed=("live",),
    scales={QUICK: Scale(60), STANDARD: Scale(120, 5), PAPER: Scale(1200, 5)},
    compared=(FILL, HELD),
    panel=Phases(
        across="number of live blocks",
        x="percent of the operations",
        times=(PAIR, FILL),
        amounts=(FRAGMENTATION, OVERHEAD, LIVE, HELD, OFFERED, TRIMMED),
        total="A free with its allocation",
        sentences=(
            Fastest((PAIR, FILL)),
            Least(FRAGMENTATION, "Peak held over peak live, lowest and new-delete", ".2f"),
            FromTo(FRAGMENTATION, "Held over live, after a tenth of the operations and at the end"),
            Least(OVERHEAD, "Overhead in bytes a block at the end, at most", ".0f"),
            Least(TRIMMED, "Held after all blocks were freed and trimmed, at most"),
        ),
        unfinished="the number of live blocks",
        over_time=FRAGMENTATION,
        logarithmic=False,
        drawn=("heap", "region-heap", "multipool", "boost-interprocess"),
        legend="live: blocks in use at a time.",
    ),
)
