"""What to use and by how much: the best strategy of a row, and one verdict for each data structure."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.analysis.averages import mean_over_rows
from mallard.analysis.cells import Line, StructureTable
from mallard.analysis.names import BASE, contestants, plain
from mallard.analysis.ranking import Choice, mallocs_sentence, ranking_of, under_mallocs
from mallard.analysis.words import percent_text
from mallard.cells import Cell
from mallard.library import HEAPS, KEEP
from mallard.papers.catalogue import strategies, strategy_text
from mallard.stats import Ratio, paired_ratio


@dataclass(frozen=True)
class Best:
    """The fastest of a row, and those whose difference from it lies inside the interval."""

    strategy: str
    ratio: Ratio | None  # to new-delete
    equals: tuple[str, ...]


def best_of(line: Line) -> Best | None:
    """None where nothing that a program could choose has finished."""
    names = [name for name in contestants(line.cells) if line.finished(name)]
    if not names:
        return None
    best = min(names, key=lambda name: _rank(line.cells[name]))
    pairings = {name: line.paired(name, best) for name in names if name != best}
    equals = [
        name for name, both in pairings.items() if both and paired_ratio(*both).verdict == "no difference"
    ]
    return Best(best, line.cells[best].ratio, tuple(equals))


def _rank(cell: Cell) -> tuple[bool, float]:
    """By the figure that is shown: the ratio to new-delete, and the time only where there is none."""
    return (True, cell.ns_per_operation) if cell.ratio is None else (False, cell.ratio.median)


def pick_of(line: Line) -> str | None:
    """What to use in a row: new-delete unless another is faster beyond its interval."""
    best = best_of(line)
    if best is None or best.ratio is None or best.ratio.verdict == "faster":
        return best.strategy if best else None
    return BASE


@dataclass(frozen=True)
class Verdict:
    """For one data structure, over all its sizes. No ratio to new-delete, no verdict: then `best` is None."""

    structure: str
    type: str
    sizes: tuple[int, ...]
    best: Choice | None
    equals: tuple[str, ...]  # not told apart from the best
    reusing: Choice | None  # the best of those that give freed blocks out again, where the best one does not
    keep: Ratio | None  # what switching the platform's page return off does to new-delete
    unfinished: tuple[str, ...]  # left out of the comparison: some row of theirs has no figure

    mallocs: tuple[Choice, ...] = ()  # new-delete under other mallocs of the whole process

    @property
    def worth_it(self) -> bool:
        return self.best is not None and self.best.strategy != BASE and self.best.ratio.verdict == "faster"


def verdict_of(table: StructureTable) -> Verdict:
    sizes = tuple(line.size_log2 for line in table.lines)
    ranking = ranking_of(table)
    best = ranking.best
    if best is None:
        return Verdict(table.structure, table.type, sizes, None, (), None, None, ranking.unfinished)
    reusing = next((choice for choice in ranking.choices if _reuses(choice.strategy)), None)
    return Verdict(
        table.structure,
        table.type,
        sizes,
        best,
        ranking.equals,
        None if _reuses(best.strategy) else reusing,
        mean_over_rows([table], KEEP),
        ranking.unfinished,
        under_mallocs([table]),
    )


def _reuses(name: str) -> bool:
    """A multipool and a heap give freed blocks out again; a monotonic allocator only grows until it is
    released."""
    known = strategies().get(plain(name))
    return name in HEAPS or (known is not None and known.allocator.startswith("multipool"))


def sentence(verdict: Verdict) -> str:
    """The one sentence that says what to use and by how much."""
    if verdict.best is None:
        return f"{verdict.type}: no verdict, {BASE} has not finished in every row."
    if not verdict.worth_it:
        text = f"{verdict.type}: keep {BASE}; no strategy is faster beyond its interval."
        closest = verdict.best
        comes = f"{closest.strategy} comes closest: {percent_text(closest.ratio)} of {BASE}'s time."
        near = [comes] if closest.strategy != BASE else []
        return " ".join([text, *near, *mallocs_sentence(verdict.mallocs)])
    best, ratio = verdict.best.strategy, verdict.best.ratio
    parts = [
        (
            f"{verdict.type}: use {best} ({strategy_text(best)}): {percent_text(ratio)} of {BASE}'s time, "
            f"{1.0 / ratio.median:.1f} times as fast."
        )
    ]
    if verdict.equals:
        parts.append(f"No difference from it: {', '.join(verdict.equals)}.")
    if verdict.reusing:
        other = verdict.reusing
        parts.append(f"Where freed blocks must be used again: {other.strategy}, {percent_text(other.ratio)}.")
    if verdict.keep is not None and verdict.keep.verdict == "faster":
        more = "does more: it" if verdict.keep.high < ratio.low else "alone"
        parts.append(f"Switching page return off {more} brings {BASE} to {percent_text(verdict.keep)}.")
    return " ".join([*parts, *mallocs_sentence(verdict.mallocs)])
