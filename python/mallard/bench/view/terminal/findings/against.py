"""mallard beside a preloaded malloc, on one screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.against import SHOWN, Line, legend, rival_strategies, verdict
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import malloc
from mallard.shared.stats import Ratio

FASTEST = "bold green"


def show_against(console: Console, lines: Sequence[Line]) -> None:
    """Prints the table and its verdict. The fastest of a line is green."""
    rivals = rival_strategies(lines)
    shown = [name for name in SHOWN if any(name in line.cells for line in lines)]
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    grid.add_column(Text("% of glibc's time"), no_wrap=True, min_width=len("vector<vector<string>>, 2^12"))
    for name in (*rivals, *shown):
        grid.add_column(Text(_head(name)), justify="right", overflow="fold", min_width=len("multipool"))
    part = ""
    for line in lines:
        if line.part != part:
            part = line.part
            grid.add_row(Text(part, "bold"))
        grid.add_row(f"  {line.cell}", *_figures(line, [*rivals, *shown]))
    console.print(grid)
    console.print()
    for words in legend(lines):
        console.print(words, style="dim")
    for rival in rivals:
        console.print()
        for sentence in verdict(lines, rival):
            console.print(sentence)


def _head(name: str) -> str:
    """The name of a malloc, or of a strategy in two lines."""
    return malloc(name) or name.replace("/", "\n/").replace("-", "-\n")


def _figures(line: Line, names: Sequence[str]) -> list[Text]:
    ratios = {name: line.ratio(name) for name in names}
    known = [ratio.median for ratio in ratios.values() if ratio]
    best = min(known, default=0.0)
    return [
        Text(_percent(ratio), FASTEST if ratio.median == best else "") if ratio else _missing(line, name)
        for name, ratio in ratios.items()
    ]


def _percent(ratio: Ratio | None) -> str:
    return f"{100 * ratio.median:.0f}" if ratio else ""


def _missing(line: Line, name: str) -> Text:
    cell = line.cells.get(name)
    return Text("" if cell is None else SHORT_STATUS.get(cell.status, cell.status))
