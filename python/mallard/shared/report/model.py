"""A report as data. An analysis returns one; the writers show it in a terminal, as a page or as Markdown.

Cells hold values, not text: a Figure has a number and a unit, and figures.py words it for all media.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mallard.shared.stats import Ratio


class Unit(Enum):
    """Of a figure; each has its own text in figures.py."""

    MILLISECONDS = "ms"  # the value is in seconds
    BYTES = "bytes"
    COUNT = "count"
    RATIO = "ratio"
    FACTOR = "factor"  # with a multiplication sign


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
    """From one bound to the other; `ratio` may have none."""

    ratio: Ratio


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
class Table:
    """Rows as wide as `columns`. `caption` names the table where a medium asks for a name."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row) == len(self.columns), (row, self.columns)


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
