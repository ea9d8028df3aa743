"""Benchmark I: data structures of 2^6 to 2^16 elements, built and destroyed."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import AMOUNT, FOLLOWS, RANGE, WORD, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Own
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale

STRUCTURES = tuple(structure["name"] for structure in described.EXPERIMENTS["density"]["structures"])
SIZES = tuple(described.EXPERIMENTS["density"]["sizes_log2"])
BUFFERS = WARM, COLD, NONE = "warm", "cold", "none"

AXES = (
    Axis(
        *("ds", WORDS, "data structures, such as 1,4-6"),
        words=STRUCTURES,
        value_format="{type}",
        plural="structures",
    ),
    Axis(
        *("size_log2", RANGE, "elements, as exponents of two, such as 6..16"),
        value_format="2^{}",
        option="size",
        plural="sizes_log2",
    ),
    Axis(
        *("buffer", WORD, "initial buffer of monotonic allocators: warm, cold or none", WARM),
        words=BUFFERS,
    ),
    Axis(
        *("hash", WORD, "hashed part of a string: prefix or full", "prefix"),
        words=("prefix", "full"),
    ),
    Axis("product_log2", text="leaf elements made, as an exponent of two", role=AMOUNT),
    Axis("buffer_bytes", text="of that buffer; follows from the free memory", role=FOLLOWS),
    Axis("inner_log2", text="leaves of an element, as an exponent of two: 7 or 0", role=FOLLOWS),
)


def scale(time_limit: float, product_log2: int, sizes: tuple[int, ...] = SIZES) -> Scale:
    """2^`product_log2` leaf elements made in the timed part."""
    grid = {"size_log2": sizes, "ds": STRUCTURES, "product_log2": (product_log2,)}
    return Scale(time_limit, grids=(grid,), variants=False)


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
    scales={QUICK: scale(60, 20, SIZES[::2]), STANDARD: scale(600, 22), PAPER: scale(3600, 27)},
    plan="density",
    claimed=("ds", "size_log2"),
    panel=Own(),
)
