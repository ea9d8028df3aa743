"""The verdicts: the best strategy of a row, and the one to use for each data structure, with its gain."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.bench.analysis.averages import mean_over_rows
from mallard.bench.analysis.cell_tables import Line, StructureTable
from mallard.bench.analysis.names import BASE, contestants, plain
from mallard.bench.analysis.ranking import Choice, mallocs_sentence, rank_table, under_mallocs
from mallard.bench.analysis.words import percent_text
from mallard.bench.cells import Cell
from mallard.bench.library import HEAPS, KEEP
from mallard.bench.papers.catalogue import strategies, strategy_text
from mallard.shared.stats import Ratio, paired_ratio


@dataclass(frozen=True)
class Best:
    """The fastest of a row, and the strategies whose difference from it lies inside the interval."""

    strategy: str
    ratio: Ratio | None  # to new-delete
    equals: tuple[str, ...]


def find_best(line: Line) -> Best | None:
    """The best of a row; None if none of a program's choices has finished."""
    names = [name for name in contestants(line.cells) if line.finished(name)]
    if not names:
        return None
    best = min(names, key=lambda name: _rank(line.cells[name]))
    pairings = {name: line.paired(name, best) for name in names if name != best}
    equals = [
        name
        for name, pairing in pairings.items()
        if pairing and paired_ratio(*pairing).verdict == "no difference"
    ]
    return Best(best, line.cells[best].ratio, tuple(equals))


def _rank(cell: Cell) -> tuple[bool, float]:
    """The sorting key: the ratio to new-delete, or the time without a ratio."""
    return (True, cell.ns_per_operation) if cell.ratio is None else (False, cell.ratio.median)


def pick_strategy(line: Line) -> str | None:
    """The strategy to use in a row: new-delete, unless another is faster beyond its interval."""
    best = find_best(line)
    if best is None or best.ratio is None or best.ratio.verdict == "faster":
        return best.strategy if best else None
    return BASE


@dataclass(frozen=True)
class Verdict:
    """The verdict on a data structure, over all its sizes. `best` is None without a ratio to new-delete."""

    structure: str
    type: str
    sizes: tuple[int, ...]
    best: Choice | None
    equals: tuple[str, ...]  # no difference from the best
    reusing: Choice | None  # the best that reuses freed blocks, if the best one does not
    keep: Ratio | None  # the effect of switching the platform's page return off, for new-delete
    unfinished: tuple[str, ...]  # excluded, because a row has no figure

    mallocs: tuple[Choice, ...] = ()  # new-delete under other mallocs of the whole process

    @property
    def worth_it(self) -> bool:
        return self.best is not None and self.best.strategy != BASE and self.best.ratio.verdict == "faster"


def judge_structure(table: StructureTable) -> Verdict:
    sizes = tuple(line.size_log2 for line in table.lines)
    ranking = rank_table(table)
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
    """True if freed blocks are reused, as by a multipool and a heap. A monotonic allocator only grows until
    it is released."""
    known = strategies().get(plain(name))
    return name in HEAPS or (known is not None and known.allocator.startswith("multipool"))


def in_brief(verdict: Verdict) -> str:
    """The strategy to use, and its speedup."""
    if verdict.best is None:
        return f"no verdict: {BASE} has not finished in every row"
    if not verdict.worth_it:
        return f"keep {BASE}"
    malloc = min(verdict.mallocs, key=lambda choice: choice.ratio.median, default=None)
    rival = f"; {malloc.strategy}: {_times_as_fast(malloc.ratio)}" if malloc else ""
    return f"use {verdict.best.strategy}: {_times_as_fast(verdict.best.ratio)} as fast as {BASE}{rival}"


def _times_as_fast(ratio: Ratio) -> str:
    return f"{1.0 / ratio.median:.1f} times"


def sentence(verdict: Verdict) -> str:
    """The sentence that names the strategy to use, and its gain."""
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
        reusing = verdict.reusing
        parts.append(
            f"If freed blocks must be used again: {reusing.strategy}, {percent_text(reusing.ratio)}."
        )
    if verdict.keep is not None and verdict.keep.verdict == "faster":
        more = "does more: it" if verdict.keep.high < ratio.low else "alone"
        parts.append(f"Switching page return off {more} brings {BASE} to {percent_text(verdict.keep)}.")
    return " ".join([*parts, *mallocs_sentence(verdict.mallocs)])
