"""The papers' two vocabularies: fourteen allocation strategies and twelve data structures (P0089, sections
4 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mallard.bench.contenders import CONTENDERS
from mallard.bench.library import LIBRARY, VARIANTS
from mallard.bench.papers.files import read_csv
from mallard.bench.strategy_names import (
    BASE_MARK,
    INLINE_MARK,
    WINK_MARK,
    WITHDRAWN,
    binding_mark,
    bound_by_base,
    is_base,
    is_inline,
    is_winked,
    mechanism_name,
    of_papers,
)
from mallard.shared import mallocs

Pair = tuple[str, str]


BINDINGS = {
    "type parameter": "bound by type parameter",
    "abstract base": "behind the abstract base",
    "inline base": "behind the inline base",
}
ENDS = {"normal": "destroyed normally", "winked out": "winked out"}


@dataclass(frozen=True)
class Strategy:
    name: str
    allocator: str
    binding: str
    destruction: str

    @property
    def text(self) -> str:
        """A description without the parts that are in the name."""
        named = self.allocator.replace(" backed by ", "+") == mechanism_name(self.name)
        used = [BINDINGS.get(self.binding, self.binding), ENDS[self.destruction]]
        return ", ".join(used if named else [self.allocator, *used])


@dataclass(frozen=True)
class Structure:
    name: str
    type: str
    inner_log2: int  # leaf elements in one element of the outer container


# The binding and the end of strategies whose names do not have them.
_BINDING_BY_MARK = dict(zip(("", BASE_MARK, INLINE_MARK), BINDINGS, strict=True))
_BINDING_AND_END = {"null": ("type parameter", "winked out"), "class-new": ("the class", "normal")}


def _extra(name: str, allocator: str) -> Strategy:
    binding = _BINDING_BY_MARK[binding_mark(name)]
    end = "winked out" if is_winked(name) else "normal"
    return Strategy(name, allocator, *_BINDING_AND_END.get(name, (binding, end)))


# Strategies that are not in the papers.
EXTRA_STRATEGIES = tuple(_extra(name, text) for name, text in {**VARIANTS, **LIBRARY}.items())

# (type parameter, abstract base), otherwise equal; P0213 section 9, first paragraph of "Analysis".
DISPATCH_PAIRS: tuple[Pair, ...] = tuple(
    zip(
        (name for name in of_papers() if not is_base(name)),
        (name for name in of_papers() if is_base(name)),
        strict=True,
    )
)

# (normal destruction, winked out), otherwise equal; P0213 section 9, second paragraph of "Analysis".
WINK_OUT_PAIRS: tuple[Pair, ...] = tuple(
    (name, f"{name}{WINK_MARK}") for name in of_papers(3) if not is_winked(name)
)

# mallard's third binding, in the same two ways.
INLINE_PAIRS: tuple[Pair, ...] = tuple(
    (name, base.replace(BASE_MARK, INLINE_MARK)) for name, base in DISPATCH_PAIRS[1:]
)
INLINE_WINK_OUT_PAIRS: tuple[Pair, ...] = tuple(
    (name, f"{name}{WINK_MARK}") for _, name in INLINE_PAIRS if not is_winked(name)
)

SIZES_LOG2 = tuple(range(6, 17))
PAPER_PRODUCT_LOG2 = 27  # leaf elements of every cell of Benchmark I


@cache
def strategies() -> dict[str, Strategy]:
    rows = read_csv("strategies.csv")
    return {
        row["strategy"]: Strategy(row["strategy"], row["allocator"], row["binding"], row["destruction"])
        for row in rows
    }


def selectable_strategies() -> dict[str, Strategy]:
    """The papers' strategies, and their mechanisms behind the inline base."""
    inline = {bound_by_base(extra.name): extra for extra in EXTRA_STRATEGIES if is_inline(extra.name)}
    pairs = ((strategy, inline.get(name)) for name, strategy in strategies().items())
    return {strategy.name: strategy for pair in pairs for strategy in pair if strategy}


def described() -> dict[str, Strategy]:
    """The papers' strategies and mallard's own, without contenders."""
    return strategies() | {extra.name: extra for extra in EXTRA_STRATEGIES}


def offered() -> list[str]:
    """The described strategies that can be measured, in any order."""
    return [name for name in described() if name not in WITHDRAWN]


@cache
def structures() -> dict[str, Structure]:
    rows = read_csv("data_structures.csv")
    return {row["ds"]: Structure(row["ds"], row["type"], int(row["leaves_per_element_log2"])) for row in rows}


def strategy_text(name: str) -> str:
    """A description of a strategy, or the name itself if it is unknown."""
    if name in CONTENDERS:
        return CONTENDERS[name].text
    plain, malloc = mallocs.split(name)
    known = described()
    if plain not in known:
        return name
    return f"{known[plain].text}, under {malloc}" if malloc else known[plain].text
