"""The report of `mallard age`: the answer, the loads of a server, and a table of mallocs and ages."""

from __future__ import annotations

import json
from dataclasses import asdict

from mallard.advisor.aging import Aging, ServerAging
from mallard.advisor.aging import Row as AgedMalloc
from mallard.shared.report.model import (
    Column,
    Figure,
    Interval,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
)
from mallard.shared.stats import Ratio

LOADS_SHOWN = 8
LOAD_COLUMNS = (
    Column("load", "number of the load, the first one included"),
    Column("CPU ms", "of the server's processes for this load"),
    Column("resident", "memory after the load"),
    Column("free chunks", "of glibc's malloc, when the load began"),
    Column("free bytes", "of glibc's malloc, when the load began"),
)


def aging_json(aging: Aging) -> str:
    head = {"format": "mallard age", "version": 1, "headline": aging.headline}
    return json.dumps({**head, **asdict(aging)}, indent=1)


def aging_report(aging: Aging) -> Report:
    sections = []
    if aging.server:
        sections.append(Section("The load, again and again", (_loads(aging.server),)))
    if aging.rows:
        table = _table(aging)
        own = "memory is its own" if aging.server else "times and memory are its own"
        about = [Paragraph(f"Aged is {aging.process}; {own}.")] if aging.process else []
        sections.append(Section("Mallocs and ages", (*about, table)))
    ages = [f"{age.name}: {age.describe(aging.recording)}." for age in aging.ages]
    return Report(
        title=f"{aging.words[0].rpartition('/')[2]} in an old process",
        answer=Paragraph(aging.headline),
        sections=tuple(sections),
        notes=(*ages, *aging.notes),
    )


def _table(aging: Aging) -> Table:
    first = aging.ages[0].name
    columns = (
        Column("malloc", numeric=False),
        Column("process", "age of the heap when the clock starts", numeric=False),
        Column("CPU ms", "median of the rounds"),
        Column(f"of {first}", f"the time over that in a process that is {first}; the median of pairs"),
        Column("95 % interval", f"of the ratio to {first}"),
        Column("peak", "resident memory at its peak, without what the history left"),
        Column("pages", "on which the history's live blocks lie, over those that their bytes need"),
        Column("free run", "median length of the free memory between live blocks"),
        Column("left", "resident memory that the history added", is_extra=True),
        Column("free chunks", "of glibc's malloc, when the clock starts", is_extra=True),
    )
    return Table("Each malloc, young and old", columns, tuple(map(_row, aging.rows)))


def _interval(ratio: Ratio) -> Interval | str:
    return Interval(ratio.low, ratio.high, Unit.RATIO) if ratio.bounded else "one round"


def _row(row: AgedMalloc) -> Row:
    history = row.history
    spread = history.live_pages / history.needed_pages if history.needed_pages else None
    cells = (
        row.malloc,
        row.age,
        Figure(row.seconds.median, Unit.MILLISECONDS),
        Figure(row.slower.median, Unit.RATIO) if row.slower else None,
        _interval(row.slower) if row.slower else None,
        Figure(round(row.peak_bytes.median), Unit.BYTES),
        None if spread is None else Figure(spread, Unit.FACTOR),
        Figure(history.median_run, Unit.BYTES) if history.median_run else None,
        Figure(history.added_bytes, Unit.BYTES) if history.requests else None,
        None if history.free_chunks is None else Figure(history.free_chunks, Unit.COUNT),
    )
    return Row(cells)


def _loads(server: ServerAging) -> Table:
    """Some of the loads, from the first to the last."""
    last = len(server.loads) - 1
    steps = min(LOADS_SHOWN, last + 1)
    shown = sorted({round(step * last / max(1, steps - 1)) for step in range(steps)})
    rows = []
    for place in shown:
        point = server.loads[place]
        rows.append(
            Row(
                (
                    Figure(place + 1, Unit.COUNT),
                    Figure(point.cpu_seconds, Unit.MILLISECONDS),
                    Figure(point.resident_bytes, Unit.BYTES),
                    None if point.free_chunks is None else Figure(point.free_chunks, Unit.COUNT),
                    None if point.free_bytes is None else Figure(point.free_bytes, Unit.BYTES),
                )
            )
        )
    return Table("Loads of the server", LOAD_COLUMNS, tuple(rows))
