"""The papers' two vocabularies: fourteen allocation strategies and twelve data structures (P0089, sections
4 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mallard import mallocs
from mallard.contenders import CONTENDERS
from mallard.papers.files import read_csv
from mallard.strategy_names import WINK_MARK, is_base, is_winked, mechanism_of, of_papers

Pair = tuple[str, str]


BINDINGS = {"type parameter": "bound by type parameter", "abstract base": "behind the abstract base"}
ENDS = {"normal": "destroyed normally", "winked out": "winked out"}


@dataclass(frozen=True)
class Strategy:
    name: str
    allocator: str
    binding: str
    destruction: str

    @property
    def text(self) -> str:
        """For people, without what the name says."""
        named = self.allocator.replace(" backed by ", "+") == mechanism_of(self.name)
        used = [BINDINGS.get(self.binding, self.binding), ENDS[self.destruction]]
        return ", ".join(used if named else [self.allocator, *used])


@dataclass(frozen=True)
class Structure:
    name: str
    type: str
    inner_log2: int  # leaf elements in one element of the outer container


# The papers do not have these: the floors, of a row and of two calls that do nothing, new-delete on a
# platform that keeps its pages, other orders of reuse, allocators that threads share, pools of blocks of
# one or of small sizes, and the heap, also behind vectors that ask it to grow in place.
EXTRA_STRATEGIES = (
    Strategy("null", "none: memory that is already there", "type parameter", "winked out"),
    Strategy("null/base", "none: two calls that do nothing", "abstract base", "normal"),
    Strategy("new-delete-keep", "global default, page return off", "type parameter", "normal"),
    Strategy("multipool-last", "multipool, last freed first", "type parameter", "normal"),
    Strategy("multipool-first", "multipool, first freed first", "type parameter", "normal"),
    Strategy("multipool-lowest", "multipool, lowest address first", "type parameter", "normal"),
    Strategy("multipool-hybrid", "multipool, a magazine before bitmaps", "type parameter", "normal"),
    Strategy("multipool-random", "multipool, reuse at random (the worst case)", "type parameter", "normal"),
    Strategy(
        "synchronized-multipool", "one synchronized multipool for all threads", "type parameter", "normal"
    ),
    Strategy("concurrent-multipool", "one concurrent multipool for all threads", "type parameter", "normal"),
    Strategy("multipool-burst", "multipool, many nodes at a call", "type parameter", "normal"),
    Strategy("fast-fit", "multipool with classes at powers of two", "type parameter", "normal"),
    Strategy("fixed-pool", "blocks of one size", "type parameter", "normal"),
    Strategy("fixed-pool-burst", "blocks of one size, many at a call", "type parameter", "normal"),
    Strategy("static-pool", "blocks of one size, named by a type", "type parameter", "normal"),
    Strategy("class-new", "operator new of the class over a fixed pool", "the class", "normal"),
    Strategy("fixed-string", "blocks of the largest string, one size", "type parameter", "normal"),
    Strategy("small-object-pool", "small objects, metadata apart from them", "type parameter", "normal"),
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
    Strategy("heap/wink", "coalescing heap", "type parameter", "winked out"),
    Strategy("heap/base", "coalescing heap", "abstract base", "normal"),
    Strategy("heap/base/wink", "coalescing heap", "abstract base", "winked out"),
    Strategy("heap-burst", "coalescing heap, many blocks at a call", "type parameter", "normal"),
    Strategy("region-heap", "coalescing heap in a fixed region", "type parameter", "normal"),
    Strategy("heap-v1", "heap behind a Boost vector that copies", "type parameter", "normal"),
    Strategy("heap-v2-masked", "heap that tells the size it gave", "type parameter", "normal"),
    Strategy("heap-v2", "heap that grows and shrinks in place", "type parameter", "normal"),
    Strategy("region-heap-v2", "the same in a fixed region", "type parameter", "normal"),
)

# (type parameter, abstract base) with everything else equal; P0213 section 9, first paragraph of "Analysis".
DISPATCH_PAIRS: tuple[Pair, ...] = tuple(
    zip(
        (name for name in of_papers() if not is_base(name)),
        (name for name in of_papers() if is_base(name)),
        strict=True,
    )
)

# (normal destruction, winked out) with everything else equal; P0213 section 9, second paragraph of
# "Analysis".
WINK_OUT_PAIRS: tuple[Pair, ...] = tuple(
    (name, f"{name}{WINK_MARK}") for name in of_papers(3) if not is_winked(name)
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


def described() -> dict[str, Strategy]:
    """The papers' strategies and our own; not those of other libraries."""
    return strategies() | {extra.name: extra for extra in EXTRA_STRATEGIES}


@cache
def structures() -> dict[str, Structure]:
    rows = read_csv("data_structures.csv")
    return {row["ds"]: Structure(row["ds"], row["type"], int(row["leaves_per_element_log2"])) for row in rows}


def strategy_text(name: str) -> str:
    """What a strategy is, for people; a name that nobody has stands for itself."""
    if name in CONTENDERS:
        return CONTENDERS[name].text
    plain, malloc = mallocs.split(name)
    known = described()
    if plain not in known:
        return name
    return f"{known[plain].text}, under {malloc}" if malloc else known[plain].text
