"""The kinds of sentences about a table. The code of each kind is in `analysis/panel/`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from mallard.bench.experiments.description.quantity import BYTES, Quantity

# ---- about experiments in phases ----------------------------------------------------------------------


@dataclass(frozen=True)
class Fastest:
    """The fastest at each of these times, or the lack of the base. `sizes`: with their number."""

    times: tuple[Quantity, ...]
    sizes: bool = False


@dataclass(frozen=True)
class Least:
    """The strategies with the least of a quantity, as its maximum over all lines, and the base."""

    quantity: Quantity
    text: str
    shown: str = BYTES


@dataclass(frozen=True)
class LeastAt:
    """The strategies with the least of a quantity in the line of one place, and the base."""

    quantity: Quantity
    place: int
    text: str
    shown: str


@dataclass(frozen=True)
class Bursts:
    """The time of a burst relative to that of single calls of the allocator."""

    times: tuple[Quantity, ...]


@dataclass(frozen=True)
class Pairs:
    """The time of one strategy relative to another's: (strategy, its base)."""

    time: Quantity
    text: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FromTo:
    """A figure after the first and the last share of the operations, in the last line."""

    quantity: Quantity
    text: str


@dataclass(frozen=True)
class Share:
    """One amount in percent of another, in the last line, if that line is large enough to tell."""

    part: Quantity
    total: Quantity
    text: str  # `{}`: the place


@dataclass(frozen=True)
class OfNull:
    """The time of null next to it, and the fastest strategy."""

    time: Quantity
    text: str  # `{}`: its name


@dataclass(frozen=True)
class PerPlace:
    """The strategy with the least of an amount for each unit of the place, and the base."""

    quantity: Quantity
    text: str


Sentence = Fastest | Least | LeastAt | Bursts | Pairs | FromTo | Share | OfNull | PerPlace

# ---- about races --------------------------------------------------------------------------------------


class RaceTopic(Enum):
    FASTEST = auto()  # over all lines, and the lines in which that strategy is not faster than the base
    BY_THREADS = auto()  # with one thread and with as many as there are cores, and the cost of sharing
    GROWTH = auto()  # the time with the most threads relative to that with the fewest
    BEYOND_CORES = auto()  # a caution about threads that wait for a core
    MALLOCS = auto()  # the time of the base under other mallocs
    UNFINISHED = auto()  # the places where strategies did not finish
    FAULTS = auto()  # the strategies whose time is mostly that of page faults


# ---- about works --------------------------------------------------------------------------------------


class WorkTopic(Enum):
    FASTEST = auto()  # the strategy of each work, or the lack of the base
    MALLOCS = auto()  # the time of the base under other mallocs
    UNFINISHED = auto()  # the works that strategies did not finish


@dataclass(frozen=True)
class AgainstBook:
    """The gain of blocks of one size in each work that the book times, here and there."""

    text: str


@dataclass(frozen=True)
class BetterVersion:
    """The gain of the work's fastest version over the first one, without another allocator."""

    work: str
    first: str
    text: str  # the first version


@dataclass(frozen=True)
class AgainstMallocs:
    """The time of each of these strategies relative to the fastest malloc of each work, and the works in
    which that malloc is faster.
    """

    strategies: tuple[str, ...]


WorkSentence = WorkTopic | AgainstMallocs | AgainstBook | BetterVersion
