"""A report as data. An analysis returns one; the writers show it in a terminal, as a page or as Markdown.

Cells hold values, not text: a Figure has a number and a unit, and figures.py words it for all media.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


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
    FACTOR = auto()  # with a multiplication sign
    PERCENT = auto()  # the value is a share of 1
    PERCENT_MORE = auto()


class Mood(Enum):
    """Of a verdict, a row or a paragraph: its colour, and the class on a page."""

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


Cell = str | Figure | Interval | Verdict | None


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
    answer: Paragraph
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
