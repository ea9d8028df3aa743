"""Benchmark I: data structures of 2^6 to 2^16 elements, built and destroyed."""

from __future__ import annotations

from mallard.experiments.description import AMOUNT, COUNTS, FOLLOWS, RANGE, Axis, Experiment

AXES = (
    Axis("ds", COUNTS, "data structures: 1,4-6", said="{type}"),
    Axis("size_log2", RANGE, "elements, exponents of two: 6..16 or 8,10", said="2^{}", option="size"),
    Axis("buffer", "WORD", "initial buffer of the monotonic strategies: warm (the default), cold or none"),
    Axis("pages", "WORD", "pages of that buffer and of the floor's memory: huge (the default) or small"),
    Axis("hash", "WORD", "how much of a string is hashed: prefix (the default) or full"),
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
    heading="Density",
    axes=AXES,
    places=("size_log2",),
    apart=("ds",),
    claimed=("ds", "size_log2"),
)
