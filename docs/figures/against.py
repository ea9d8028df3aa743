"""What carries the means of `mallard bench --against`, from the table that contenders.md has of it.

The rows of that table are not stored: its printed percents are all that is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

from figures.stored import DOCS
from mallard.advisor.profile.formats import plural
from mallard.bench.analysis.against import HEAVY, PARTS, PRIVATE, PROGRAMS

PAGE = DOCS / "benchmark" / "contenders.md"
HEADING = "% of glibc's time"
PERCENT = re.compile(r"(?<= )\d+(?= |$)")


@dataclass(frozen=True)
class Printed:
    """A cell of the table, in percent of glibc's time."""

    part: str
    cell: str
    rival: int
    ours: int


def blocks() -> dict[str, Callable[[], str]]:
    return {"against_parts": lambda: parts(list(printed(PAGE.read_text(encoding="utf-8"))))}


def printed(page: str) -> Iterator[Printed]:
    """A figure belongs to the column whose heading ends where it ends."""
    lines = page[page.index(HEADING) :].splitlines()
    indent = " " * (page.index(HEADING) - page.rindex("\n", 0, page.index(HEADING)) - 1)
    heads = [(word.end(), word[0]) for word in re.finditer(r"\S+", indent + lines[0])][-5:]
    part, headings = "", {part.heading for part in PARTS}
    for line in lines[1:]:
        text = line.strip()
        if text in headings:
            part = text
            continue
        if not text:
            return
        # The first number of a line may belong to its words.
        ends = dict(heads)
        values = {word.end(): int(word[0]) for word in PERCENT.finditer(line) if word.end() in ends}
        rival, *others = (values.get(end) for end, _ in heads)
        ours = (
            others[0] if others[0] is not None else others[2]
        )  # the strategy for everything, or for threads
        assert rival is not None
        assert ours is not None
        yield Printed(part, line[: heads[0][0] - len(heads[0][1])].strip(), rival, ours)


def parts(cells: list[Printed]) -> str:
    """The means of the cells that explain the programs, of those without the cells that carry them, and of
    each part.
    """
    cells = [cell for cell in cells if cell.part != PROGRAMS.heading]
    heavy = [cell for cell in cells if cell.rival >= 100 * HEAVY]
    others = [cell for cell in cells if cell not in heavy]
    texts = [
        f"{part} ({plural(len(own), 'cell')}) {_means(own)}"
        for part in dict.fromkeys(cell.part for cell in cells)
        if (own := [cell for cell in cells if cell.part == part])
    ]
    carrying = "; ".join(f"{cell.cell}: {cell.rival}" for cell in heavy)
    return (
        f"{len(heavy)} of the {len(cells)} cells carry the average: {carrying}. mimalloc 3 and `{PRIVATE}` "
        f"stand at {_means(cells)} % over all cells, and at {_means(others)} % without these. By part: "
        f"{'; '.join(texts)}."
    )


def _means(cells: list[Printed]) -> str:
    return f"{fmean(cell.rival for cell in cells):.1f} : {fmean(cell.ours for cell in cells):.1f}"
