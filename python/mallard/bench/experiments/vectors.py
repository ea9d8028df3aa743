"""The common parts of vectors that shrink and vectors that grow (allocplus, chapter 1)."""

from __future__ import annotations

from mallard.bench.experiments.description.axis import COUNT, COUNTS, FOLLOWS, WORDS, Axis

INT, MY_INT = "int", "myint"  # the article's class, with a user-defined copy constructor and assignment
AXES = (
    Axis(
        *("elements", COUNTS, "elements of a vector, such as 10^1..10^7 or 10,10000"),
        value_format="{} elements",
    ),
    Axis(
        "type",
        WORDS,
        "type of the elements: int, myint (default: both)",
        words=(INT, MY_INT),
        value_format="{}",
        plural="types",
    ),
    # The number of vectors follows from their size.
    Axis("iterations", COUNT, "vectors in a time (default: enough for each size)", role=FOLLOWS),
)
ONLY = {"realloc": ("type", (INT,))}  # it moves bytes, and MY_INT has a copy constructor
EXPLANATION = (
    "heap-v2 gives boost::container::vector an allocator that can grow and shrink a block in place. "
    "heap-v2-masked reports the usable size of a block but may not resize it, so the vector copies. heap-v1 "
    "has the standard's interface only. heap is this allocator behind std::vector. boost-allocator-v1, -v2 "
    "and -v2-masked have Boost's allocator. myint is the article's class, an int with a copy constructor; "
    "the bytes of an int may be moved. Counts are of one vector."
)
DRAWN = ("heap", "heap-v1", "heap-v2-masked", "heap-v2")
LEGEND = "Counts are of one vector."
LARGE = 100_000  # elements: with fewer, the growth of a process is chance


def sizes(of_int: tuple[int, ...], of_my_int: tuple[int, ...]) -> tuple[dict[str, tuple[object, ...]], ...]:
    """The grids of a scale: numbers of elements for each type."""
    return (
        {"elements": of_int, "type": (INT,)},
        {"elements": of_my_int, "type": (MY_INT,)},
    )
