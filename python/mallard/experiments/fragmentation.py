"""Benchmark V: the work of density in a heap that was used before (P0213 section 13)."""

from __future__ import annotations

from mallard.experiments.density import AXES
from mallard.experiments.description import AMOUNT, COUNTS, Axis, Experiment

EXPERIMENT = Experiment(
    name="fragmentation",
    text="density in a heap that others used before (Benchmark V)",
    examples=(
        ("--ds 2 --freed half,eighth --upstream cache,heap", "two states of the heap, two sources of chunks"),
    ),
    operation="a leaf element",
    title="Fragmentation",
    heading="Fragmentation: a heap that others have used",
    how="2¹⁶ chunks of 1 to 1024 bytes are allocated from the global heap, D of them freed at random; "
    "the rest stays. R is a strategy's time relative to new-delete's in that heap, divided by the "
    "same in a heap that nobody has used: below 1 the strategy suffers less than the global "
    "allocator does.",
    axes=(
        *AXES,
        Axis(
            *(
                "freed",
                COUNTS,
                "freed share of 2^16 chunks: all,half,quarter,eighth; none: without such chunks",
            ),
            said="D = {}",
        ),
        Axis("upstream", COUNTS, "source of the chunks of local allocators: cache (default), heap"),
        Axis("perturb_chunks_log2", role=AMOUNT),
    ),
    places=("size_log2",),
    apart=("ds", "freed"),
    claimed=("upstream", "ds", "size_log2", "freed"),
    joined=("buffer", "buffer_bytes"),  # chunks from the heap exclude a buffer
)
