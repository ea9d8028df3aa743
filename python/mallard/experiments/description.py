"""The description of an experiment, as data: its parameters, its measurements, and their presentation.

The experiment's plan, --help, table in the terminal, place in `peers` and `claims`, and section of the page
follow from it. Each kind of sentence or panel is a class below, with code once in `analysis` and `view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
SCALES = (QUICK, STANDARD, PAPER)
REPETITIONS = 3
CPU = "cpu_ns"
WALL = "wall_ns"

# The kinds of an axis's option.
COUNT, COUNTS, RANGE, WORD, WORDS = "N", "LIST", "RANGE", "WORD", "WORDS"
# A parameter's part in a cell.
PLACE = "place"  # it is a part of the key
AMOUNT = "amount"  # the amount of work
FOLLOWS = "follows"  # none: it follows from the others
BYTES = "bytes"
THREADS = "threads"  # the axis of the number of threads
STRATEGIES = "strategies"  # in a grid: its strategies, by default all
REPEATED = "repetitions"  # in a grid: its repetitions, if they are not the scale's


@dataclass(frozen=True)
class Axis:
    """A parameter of a cell, and the option that sets it: `--least-bytes` for `least_bytes`.

    The runner gives its limits. Without a default, its values are the scale's, or the runner's choice.
    """

    name: str
    takes: str = ""  # empty: it has no option
    text: str = ""
    default: object = None  # a value; several for LIST; by scale if it is a mapping
    words: tuple[str, ...] = ()  # the allowed words; numbers have limits
    role: str = PLACE
    said: str = ""  # the text of a value: `{count}` as a power, `{type}` of a data structure
    option: str = ""  # if its name differs from the parameter's
    plural: str = ""  # the name of its values in the options of a run
    within: str = ""  # the axis that it divides; not all of its values have this one

    @property
    def flag(self) -> str:
        return self.option or self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        return COUNTS if self.takes == WORDS else self.takes


SMALL, HUGE, USUAL = "small", "huge", "usual"
# The pages that a process gets. Every experiment has this axis; its option is a common one.
PAGES = Axis("pages", words=(SMALL, HUGE, USUAL), said="{} pages")


@dataclass(frozen=True)
class Quantity:
    """The quantity of a figure: a time, or an amount."""

    figure: str  # the field of the result row; empty: its time
    short: str  # a heading
    text: str
    unit: str = ""  # of a time: its operation; of an amount: its unit
    shown: str = BYTES  # of an amount: bytes, or a format
    least: float = 1.0  # of an amount: a smaller one counts as this one
    each: str = ""  # of an amount: divided by this parameter
    large: int = 0  # of an amount: the smallest place that counts; below it, chance decides
    sum_of: tuple[str, ...] = ()  # figures to add; the first and one more must be there


@dataclass(frozen=True)
class Rule:
    """A rule for two parameters: the first is at most the second, or divides it."""

    first: str
    second: str
    why: str = ""
    divides: bool = False
    told: str = ""  # the whole refusal, with {first} and {second}; by default it is made from `why`


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


# ---- sentences ----------------------------------------------------------------------------------------


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
    whole: Quantity
    text: str  # `{}`: the place


@dataclass(frozen=True)
class OfNull:
    """The time of null beside it, and the fastest strategy."""

    time: Quantity
    text: str  # `{}`: its name


@dataclass(frozen=True)
class PerPlace:
    """The strategy with the least of an amount for each unit of the place, and the base."""

    quantity: Quantity
    text: str


Sentence = Fastest | Least | LeastAt | Bursts | Pairs | FromTo | Share | OfNull | PerPlace


# ---- panels -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plot:
    """Lines of strategies over the places. `y` names the quantity."""

    quantity: Quantity
    y: str
    each: str = ""  # of an amount: divided by this parameter
    mebibytes: bool = False


@dataclass(frozen=True)
class Phases:
    """A table of strategies by places for each setting, with several times and amounts in a cell."""

    across: str  # a column, as text
    x: str  # the x axis of the plots, as text
    times: tuple[Quantity, ...]
    amounts: tuple[Quantity, ...]
    sentences: tuple[Sentence, ...]
    drawn: tuple[str, ...]  # strategies that every plot has
    legend: str
    whole: str  # the row's own time, as text; it is in percent of the base's
    relative: Quantity | None = None  # the quantity in percent instead
    plots: tuple[Plot, ...] = ()
    head: str = ""  # of a column; by default the name of the place
    unfinished: str = ""  # "the number of live blocks", as text
    logarithmic: bool = True
    over_time: Quantity | None = None  # with a figure for each tenth of the operations
    first: tuple[tuple[str, str], ...] = ()  # the settings that come first, if there are several
    beside: str = ""  # the printed tables below


@dataclass(frozen=True)
class Own:
    """A panel of this experiment only. Its views are modules of its name."""


@dataclass(frozen=True)
class Experiment:
    name: str
    text: str  # a line beside the name
    operation: str  # the operation that a time is of
    axes: tuple[Axis, ...]
    places: tuple[str, ...]  # parameters that number the lines of a table
    title: str  # in the page's navigation
    heading: str
    examples: tuple[tuple[str, str], ...] = ()  # words after `mallard bench NAME`, and a note
    panel: Phases | Own = Own()
    how: str = ""  # the explanation of the section
    apart: tuple[str, ...] = ()  # parameters with a table for each value
    claimed: tuple[str, ...] = ()  # parameters of a place in claims; empty: none is made of it
    joined: tuple[str, ...] = ()  # further parameters that claims merge
    scales: Mapping[str, Scale] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    printed: Printed | None = None
    short: Short | None = None
    compared: tuple[Quantity, ...] = ()  # compared with other libraries, after the time
    block: str = ""  # the parameter with the bytes of a block, or their exponent of two
    only: Mapping[str, tuple[str, tuple[str, ...]]] = field(
        default_factory=dict
    )  # strategy -> (parameter, its only values)
    with_base: bool = True  # true if AS1 is measured with every selection
    clock: str = CPU  # the field of the result row

    def __post_init__(self) -> None:
        if PAGES not in self.axes:
            object.__setattr__(self, "axes", (*self.axes, PAGES))

    @property
    def threads(self) -> bool:
        """True if several threads work. The process is then not pinned to a core."""
        return self.clock == WALL

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)

    def roles(self, *roles: str) -> set[str]:
        """The parameters that have one of these roles."""
        return {axis.name for axis in self.axes if axis.role in roles}
