"""The report of `mallard bench --against`: mallard against a preloaded malloc, by cell, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.against import SHOWN, Line, legend, rival_strategies, verdict
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import malloc
from mallard.shared.report.model import (
    Cell,
    Column,
    Figure,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
)


def against_report(lines: Sequence[Line]) -> Report:
    """The fastest of a line is good."""
    rivals = rival_strategies(lines)
    names = [*rivals, *(name for name in SHOWN if any(name in line.cells for line in lines))]
    columns = (Column("% of glibc's time", numeric=False), *(Column(_head(name)) for name in names))
    rows: list[Row] = []
    part = ""
    for line in lines:
        if line.part != part:
            part = line.part
            rows.append(Row((part, *(None for _ in names))))
        rows.append(Row((f"  {line.cell}", *_cells(line, names))))
    first, *others = [sentence for rival in rivals for sentence in verdict(lines, rival)]
    return Report(
        title="mallard and other mallocs",
        answer=Paragraph(first),
        sections=(
            Section("Every cell", (Table("Every cell", columns, tuple(rows)),)),
            Section("What explains it", tuple(map(Paragraph, others))),
        ),
        notes=tuple(legend(lines)),
    )


def _head(name: str) -> str:
    """The name of a malloc, or of a strategy in two lines."""
    return malloc(name) or name.replace("/", "\n/").replace("-", "-\n")


def _cells(line: Line, names: Sequence[str]) -> list[Cell]:
    ratios = {name: line.ratio(name) for name in names}
    best = min((ratio.median for ratio in ratios.values() if ratio), default=0.0)
    return [
        Figure(ratio.median, Unit.HUNDREDTHS, mood=Mood.GOOD if ratio.median == best else None)
        if ratio
        else _missing(line, name)
        for name, ratio in ratios.items()
    ]


def _missing(line: Line, name: str) -> str | None:
    cell = line.cells.get(name)
    return None if cell is None else SHORT_STATUS.get(cell.status, cell.status)
