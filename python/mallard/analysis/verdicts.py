"""What to use and by how much: the best strategy of a row, and one verdict for each data structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.analysis.averages import mean_over_rows
from mallard.analysis.cells import Cell, CellTable, Line, StructureTable
from mallard.analysis.names import BASE, KEEP, contestants
from mallard.papers.catalogue import strategies, strategy_text
from mallard.stats import Ratio, paired_ratio


@dataclass(frozen=True)
class Best:
    """The fastest of a row, and those whose difference from it lies inside the interval."""

    strategy: str
    ratio: Ratio | None  # to AS1
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
    """By the figure that is shown: the ratio to AS1, and the time only where there is none."""
    return (True, cell.ns_per_operation) if cell.ratio is None else (False, cell.ratio.median)


def pick_of(line: Line) -> str | None:
    """What to use in a row: AS1 unless another is faster beyond its interval."""
    best = best_of(line)
    if best is None or best.ratio is None or best.ratio.verdict == "faster":
        return best.strategy if best else None
    return BASE


@dataclass(frozen=True)
class Choice:
    strategy: str
    ratio: Ratio  # mean over the rows of the structure, to AS1


@dataclass(frozen=True)
class Verdict:
    """For one data structure, over all its sizes. No ratio to AS1, no verdict: then `best` is None."""

    structure: str
    type: str
    sizes: tuple[int, ...]
    best: Choice | None
    equals: tuple[str, ...]  # not told apart from the best
    reusing: Choice | None  # the best of those that give freed blocks out again, where the best one does not
    keep: Ratio | None  # what switching the platform's page return off does to AS1
    unfinished: tuple[str, ...]  # left out of the comparison: some row of theirs has no figure

    @property
    def worth_it(self) -> bool:
        return self.best is not None and self.best.strategy != BASE and self.best.ratio.verdict == "faster"


def verdict_of(table: StructureTable) -> Verdict:
    sizes = tuple(line.size_log2 for line in table.lines)
    names = contestants(table.strategies)
    complete = [name for name in names if all(line.finished(name) for line in table.lines)]
    unfinished = tuple(name for name in names if name not in complete)
    means = {name: mean for name in complete if (mean := mean_over_rows([table], name)) is not None}
    if BASE not in complete or not means:
        return Verdict(table.structure, table.type, sizes, None, (), None, None, unfinished)
    ranked = sorted(means, key=lambda name: means[name].median)
    best = ranked[0]
    equals = not_told_apart([table], ranked[1:], best)
    reusing = next((name for name in ranked if _reuses(name)), None)
    return Verdict(
        table.structure,
        table.type,
        sizes,
        Choice(best, means[best]),
        equals,
        Choice(reusing, means[reusing]) if reusing and not _reuses(best) else None,
        mean_over_rows([table], KEEP),
        unfinished,
    )


def not_told_apart(tables: Sequence[CellTable], names: Iterable[str], best: str) -> tuple[str, ...]:
    """Those whose mean ratio to the best has 1 in its interval."""
    ratios = {name: mean_over_rows(tables, name, best) for name in names}
    return tuple(name for name, ratio in ratios.items() if ratio and ratio.verdict == "no difference")


def _reuses(name: str) -> bool:
    """A multipool gives freed blocks out again; a monotonic allocator only grows until it is released."""
    return name in strategies() and strategies()[name].allocator.startswith("multipool")


def sentence(verdict: Verdict) -> str:
    """The one sentence that says what to use and by how much."""
    if verdict.best is None:
        return f"{verdict.type}: no verdict, {BASE} has not finished in every row."
    if not verdict.worth_it:
        text = f"{verdict.type}: keep {BASE}; no strategy is faster beyond its interval."
        closest = verdict.best
        if closest.strategy == BASE:
            return text
        return f"{text} {closest.strategy} comes closest: {_percent(closest.ratio)} of {BASE}'s time."
    best, ratio = verdict.best.strategy, verdict.best.ratio
    parts = [
        (
            f"{verdict.type}: use {best} ({strategy_text(best)}): {_percent(ratio)} of {BASE}'s time, "
            f"{1.0 / ratio.median:.1f} times as fast."
        )
    ]
    if verdict.equals:
        parts.append(f"No difference from it: {', '.join(verdict.equals)}.")
    if verdict.reusing:
        other = verdict.reusing
        parts.append(f"Where freed blocks must be used again: {other.strategy}, {_percent(other.ratio)}.")
    if verdict.keep is not None and verdict.keep.verdict == "faster":
        more = "does more: it" if verdict.keep.high < ratio.low else "alone"
        parts.append(f"Switching page return off {more} brings {BASE} to {_percent(verdict.keep)}.")
    return " ".join(parts)


def _percent(ratio: Ratio) -> str:
    if not ratio.bounded:
        return f"{100 * ratio.median:.0f} % (one repetition: no interval)"
    return f"{100 * ratio.median:.0f} % ({100 * ratio.low:.0f} to {100 * ratio.high:.0f})"
