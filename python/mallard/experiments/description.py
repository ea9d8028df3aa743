"""What an experiment is, as data: its parameters, what is measured, and how that is shown.

Its plan, its --help, its table in the terminal, its place in `peers` and `claims` and its section of the page
follow from here. A kind of sentence or of panel is a class below, and code once in `analysis` and `view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
SCALES = (QUICK, STANDARD, PAPER)
REPETITIONS = 3
CPU = "cpu_ns"
WALL = "wall_ns"

# What the option of an axis takes.
COUNT, COUNTS, RANGE, WORDS = "N", "LIST", "RANGE", "WORDS"
# What a parameter says of a cell.
PLACE = "place"  # which it is
AMOUNT = "amount"  # how much of it was measured
FOLLOWS = "follows"  # nothing: it follows from the others
BYTES = "bytes"


@dataclass(frozen=True)
class Axis:
    """A parameter of a cell, and the option by which it is chosen: `--least-bytes` of `least_bytes`.

    Its limits are the runner's. Without a default the scale has its values, or the runner chooses one.
    """

    name: str
    takes: str = ""  # empty: it has no option
    text: str = ""
    default: object = None  # a value; several of LIST; by scale where it is a mapping
    words: tuple[str, ...] = ()  # that are allowed; numbers have limits
    role: str = PLACE
    said: str = ""  # a value in words; `{count}` as a power, `{type}` of a data structure
    option: str = ""  # where it is not called as the parameter
    plural: str = ""  # under which the options of a run have its values

    @property
    def flag(self) -> str:
        return self.option or self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        return COUNTS if self.takes == WORDS else self.takes


@dataclass(frozen=True)
class Quantity:
    """What one figure of a cell is: a time, or an amount."""

    figure: str  # of the result row; empty: its time
    short: str  # a heading
    text: str
    unit: str = ""  # what a time is of; what an amount is in
    shown: str = BYTES  # of an amount: bytes, or a format
    least: float = 1.0  # of an amount: less is as good
    each: str = ""  # of an amount: told for each of this parameter
    large: int = 0  # of an amount: smaller places are left to chance
    sum_of: tuple[str, ...] = ()  # figures, of which the first and one more are needed


@dataclass(frozen=True)
class Rule:
    """Of two parameters: `least` is at most `most`, or the first divides the second."""

    first: str
    second: str
    why: str
    divides: bool = False


@dataclass(frozen=True)
class Scale:
    """`grids` give values to the axes that have no default."""

    time_limit: float  # seconds for one process
    repetitions: int = REPETITIONS
    grids: tuple[Mapping[str, tuple[object, ...]], ...] = ({},)
    variants: bool = True  # whether all orders of reuse take part


# ---- sentences ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fastest:
    """The fastest to do each of these, or that the base has not finished; `sizes`: over how many lines."""

    times: tuple[Quantity, ...]
    sizes: bool = False


@dataclass(frozen=True)
class Least:
    """The strategies that have the least of a quantity, at most over all lines, and the base."""

    quantity: Quantity
    text: str
    shown: str = BYTES


@dataclass(frozen=True)
class LeastAt:
    """The same in the line of one place."""

    quantity: Quantity
    place: int
    text: str
    shown: str


@dataclass(frozen=True)
class Bursts:
    """What a burst takes of the same allocator's time one by one."""

    times: tuple[Quantity, ...]


@dataclass(frozen=True)
class Pairs:
    """What one strategy takes of another's time: (strategy, its base)."""

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
    """What one amount is of another in the last line, percent, where the line is large enough to tell."""

    part: Quantity
    whole: Quantity
    text: str  # `{}`: the place


@dataclass(frozen=True)
class Floor:
    """What the floor takes of a time, and the fastest beside it."""

    time: Quantity
    text: str  # `{}`: the floor's name


@dataclass(frozen=True)
class PerPlace:
    """The strategy that has the least of an amount for each unit of the place, and the base."""

    quantity: Quantity
    text: str


Sentence = Fastest | Least | LeastAt | Bursts | Pairs | FromTo | Share | Floor | PerPlace


# ---- panels -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plot:
    """Lines of strategies over the places; `y` says what of."""

    quantity: Quantity
    y: str
    each: str = ""  # of an amount: divided by this parameter
    mebibytes: bool = False


@dataclass(frozen=True)
class Phases:
    """A table of strategies by places for each setting, with several times and amounts in a cell."""

    across: str  # what a column is, in words
    x: str  # what the plots are over
    times: tuple[Quantity, ...]
    amounts: tuple[Quantity, ...]
    sentences: tuple[Sentence, ...]
    drawn: tuple[str, ...]  # strategies that every plot has
    legend: str
    whole: str  # what is told in percent of the base's time: the row's own time
    relative: Quantity | None = None  # or this one
    plots: tuple[Plot, ...] = ()
    head: str = ""  # of a column; the name of the place, where it has no other
    unfinished: str = ""  # "the number of live blocks", in words
    logarithmic: bool = True
    over_time: Quantity | None = None  # has a figure for each tenth of the operations
    first: tuple[tuple[str, str], ...] = ()  # of several settings
    beside: str = ""  # the printed tables that stand below


@dataclass(frozen=True)
class Own:
    """A panel that no other experiment has: its views are modules of its name."""


@dataclass(frozen=True)
class Experiment:
    name: str
    text: str  # a line, beside the name
    operation: str  # what a time is of
    axes: tuple[Axis, ...]
    places: tuple[str, ...]  # parameters that number the lines of a table
    title: str  # in the page's navigation
    heading: str
    examples: tuple[tuple[str, str], ...] = ()  # words after `mallard bench NAME`, and a note
    panel: Phases | Own = Own()
    how: str = ""  # to read the section
    apart: tuple[str, ...] = ()  # parameters with a table for each value
    claimed: tuple[str, ...] = ()  # parameters of a place in claims; empty: none is made of it
    joined: tuple[str, ...] = ()  # further parameters that claims do not tell apart
    scales: Mapping[str, Scale] = field(default_factory=dict)  # empty: the plan is a module of its own
    rules: tuple[Rule, ...] = ()
    compared: tuple[Quantity, ...] = ()  # with other libraries, beside the time
    block: str = ""  # the parameter that is the bytes of a block
    only: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # strategy -> a parameter's one value
    with_base: bool = True  # whether AS1 is measured beside any selection
    clock: str = CPU  # the field of the result row

    @property
    def threads(self) -> bool:
        """Several threads work, so no core is chosen for the process."""
        return self.clock == WALL

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)

    def roles(self, *roles: str) -> set[str]:
        """The parameters that have one of these roles."""
        return {axis.name for axis in self.axes if axis.role in roles}
