"""A report as data. An analysis returns one; the writers show it in a terminal, as a page or as Markdown.

Cells hold values, not text: a Figure has a number and a unit, and figures.py words it for all media.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Unit(Enum):
    """Of a figure; each has its own text in figures.py. Differences have a sign."""

    MILLISECONDS = "ms"  # the value is in seconds
    MILLISECONDS_MORE = "ms more"
    BYTES = "bytes"
    BYTES_MORE = "bytes more"
    KIBIBYTES = "KiB"  # the value is in bytes
    KIBIBYTES_MORE = "KiB more"
    COUNT = "count"
    COUNT_MORE = "count more"
    RATIO = "ratio"
    FACTOR = "factor"  # with a multiplication sign
    PERCENT = "%"  # the value is a share of 1
    PERCENT_MORE = "% more"


class Mood(Enum):
    """Of a word that is a verdict."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"


@dataclass(frozen=True)
class Figure:
    value: float
    unit: Unit


@dataclass(frozen=True)
class Interval:
    low: float
    high: float
    unit: Unit


@dataclass(frozen=True)
class Verdict:
    word: str
    mood: Mood


@dataclass(frozen=True)
class Code:
    """A command or a name of a program, which no medium changes."""

    text: str


Cell = str | Figure | Interval | Verdict | Code | None


@dataclass(frozen=True)
class Column:
    """`about` explains the title where there is room for it."""

    title: str
    about: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class Row:
    """The mood is that of all its cells."""

    cells: tuple[Cell, ...]
    mood: Mood | None = None


@dataclass(frozen=True)
class Table:
    """Rows as wide as `columns`. `caption` names the table where a medium asks for a name."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row.cells) == len(self.columns), (row, self.columns)


@dataclass(frozen=True)
class Paragraph:
    text: str
    mood: Mood | None = None


Block = Paragraph | Table


@dataclass(frozen=True)
class Section:
    """The title is a heading of pages and Markdown; `is_headed` shows it in the terminal, too."""

    title: str
    blocks: tuple[Block, ...]
    is_headed: bool = False


@dataclass(frozen=True)
class Report:
    """The answer comes first, notes last and small."""

    title: str  # of the page
    command: str  # that was typed
    answer: Paragraph
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
