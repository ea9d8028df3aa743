"""A report as data. An analysis returns one; the writers show it in a terminal, as a page or as Markdown.

Cells hold values, not text: a Figure has a number and a unit, and figures.py words it for all media.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum, auto
from typing import Any

from mallard.shared.report.names import fitted
from mallard.shared.report.picture import Chart, HeatMap
from mallard.shared.stats import Difference, Ratio


class Unit(Enum):
    """Of a figure; each has its own text in figures.py. Differences have a sign."""

    MILLISECONDS = auto()  # the value is in seconds
    MILLISECONDS_MORE = auto()
    BYTES = auto()
    BYTES_MORE = auto()
    KIBIBYTES = auto()  # the value is in bytes
    KIBIBYTES_MORE = auto()
    COUNT = auto()
    COUNT_MORE = auto()
    RATIO = auto()
    TIMES_RATIO = auto()  # a small one has three decimals
    FACTOR = auto()  # with a multiplication sign
    PERCENT = auto()  # the value is a share of 1
    PERCENT_MORE = auto()
    HUNDREDTHS = auto()  # the same, below a title with the sign
    SHARE = auto()  # the value is a share of 1, of which nothing is rounded to 0 or to 100 %
    SECONDS = auto()
    NUMBER = auto()  # in three digits
    POINTS_MORE = auto()  # the value is in percent
    RELATIVE = auto()  # to a base, in percent without its sign
    RELATIVE_MEAN = auto()  # of many figures, with one more digit
    NANOSECONDS = auto()


class Mood(Enum):
    """Of a verdict, a row or a paragraph: its colour, and the class on a page."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    PLAIN = "plain"


@dataclass(frozen=True)
class Figure:
    """`part` is the value's share of a whole. Of an upper bound the measured value is at most the figure. A
    figure that `is_equal` does not differ from its base beyond the interval.
    """

    value: float | None
    unit: Unit
    part: float | None = None
    is_bound: bool = False
    mood: Mood | None = None
    is_equal: bool = False


@dataclass(frozen=True)
class Interval:
    low: float
    high: float
    unit: Unit


@dataclass(frozen=True)
class Verdict:
    """The note says why, or what to do."""

    word: str
    mood: Mood
    note: str = ""


@dataclass(frozen=True)
class Meter:
    """A share of 1, drawn as a bar; None is unknown. Pages draw the interval and the mark of a large one."""

    value: float | None
    width: int = 8  # columns of a terminal
    interval: tuple[float, float] | None = None
    mark: float | None = None
    is_large: bool = False


@dataclass(frozen=True)
class Meters:
    """Shares of 1 by letter and name, drawn side by side."""

    items: tuple[tuple[str, str, float | None], ...]


@dataclass(frozen=True)
class Name:
    """A function, class or line of code, which each medium fits to its width."""

    short: str
    wide: str = ""  # with template arguments, where there is room
    full: str = ""
    source: str = ""  # file:line

    def within(self, width: int) -> str:
        wide = self.wide or self.short
        return wide if len(wide) <= width else fitted(self.short, width)


@dataclass(frozen=True)
class Ranking:
    """Names with a text each, the largest first."""

    items: tuple[tuple[Name, str], ...]


@dataclass(frozen=True)
class Stack:
    """The levels of calls, the innermost first."""

    levels: tuple[Name, ...]
    about: str = ""  # words below the stack


@dataclass(frozen=True)
class Change:
    before: float
    after: float
    unit: Unit


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, and printed values to draw next to it: (value, whose)."""

    value: Ratio | Difference
    unit: Unit
    marks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Term:
    """A name and its description, which leads to another place of a page."""

    name: str
    about: str = ""
    anchor: str = ""


Measure = Figure | Interval | Change | Estimate
Cell = str | Measure | Verdict | Meter | Meters | Name | Term | Ranking | Stack | None


@dataclass(frozen=True)
class Column:
    """`about` explains the title where there is room for it, `group` joins it to its neighbours. A detail is
    left out of short lists, and what `is_extra` of a narrow terminal. A page draws estimates if one end is
    better.
    """

    title: str
    about: str = ""
    numeric: bool = True
    group: str = ""
    is_detail: bool = False
    unit: Unit | None = None  # of its numbers
    less_is_better: bool | None = None
    is_extra: bool = False


@dataclass(frozen=True)
class Row:
    """The mood is that of all its cells. A note is a line below them; a page unfolds the details."""

    cells: tuple[Cell, ...]
    mood: Mood | None = None
    note: str = ""
    details: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows as wide as `columns`. `caption` names the table where a medium asks for a name.

    A page has all rows, other media `most` of them. `unlisted` rows were left out before; `noun` is a row,
    and `remedy` shows the others. A page selects rows by words, and by the texts in the columns of `filters`.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    most: int | None = None
    unlisted: int = 0
    noun: str = "further row"
    remedy: str = "--all"
    filters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row.cells) == len(self.columns), (row, self.columns)


@dataclass(frozen=True)
class Paragraph:
    text: str
    mood: Mood | None = None


@dataclass(frozen=True)
class Points:
    """Sentences, one below the other."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """A label, a value and words behind it."""

    label: str
    value: Cell
    text: str = ""
    mood: Mood | None = None


@dataclass(frozen=True)
class Facts:
    """A page draws large ones as tiles."""

    facts: tuple[Fact, ...]
    is_large: bool = False


@dataclass(frozen=True)
class Aside:
    """Blocks that only a page has room for."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Call:
    """A node of a flame graph. Parents precede their children; the first node is the root."""

    parent: int
    name: Name | None
    allocations: int
    bytes: int
    contained: int
    operations: int
    peak: int = 0  # bytes that are live when the process holds the most
    alive: int = 0  # bytes that are live at the end


@dataclass(frozen=True)
class Flame:
    """Calls, drawn on pages as wide as one of `modes`: field, title and meaning. The first that is not zero
    is shown. `shares` colour the calls, from 0 to 1."""

    calls: tuple[Call, ...]
    modes: tuple[tuple[str, str, str], ...]
    shares: tuple[float, ...]
    meaning: str  # of the colours; empty if they have none
    none: str  # the meaning of a share of 0
    omitted: int = 0


@dataclass(frozen=True)
class Timeline:
    """Bytes over time, drawn on pages: the first series as an area, the others as lines."""

    title: str
    seconds: tuple[float, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Histogram:
    """Shares of two wholes by powers of two: bins have the power, in units of `scale`, and both shares."""

    title: str
    unit: Unit
    scale: float
    bins: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True)
class Histograms:
    """Drawn on pages side by side. `keys` name the wholes."""

    keys: tuple[str, str]
    charts: tuple[Histogram, ...]


@dataclass(frozen=True)
class Duck:
    """DVLUC, whose parts are the dimensions, drawn on pages: the darker, the nearer to 1."""

    dimensions: Meters


@dataclass(frozen=True)
class Code:
    """Lines to paste."""

    text: str
    language: str = "cpp"


Picture = Flame | Timeline | Histograms | Duck | Chart
Visible = Paragraph | Points | Facts | Table | HeatMap | Code  # in media without pictures
Block = Visible | Aside | Picture


@dataclass(frozen=True)
class Section:
    """The title is a heading of pages and Markdown; `is_headed` shows it in the terminal, too. `about` stands
    behind or below. A page begins with the answer; a long report in a terminal ends with those of its
    sections."""

    title: str
    blocks: tuple[Block, ...]
    is_headed: bool = False
    about: str = ""
    answer: tuple[Block, ...] = ()
    anchor: str = ""  # of a page
    is_inner: bool = False  # below the section in front of it
    is_folded: bool = False  # on a page


@dataclass(frozen=True)
class Report:
    """The answer comes first, behind the subject and its conditions; notes come last and small. Of a brief
    report, a terminal shows the answer, the sections of facts or code, the first rows of tables in headed
    sections, and the notes before the code.
    """

    title: str  # of the page
    answer: Paragraph
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    subject: str = ""  # the command of a measured program
    conditions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # of the figures
    is_brief: bool = False


def parent_of(calls: Sequence[Call], at: int) -> int:
    parent = calls[at].parent
    return parent if 0 <= parent < at else 0


def nested(calls: Sequence[Call], values: Sequence[int]) -> list[int]:
    """The value of each call, at least the sum of its children's."""
    own = [*values]
    below = [0] * len(calls)
    for at in reversed(range(len(calls))):
        own[at] = max(own[at], below[at])
        below[parent_of(calls, at)] += own[at]
    return own


def visible_blocks(blocks: Iterable[Block]) -> list[Visible]:
    return [block for block in blocks if isinstance(block, Visible)]


def text_columns(*titles: str) -> tuple[Column, ...]:
    return tuple(Column(title, numeric=False) for title in titles)


def row_from(
    columns: Sequence[Column], *cells: Cell | float, note: str = "", details: tuple[Block, ...] = ()
) -> Row:
    """A row whose numbers are figures in the units of their columns, where None is unknown."""
    figures = (
        Figure(cell, column.unit) if column.unit and (cell is None or isinstance(cell, int | float)) else cell
        for cell, column in zip(cells, columns, strict=True)
    )
    return Row(
        tuple(cell for cell in figures if not isinstance(cell, int | float)), note=note, details=details
    )


def report_json(report: Report) -> str:
    """Units and moods are words; an interval that one repetition does not give has null."""
    fields = _finite(asdict(report))
    del fields["is_brief"]  # for terminals
    return json.dumps({"format": 1, **fields}, indent=1, default=lambda word: word.name.lower())


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
