"""Benchmark V: the work of density in a heap that was used before (P0213 section 13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mallard.bench import described
from mallard.bench.experiments.density import AXES, SIZES, STRUCTURES
from mallard.bench.experiments.description.axis import FOLLOWS, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Own
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, STRATEGIES, Scale

NAME = "fragmentation"
FREED = UNTOUCHED, ALL, HALF, QUARTER, EIGHTH = "none", "all", "half", "quarter", "eighth"
FRAGMENTED = (HALF, QUARTER, EIGHTH)  # a part of the chunks is freed
IN_PRINT = {ALL: "N", HALF: "N/2", QUARTER: "N/4", EIGHTH: "N/8"}  # D in P0213
UPSTREAMS = CACHE, HEAP = "cache", "heap"
FEW = ("new-delete", "monotonic", "multipool", "multipool/wink", "multipool+monotonic")


def grid(
    product_log2: int,
    structures: Sequence[str],
    sizes: Sequence[int],
    freed: Sequence[str],
    upstreams: Sequence[str] = (CACHE,),
    *strategies: str,
) -> dict[str, tuple[Any, ...]]:
    """R needs `none` with every other state."""
    return {
        "freed": tuple(freed),
        "upstream": tuple(upstreams),
        "size_log2": tuple(sizes),
        "ds": tuple(structures),
        "product_log2": (product_log2,),
        **({STRATEGIES: strategies} if strategies else {}),
    }


EXPERIMENT = Experiment(
    name=NAME,
    text="density in a heap that others used before (Benchmark V)",
    examples=(
        ("--ds 2 --freed half,eighth --upstream cache,heap", "two states of the heap, two sources of chunks"),
    ),
    operation="a leaf element",
    title="Fragmentation",
    heading="Fragmentation: a heap that others have used",
    explanation="The program allocates 2¹⁶ chunks of 1 to 1024 bytes from the global heap, and frees D of "
    "them at random. R is a strategy's time relative to new-delete's in this used heap, divided by that "
    "ratio in a fresh heap. Below 1, the strategy suffers less than the global allocator.",
    axes=(
        *AXES,
        Axis(
            *(
                "freed",
                WORDS,
                "freed share of 2^16 chunks: all,half,quarter,eighth; none: no chunks, a fresh heap",
            ),
            words=FREED,
            value_format="D = {}",
            plural="freed",
        ),
        Axis(
            *("upstream", WORDS, "source of the chunks of local allocators: cache (default), heap"),
            words=UPSTREAMS,
            plural="upstreams",
        ),
        Axis("perturb_chunks_log2", text="chunks of the used heap, as an exponent of two", role=FOLLOWS),
    ),
    places=("size_log2",),
    apart=("ds", "freed"),
    scales={
        QUICK: Scale(
            60,
            grids=(grid(20, ("DS2", "DS4"), (6, 10, 14), (UNTOUCHED, HALF), UPSTREAMS, *FEW),),
            variants=False,
        ),
        STANDARD: Scale(
            600,
            grids=(
                grid(21, STRUCTURES, (10,), (UNTOUCHED, HALF)),
                grid(21, ("DS2", "DS4", "DS8", "DS12"), (6, 13), FREED, UPSTREAMS, *FEW),
            ),
            variants=False,
        ),
        PAPER: Scale(3600, grids=(grid(27, STRUCTURES, SIZES, FREED),), variants=False),
    },
    plan="fragmentation",
    # The contenders and the orders of reuse have one upstream each.
    only={
        name: ("upstream", (CACHE,))
        for name in described.names_in(NAME)
        if name not in described.EXPERIMENTS[NAME]["heap_upstream"]
    },
    grid_defaults={"freed": FREED, "upstream": (CACHE,)},
    claimed=("upstream", "ds", "size_log2", "freed"),
    joined=("buffer",),  # chunks from the heap exclude a buffer
    panel=Own(),
)
