"""The plan of an experiment: the values of its axes at each scale, and the rules for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
SCALES = (QUICK, STANDARD, PAPER)
REPETITIONS = 3
STRATEGIES = "strategies"  # in a grid: its strategies, by default all
REPEATED = "repetitions"  # in a grid: its repetitions, if they are not the scale's


@dataclass(frozen=True)
class Rule:
    """A rule for two parameters: the first is at most the second, or divides it."""

    first: str
    second: str
    why: str = ""
    divides: bool = False
    message: str = ""  # the whole refusal, with {first} and {second}; by default it is made from `why`


@dataclass(frozen=True)
class Printed:
    """The rows of a printed table, by two of its parameters. One option chooses among them; two options make
    every combination.
    """

    axes: tuple[str, str]
    rows: tuple[tuple[int, int], ...]
    plural: str  # the name of the rows in the options of a run


@dataclass(frozen=True)
class Short:
    """The repetitions of cells that take little time: those with at most this value of a parameter."""

    axis: str
    most: int
    repetitions: int


@dataclass(frozen=True)
class Scale:
    """The values and limits of a scale. `grids` give values to the axes without a default. The first axis of
    a grid changes fastest.
    """

    time_limit: float  # seconds for one process
    repetitions: int = REPETITIONS
    grids: tuple[Mapping[str, tuple[Any, ...]], ...] = ({},)
    variants: bool = True  # true if all orders of reuse take part
    within_cores: bool = False  # true if there are no more threads than cores, unless an option says so
