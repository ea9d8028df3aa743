"""The documents' figures of the programs: a line for each strategy, a column for each program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures.stored import conditions, load, markdown_table, nanoseconds
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.phases import bytes_text, median_figure
from mallard.bench.analysis.panel.works import (
    Work,
    group_works,
    mean_over_works,
    work_sentences,
    work_strategies,
)
from mallard.bench.analysis.words import percent
from mallard.bench.cells import Cell
from mallard.bench.experiments.programs import HELD, NAME, SIZES
from mallard.shared.stats import spread


def blocks() -> dict[str, Callable[[], str]]:
    texts: dict[str, Callable[[], str]] = {"programs_conditions": lambda: conditions(NAME)}
    for size in SIZES:
        texts[f"programs_{size}"] = lambda size=size: _times(_works(size))  # type: ignore[misc]
        texts[f"programs_{size}_mallocs"] = lambda size=size: _sentences(_works(size))  # type: ignore[misc]
    texts["programs_memory"] = lambda: _memory(_works(SIZES[-1]))
    return texts


def _works(size: str) -> Sequence[Work]:
    by_setting = group_works(NAME, load(NAME).rows)
    return next(works for setting, works in by_setting.items() if dict(setting)["size"] == size)


def _times(works: Sequence[Work]) -> str:
    lines = []
    for name in work_strategies(works):
        mean = mean_over_works(works, name) if name != BASE else None
        times = [_time(work.line.cells.get(name)) for work in works]
        lines.append([name, *times, f"**{percent(mean.median)}**" if mean else ""])
    return markdown_table(["% of new-delete", *(work.label for work in works), "mean"], lines)


def _time(cell: Cell | None) -> str:
    """Percent of new-delete's time; nanoseconds of new-delete itself."""
    if cell is None or not cell.finished:
        return ""
    if cell.strategy == BASE:
        return f"{nanoseconds(spread(list(cell.times.values())))} ns"
    return percent(cell.ratio.median) if cell.ratio else ""


def _memory(works: Sequence[Work]) -> str:
    lines = [[name, *(_bytes(work, name, HELD.figure) for work in works)] for name in work_strategies(works)]
    return markdown_table(["held at the peak", *(work.label for work in works)], lines)


def _bytes(work: Work, name: str, figure: str) -> str:
    value = median_figure(work.line, name, figure) if work.line.finished(name) else None
    return "" if value is None else bytes_text(value)


def _sentences(works: Sequence[Work]) -> str:
    return "\n".join(f"- {sentence}" for sentence in work_sentences(NAME, works))
