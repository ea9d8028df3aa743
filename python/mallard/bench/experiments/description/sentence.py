"""The kinds of sentences about an experiment in phases. The code of each kind is in `analysis/panel/`."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.bench.experiments.description.quantity import BYTES, Quantity


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
