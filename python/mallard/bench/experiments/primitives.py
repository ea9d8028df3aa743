"""Single operations: an allocation with its deallocation, the making of an allocator, a node of a list."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import AMOUNT, FOLLOWS, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale

PAIR, CREATE, LIST = "pair", "create", "list"
FEWER_LOG2 = 4  # for strategies that may take a thousand times as long as a pair


def scale(time_limit: float, product_log2: int) -> Scale:
    """2^`product_log2` pairs, and nodes of lists, in the timed part."""
    return Scale(
        time_limit,
        grids=(
            {"operation": (PAIR, LIST), "product_log2": (product_log2,)},
            {"operation": (CREATE,), "product_log2": (product_log2 - FEWER_LOG2,)},
        ),
    )


EXPERIMENT = Experiment(
    name="primitives",
    text="an allocation and its deallocation; allocators; lists",
    examples=(("--operation create --contenders", "the cost of a new allocator, in every library"),),
    operation="a pair, creation or node",
    title="Primitives",
    heading="Primitives: one call, one allocator, one list",
    explanation="The median, and the lowest and highest of the repetitions.",
    axes=(
        Axis(
            *(
                "operation",
                WORDS,
                "pair: a block; create: a new allocator; list: its nodes (default: all)",
            ),
            words=tuple(operation["name"] for operation in described.EXPERIMENTS["primitives"]["operations"]),
            value_format="{}",
            plural="operations",
        ),
        Axis("product_log2", text="operations in all, as an exponent of two", role=AMOUNT),
        Axis("block_bytes", text="bytes of a block", role=FOLLOWS),
    ),
    places=("operation",),
    scales={QUICK: scale(60, 24), STANDARD: scale(600, 26), PAPER: scale(3600, 27)},
    with_base=False,
    panel=Spreads(
        columns={
            PAIR: "an allocation with its deallocation",
            CREATE: "make an allocator, serve one block, destroy it",
            LIST: "a node of a list of 1,024, built and destroyed",
        },
        text="Nanoseconds for one operation",
    ),
)
