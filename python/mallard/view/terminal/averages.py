"""Means over all cells: P0213's Table 8 from this machine, and what dispatch costs and winking out gains."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.analysis.averages import Effect
from mallard.analysis.cells import BASE, FLOOR
from mallard.analysis.summary import Summary
from mallard.papers.catalogue import strategy_text
from mallard.papers.tables import AVERAGES, printed_table
from mallard.stats import Ratio
from mallard.view.terminal.palette import ratio_style

# P0213 section 9, "Analysis", in percent.
PRINTED_DISPATCH = 0.78
PRINTED_WINK_OUT = 8.4


def show_averages(console: Console, summary: Summary) -> None:
    printed = printed_table(AVERAGES).lines[0]
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    for heading, right in (
        ("strategy", False),
        ("mean", True),
        ("interval", True),
        ("P0213", True),
        ("", False),
    ):
        grid.add_column(heading, justify="right" if right else "left", no_wrap=bool(heading))
    for name, mean in summary.means.items():
        if name in (BASE, FLOOR):
            continue
        theirs = f"{printed[name]:.1f}" if name in printed else ""
        style = ratio_style(mean.median)
        grid.add_row(name, Text(f" {percent(mean)} ", style), interval(mean), theirs, strategy_text(name))
    if not grid.row_count:
        return
    console.print(f"[bold]Mean over {summary.rows} rows, percent of {BASE}[/] (P0213 Table 8 printed beside)")
    console.print(grid)
    console.print()
    _show_effect(console, "cost of virtual dispatch", summary.dispatch, PRINTED_DISPATCH)
    _show_effect(console, "gain of winking out", summary.wink_out, PRINTED_WINK_OUT)


def _show_effect(console: Console, what: str, effect: Effect, printed: float) -> None:
    mean = effect.overall
    if mean is None:
        return
    figures = f"{mean.value:.1f} % ({mean.low:.1f} to {mean.high:.1f})"
    none = "; no difference" if mean.includes_zero else ""
    console.print(f"{what}: {figures}{none}; P0213 printed {printed} %", soft_wrap=True)


def percent(ratio: Ratio) -> str:
    return f"{100 * ratio.median:.1f}{'=' if ratio.verdict == 'no difference' else ' '}"


def interval(ratio: Ratio) -> str:
    return f"{100 * ratio.low:.1f} to {100 * ratio.high:.1f}" if ratio.bounded else "one repetition"
