"""Names of strategies: the mechanism first, then its use.

multipool               the mechanism, bound by type parameter; objects are destroyed
multipool/base          behind the abstract base, std::pmr::memory_resource
multipool/inline        behind the inline base, mallard::inline_resource
multipool/wink          winked out; multipool/base/wink combines both
static-multipool        named by the type of the container's allocator, mallard::static_allocator
multipool-last          a variant, here in its order of reuse
new-delete@jemalloc     under another malloc for the whole process

P0089 numbers its fourteen strategies AS1 to AS14. Those numbers are aliases of the names, in options and in
stored rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.shared.mallocs import MALLOC_MARK

BASE_MARK = "/base"
INLINE_MARK = "/inline"
WINK_MARK = "/wink"

# P0089R1, table 1.
PAPERS = {
    "AS1": "new-delete",
    "AS2": "new-delete/base",
    "AS3": "monotonic",
    "AS4": "monotonic/wink",
    "AS5": "monotonic/base",
    "AS6": "monotonic/base/wink",
    "AS7": "multipool",
    "AS8": "multipool/wink",
    "AS9": "multipool/base",
    "AS10": "multipool/base/wink",
    "AS11": "multipool+monotonic",
    "AS12": "multipool+monotonic/wink",
    "AS13": "multipool+monotonic/base",
    "AS14": "multipool+monotonic/base/wink",
}
# Those that allocate from the process's malloc directly.
GLOBAL_STRATEGIES = ("new-delete", "new-delete/base")
WITHDRAWN = ("multipool-lowest", "multipool-hybrid")  # orders of reuse that lost; stored rows have them
_BY_LOWER = {alias.lower(): name for alias, name in PAPERS.items()}
NUMBERS = {name: number for number, name in PAPERS.items()}


def current(name: str) -> str:
    """The current name of a strategy. Aliases are case-insensitive; other names are returned unchanged."""
    plain, mark, malloc = name.partition(MALLOC_MARK)
    return f"{_BY_LOWER.get(plain.lower(), plain)}{mark}{malloc}"


def of_papers(first: int = 1, last: int = 14) -> tuple[str, ...]:
    """The strategies that P0089 numbers from `first` to `last`."""
    return tuple(PAPERS.values())[first - 1 : last]


def paper_number(name: str) -> str:
    """P0089's number, such as AS7 for multipool; empty for a strategy that is not in the papers."""
    return NUMBERS.get(name, "")


def aliases_for(names: Iterable[str]) -> dict[str, str]:
    """The aliases of these names."""
    wanted = set(names)
    return {alias: name for alias, name in PAPERS.items() if name in wanted}


def mechanism_name(name: str) -> str:
    """The mechanism of a strategy: multipool of multipool/base/wink."""
    return name.partition(MALLOC_MARK)[0].partition("/")[0]


def without_variants(names: Iterable[str]) -> list[str]:
    """The names without variants. multipool-last is a variant if multipool is among the names."""
    listed = list(names)
    plain = {mechanism_name(name) for name in listed}
    return [name for name in listed if not any(name.startswith(f"{mechanism}-") for mechanism in plain)]


def is_base(name: str) -> bool:
    return BASE_MARK in name


def is_inline(name: str) -> bool:
    return INLINE_MARK in name


def binding_mark(name: str) -> str:
    """The mark of a strategy's binding; empty for a type parameter."""
    return next((mark for mark in (BASE_MARK, INLINE_MARK) if mark in name), "")


def bound_by_base(name: str) -> str:
    """The strategy with the abstract base instead of the inline base."""
    return name.replace(INLINE_MARK, BASE_MARK)


def is_winked(name: str) -> bool:
    return name.partition(MALLOC_MARK)[0].endswith(WINK_MARK)
