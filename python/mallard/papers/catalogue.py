"""The papers' two vocabularies: fourteen allocation strategies and twelve data structures (P0089, sections
4 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mallard import mallocs
from mallard.contenders import CONTENDERS
from mallard.papers.files import read_csv

Pair = tuple[str, str]


@dataclass(frozen=True)
class Strategy:
    name: str
    allocator: str
    binding: str
    destruction: str

    @property
    def text(self) -> str:
        return f"{self.allocator}, {self.binding}, {self.destruction}"


@dataclass(frozen=True)
class Structure:
    name: str
    type: str
    inner_log2: int  # leaf elements in one element of the outer container


# What the papers do not have: the floors, of a row and of two calls that do nothing, AS1 on a platform that
# keeps its pages, AS7 with other orders of reuse, allocators that threads share, pools of blocks of one or of
# small sizes, and the heap, also behind vectors that ask it to grow in place.
EXTRA_STRATEGIES = (
    Strategy("null", "none: memory that is already there", "type parameter", "winked out"),
    Strategy("null-base", "none: two calls that do nothing", "abstract base", "normal"),
    Strategy("AS1-keep", "global default, page return off", "type parameter", "normal"),
    Strategy("AS7-last", "multipool, last freed first", "type parameter", "normal"),
    Strategy("AS7-first", "multipool, first freed first", "type parameter", "normal"),
    Strategy("AS7-lowest", "multipool, lowest address first", "type parameter", "normal"),
    Strategy("AS7-hybrid", "multipool, a magazine before bitmaps", "type parameter", "normal"),
    Strategy("AS7-random", "multipool, reuse at random (the worst case)", "type parameter", "normal"),
    Strategy("shared-synchronized", "one synchronized multipool for all threads", "type parameter", "normal"),
    Strategy("shared-concurrent", "one concurrent multipool for all threads", "type parameter", "normal"),
    Strategy("AS7-burst", "multipool, many nodes at a call", "type parameter", "normal"),
    Strategy("fast-fit", "multipool with classes at powers of two", "type parameter", "normal"),
    Strategy("fixed-pool", "blocks of one size", "type parameter", "normal"),
    Strategy("fixed-pool-burst", "blocks of one size, many at a call", "type parameter", "normal"),
    Strategy("static-pool", "blocks of one size, named by a type", "type parameter", "normal"),
    Strategy("class-new", "operator new of the class over a fixed pool", "the class", "normal"),
    Strategy("fixed-string", "blocks of the largest string, one size", "type parameter", "normal"),
    Strategy("small-object-pool", "small objects, books out of band", "type parameter", "normal"),
    Strategy("adaptive-pool", "adaptive pool, overhead of 2 % at most", "type parameter", "normal"),
    Strategy("adaptive-pool-burst", "adaptive pool, 2 %, many nodes at a call", "type parameter", "normal"),
    Strategy("adaptive-pool-aligned", "adaptive pool without sub-blocks", "type parameter", "normal"),
    Strategy(
        "adaptive-pool-aligned-burst",
        "adaptive pool without sub-blocks, many nodes at a call",
        "type parameter",
        "normal",
    ),
    Strategy("heap", "coalescing heap", "type parameter", "normal"),
    Strategy("heap-winked", "coalescing heap", "type parameter", "winked out"),
    Strategy("heap-base", "coalescing heap", "abstract base", "normal"),
    Strategy("heap-base-winked", "coalescing heap", "abstract base", "winked out"),
    Strategy("heap-burst", "coalescing heap, many blocks at a call", "type parameter", "normal"),
    Strategy("region-heap", "coalescing heap in a fixed region", "type parameter", "normal"),
    Strategy("heap-v1", "heap behind a Boost vector that copies", "type parameter", "normal"),
    Strategy("heap-v2-masked", "heap that tells the size it gave", "type parameter", "normal"),
    Strategy("heap-v2", "heap that grows and shrinks in place", "type parameter", "normal"),
    Strategy("region-heap-v2", "the same in a fixed region", "type parameter", "normal"),
)

# (type parameter, abstract base) with everything else equal; P0213 section 9, first paragraph of "Analysis".
DISPATCH_PAIRS: tuple[Pair, ...] = (
    ("AS1", "AS2"),
    ("AS3", "AS5"),
    ("AS4", "AS6"),
    ("AS7", "AS9"),
    ("AS8", "AS10"),
    ("AS11", "AS13"),
    ("AS12", "AS14"),
)

# (normal destruction, winked out) with everything else equal; P0213 section 9, second paragraph of
# "Analysis".
WINK_OUT_PAIRS: tuple[Pair, ...] = (
    ("AS3", "AS4"),
    ("AS5", "AS6"),
    ("AS7", "AS8"),
    ("AS9", "AS10"),
    ("AS11", "AS12"),
    ("AS13", "AS14"),
)

SIZES_LOG2 = tuple(range(6, 17))
PAPER_PRODUCT_LOG2 = 27  # leaf elements made in every cell of Benchmark I


@cache
def strategies() -> dict[str, Strategy]:
    rows = read_csv("strategies.csv")
    return {
        row["strategy"]: Strategy(row["strategy"], row["allocator"], row["binding"], row["destruction"])
        for row in rows
    }


@cache
def structures() -> dict[str, Structure]:
    rows = read_csv("data_structures.csv")
    return {row["ds"]: Structure(row["ds"], row["type"], int(row["leaves_per_element_log2"])) for row in rows}


def strategy_text(name: str) -> str:
    """What a strategy is, for people; a name that nobody has stands for itself."""
    if name in CONTENDERS:
        return CONTENDERS[name].text
    plain, malloc = mallocs.split(name)
    known = strategies() | {extra.name: extra for extra in EXTRA_STRATEGIES}
    if plain not in known:
        return name
    return f"{known[plain].text}, under {malloc}" if malloc else known[plain].text
