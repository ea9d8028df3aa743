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
    how="The program allocates 2¹⁶ chunks of 1 to 1024 bytes from the global heap, and frees D of them at "
    "random. R is a strategy's time relative to new-delete's in this used heap, divided by that ratio in a "
    "fresh heap. Below 1, the strategy suffers less than the global allocator.",
    axes=(
        *AXES,
        Axis(
            *(
                "freed",
                COUNTS,
                "freed share of 2^16 chunks: all,half,quarter,eighth; none: no chunks, a fresh heap",
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
