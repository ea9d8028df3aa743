"""The works of Optimized C++, chapter 13: a line of cells for each work and version, in the book's order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.analysis.cells import CellTable, Line, Setting, cell_tables
from mallard.analysis.names import BASE, in_table_order
from mallard.analysis.phases import fastest_text
from mallard.analysis.ranking import mallocs_sentence, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import factor, nanoseconds
from mallard.papers.fixed_block import (
    AS_PRINTED,
    BLOCK,
    REMOVE_CTRL,
    STRATEGIES,
    TIMES,
    WORKS,
    fixed_block_tables,
)
from mallard.result import Row
from mallard.stats import Ratio

EXPERIMENT = "fixed-block"
OPERATIONS = {
    "new-delete": "a pair",
    "replace": "a replacement",
    "list": "a list",
    "map": "a map",
    REMOVE_CTRL: "a call",
}
# Versions of remove-ctrl, each an improvement of the one before. Unknown versions come last.
VERSIONS = (AS_PRINTED, "append", "reserve", "reference", "iterators", "blocks", "erase", "result")


@dataclass(frozen=True)
class Work:
    name: str
    version: str  # empty if there is one only
    setting: Setting
    line: Line

    @property
    def label(self) -> str:
        return f"{self.name}, {self.version}" if self.version else self.name

    @property
    def operation(self) -> str:
        return OPERATIONS.get(self.name, "an operation")

    def where(self, line: Line) -> str:
        return self.label

    @property
    def table(self) -> CellTable:
        return CellTable((), self.setting, [self.line])


@dataclass(frozen=True)
class BesideBook:
    """The time of blocks of one size relative to the default's, here and in the book."""

    work: Work
    strategy: str
    ours: Ratio | None
    printed: float


def fixed_block_works(rows: Iterable[Row]) -> dict[Setting, list[Work]]:
    """The works of each setting. The number of timed operations follows from the work, so it is no
    setting."""
    found: dict[Setting, list[Work]] = {}
    for (name, version), table in cell_tables(rows, EXPERIMENT, (), ("work", "version"), ("count",)):
        for line in table.lines:
            found.setdefault(table.setting, []).append(Work(name, version, table.setting, line))
    return {setting: sorted(works, key=_place) for setting, works in found.items()}


def strategies_of(works: Iterable[Work]) -> list[str]:
    return in_table_order({name for work in works for name in work.line.cells})


def beside_book(works: Iterable[Work]) -> list[BesideBook]:
    """The comparison for each work that the book times, in the version that it prints."""
    printed = fixed_block_tables()[TIMES]
    found = []
    for work in works:
        if work.name not in WORKS or work.version not in ("", AS_PRINTED):
            continue
        percent = printed.percent_of_base((WORKS.index(work.name),), BLOCK)
        strategy = STRATEGIES[work.name]
        cell = work.line.cells.get(strategy)
        if percent is not None:
            found.append(BesideBook(work, strategy, cell.ratio if cell else None, percent / 100.0))
    return found


def fixed_block_sentences(works: Sequence[Work]) -> list[str]:
    said = []
    for work in works:
        text = fastest_text(work.table, work.operation)
        said.append(
            f"{work.label}: {text}." if text else f"{work.label}: no verdict, {BASE} has not finished."
        )
    return [
        *said,
        *_beside(works),
        *_better_version(works),
        *mallocs_sentence(under_mallocs([work.table for work in works])),
        *(
            sentence
            for work in works
            for sentence in unfinished_sentences(work.table, "the work", work.where)
        ),
    ]


def _beside(works: Sequence[Work]) -> list[str]:
    told = [
        f"{each.work.name} {factor(1.0 / each.ours.median)} ({factor(1.0 / each.printed)})"
        for each in beside_book(works)
        if each.ours
    ]
    return [f"Default / blocks of one size, here (and in the book): {', '.join(told)}."] if told else []


def _better_version(works: Sequence[Work]) -> list[str]:
    """The gain of a better algorithm without an allocator of one's own: the book's point."""
    versions = [work for work in works if work.name == REMOVE_CTRL and work.line.finished(BASE)]
    printed = next((work for work in versions if work.version == AS_PRINTED), None)
    if printed is None or len(versions) < 2:
        return []
    best = min(versions, key=lambda work: work.line.cells[BASE].ns_per_operation)
    if best is printed:
        return []
    times = [work.line.cells[BASE].ns_per_operation for work in (printed, best)]
    return [
        (
            f"remove-ctrl as printed takes {nanoseconds(times[0])} ns with {BASE}, {best.version} "
            f"{nanoseconds(times[1])} ns: {factor(times[0] / times[1])} times as fast."
        )
    ]


def _place(work: Work) -> tuple[int, int]:
    return _index(WORKS, work.name), _index(VERSIONS, work.version)


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)
