"""Benchmark I: data structures of 2^6 to 2^16 elements, built and destroyed."""

from __future__ import annotations

from mallard.experiments.description import AMOUNT, COUNTS, FOLLOWS, RANGE, Axis, Experiment

AXES = (
    Axis("ds", COUNTS, "data structures, such as 1,4-6", said="{type}"),
    Axis("size_log2", RANGE, "elements, as exponents of two, such as 6..16", said="2^{}", option="size"),
    Axis("buffer", "WORD", "initial buffer of monotonic allocators: warm (default), cold or none"),
    Axis("pages", "WORD", "pages of that buffer and of the memory of null: huge (default) or small"),
    Axis("hash", "WORD", "hashed part of a string: prefix (default) or full"),
    Axis("product_log2", role=AMOUNT),
    Axis("buffer_bytes", role=AMOUNT),
    Axis("inner_log2", role=FOLLOWS),
)

EXPERIMENT = Experiment(
    name="density",
    text="build and destroy a data structure (Benchmark I)",
    examples=(
        ("--ds 1,4-6 --size 6..12", "some structures, of 2^6 to 2^12 elements"),
        ("--strategy new-delete,monotonic,multipool --reps 5", "three strategies, more repetitions"),
    ),
    operation="a leaf element",
    title="Density",
    heading="Density: twelve data structures",
    axes=AXES,
    places=("size_log2",),
    apart=("ds",),
    claimed=("ds", "size_log2"),
)
