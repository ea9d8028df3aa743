"""The result of `mallard age` in the terminal and as JSON: the answer first, then a table."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from mallard.advisor.aging import Aging, Row, ServerAging
from mallard.advisor.profile.formats import count, size
from mallard.shared.stats import Ratio
from mallard.shared.view.terminal.console import print_line

LOADS_SHOWN = 8


def aging_json(aging: Aging) -> str:
    head = {"format": "mallard age", "version": 1, "headline": aging.headline}
    return json.dumps({**head, **asdict(aging)}, indent=1)


def show_aging(console: Console, aging: Aging) -> None:
    console.print()
    console.print(aging.headline, style="bold", markup=False)
    console.print()
    if aging.server:
        console.print(_loads(aging.server))
        console.print()
    if aging.rows:
        if aging.process:
            own = "memory is its own" if aging.server else "times and memory are its own"
            console.print(f"Aged is {aging.process}; {own}.", markup=False)
        console.print(_table(aging))
        console.print()
    for age in aging.ages:
        print_line(console, f"{age.name}: {age.describe(aging.recording)}.", "dim")
    for note in aging.notes:
        console.print(note, style="dim", markup=False)


def _table(aging: Aging) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("malloc", no_wrap=True)
    table.add_column("process", no_wrap=True)
    for name in ("CPU ms", "of young", "95 % interval", "peak", "pages", "free run"):
        title = name if name != "of young" else f"of {aging.ages[0].name}"
        table.add_column(title, justify="right", no_wrap=True)
    for row in aging.rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    history = row.history
    return [
        row.malloc,
        row.age,
        f"{1e3 * row.seconds.median:.1f}",
        f"{row.slower.median:.2f}" if row.slower else "",
        _interval(row.slower) if row.slower else "",
        size(round(row.peak_bytes.median)),
        f"{history.live_pages / history.needed_pages:.1f} x" if history.needed_pages else "",
        f"{history.median_run} B" if history.median_run else "",
    ]


def _interval(ratio: Ratio) -> str:
    return f"{ratio.low:.2f} to {ratio.high:.2f}" if ratio.bounded else "one round"


def _loads(server: ServerAging) -> Table:
    """Some of the loads, from the first to the last."""
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("load", "CPU ms", "resident", "free chunks", "free bytes"):
        table.add_column(name, justify="right", no_wrap=True)
    last = len(server.loads) - 1
    steps = min(LOADS_SHOWN, last + 1)
    for index in sorted({round(step * last / max(1, steps - 1)) for step in range(steps)}):
        point = server.loads[index]
        table.add_row(
            str(index + 1),
            f"{1e3 * point.cpu_seconds:.1f}",
            size(point.resident_bytes),
            "" if point.free_chunks is None else count(point.free_chunks),
            "" if point.free_bytes is None else size(point.free_bytes),
        )
    return table
