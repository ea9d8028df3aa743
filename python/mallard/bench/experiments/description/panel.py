"""The pictures, tables and sentences of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.sentence import Sentence


@dataclass(frozen=True)
class Plot:
    """Lines of strategies over the places. `y` names the quantity."""

    quantity: Quantity
    y: str
    per: str = ""  # of an amount: divided by this parameter
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
    total: str  # the row's own time, as text; it is in percent of the base's
    relative: Quantity | None = None  # the quantity in percent instead
    plots: tuple[Plot, ...] = ()
    head: str = ""  # of a column; by default the name of the place
    unfinished: str = ""  # "the number of live blocks", as text
    logarithmic: bool = True
    over_time: Quantity | None = None  # with a figure for each tenth of the operations
    first: tuple[tuple[str, str], ...] = ()  # the settings that come first, if there are several


@dataclass(frozen=True)
class Wording:
    """The words of a race for its figures."""

    operation: str  # a leaf, a pair
    operations: str  # leaves, pairs
    description: str  # a leaf element, made and destroyed
    clock: str = "CPU"
    memory: str = "peak memory"
    memory_text: str = "Peak resident memory of the process"


@dataclass(frozen=True)
class Most:
    """Below the maps: the most of a figure over all lines, strategy by strategy; or of its ratio to another
    one, from lines of several threads.
    """

    figure: str
    text: str
    in_bytes: bool = False
    base: str = ""


@dataclass(frozen=True)
class Race:
    """Strategies against the base: a table for each setting, with a line for each place."""

    wording: Wording
    maps: int  # the first places; they have a map each on the page
    title: str  # of a map, with {} for each of these places
    row_text: str  # the other places, as text: "number of threads"
    below: tuple[Most, ...]
    legend: str
    memory: str = ""  # the figure of a cell's memory; by default the peak of its process
    plotted: str = ""  # the x axis of plots over the last place; empty: there are none
    figures: tuple[Quantity, ...] = ()  # further ones of a cell
    remarks: Mapping[tuple[str, object], str] = field(default_factory=dict)  # on a setting no paper has


@dataclass(frozen=True)
class Works:
    """A table of strategies by works. Of the parameters `apart`, the first names the work, the second its
    version.
    """

    operations: Mapping[str, str]  # of a time, by work: "a pair"
    text: str  # about the times
    relative: str  # about the times in percent
    legend: str
    amounts: tuple[Quantity, ...] = ()
    # Of works that are alike, so that a mean over them says something: the strategies to compare with the
    # fastest malloc of each work.
    compared: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spreads:
    """A table of strategies by the words of one axis, with the median, the lowest and the highest time."""

    columns: Mapping[str, str]  # the headings on the page; a word without one is its own
    text: str


@dataclass(frozen=True)
class Own:
    """A panel of this experiment only: a function of analysis/panels.py makes it."""


Panel = Phases | Race | Works | Spreads | Own
