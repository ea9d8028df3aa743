"""The Loki test: a million objects of N bytes are allocated, freed shuffled or in order, allocated again
and traversed."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, PAGES, RANGE, SMALL, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale
from mallard.bench.experiments.description.sentence import Fastest, Least, OfNull, PerPlace

SHUFFLED, IN_ORDER = "shuffled", "in-order"
SIZES = (1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64)
PRINTED_SIZES = (1, 10, 20, 30, 40, 50)  # as in the blog

TIMES = (
    Quantity("allocate_ns", "allocate", "allocate them all", "an object"),
    Quantity("free_ns", "free", "free them all, from the back of the vector", "an object"),
    Quantity("reallocate_ns", "again", "allocate them all again, after that free", "an object"),
    Quantity("traverse_ns", "traverse", "touch each new object, in the order of the vector", "an object"),
)
TOTAL = Quantity("", "all", "go through all phases", "an object")
HELD = Quantity("held_bytes", "held", "held after the first allocation", per="objects")
FREED = Quantity("freed_bytes", "freed", "still held after the first free, nothing trimmed")
OFFERED = Quantity("offered_bytes", "offered", "offered to the system after that free, still resident")
RETURNED = Quantity("returned_bytes", "returned", "still held at the end, after release and trim")


def grid(sizes: tuple[int, ...], orders: tuple[str, ...]) -> dict[str, tuple[object, ...]]:
    return {"object_bytes": sizes, "order": orders}


EXPERIMENT = Experiment(
    name="small-objects",
    text="allocate, free, reuse a million small objects (Loki)",
    examples=(("--object-bytes 1,16,64 --order shuffled,in-order", "three sizes, freed in both orders"),),
    operation="an object allocated, freed, allocated again and traversed",
    title="Small objects",
    heading="Small objects: a million of them",
    explanation="The objects have N bytes. A vector holds their addresses; it exists before the clock "
    "starts, and is shuffled before the objects are freed from its back. Memory is the resident memory that "
    "the system counts for the process. null takes each object from fresh pages and frees nothing, so it "
    "shows the cost of the pages alone.",
    axes=(
        Axis(
            "object_bytes", RANGE, "N: bytes of an object, such as 1,8,16 or 1..64", value_format="{} bytes"
        ),
        Axis("objects", COUNT, "objects, such as 2^20", default=10**6, role=AMOUNT),
        Axis(
            *("order", WORDS, "order of the frees: shuffled, in-order", (SHUFFLED,)),
            words=(SHUFFLED, IN_ORDER),
            value_format="{}",
            plural="orders",
        ),
    ),
    places=("object_bytes",),
    apart=("order",),
    claimed=("pages", "object_bytes", "order"),
    scales={
        QUICK: Scale(
            10,  # Loki's frees take longer with every chunk
            grids=(
                grid((*PRINTED_SIZES, 16, 64), (SHUFFLED,)),
                grid((16,), (IN_ORDER,)),
            ),
            variants=False,
        ),
        STANDARD: Scale(
            60,
            grids=(
                grid(SIZES, (SHUFFLED,)),
                grid((*PRINTED_SIZES, 16), (IN_ORDER,)),
            ),
        ),
        PAPER: Scale(600, grids=(grid(SIZES, (SHUFFLED, IN_ORDER)),)),
    },
    block="object_bytes",
    compared=(*TIMES, HELD),
    panel=Phases(
        across="N",
        head="N",
        x="N, bytes of an object",
        times=TIMES,
        amounts=(HELD, FREED, OFFERED, RETURNED),
        total="All phases together",
        sentences=(
            Fastest((TOTAL,), sizes=True),
            Fastest(TIMES),
            OfNull(TIMES[0], "Taking the pages alone ({}) costs"),
            PerPlace(HELD, "Bytes held for each byte asked for, least and new-delete"),
            Least(FREED, "Still held after the first free, at most"),
        ),
        unfinished="N",
        plots=(
            *(Plot(time, "ns an object") for time in TIMES),
            Plot(HELD, "bytes an object", per="objects"),
            Plot(FREED, "bytes an object", per="objects"),
        ),
        logarithmic=False,
        drawn=("multipool", "small-object-pool", "fixed-pool", "loki"),
        first=(("order", SHUFFLED), (PAGES.name, SMALL)),
        legend="N: bytes of an object.",
    ),
)
