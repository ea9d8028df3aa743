"""A heat map: one data structure, a line for each size, a column for each strategy.

AS1 stands in nanoseconds for a leaf element, the others in percent of it. Marks: `*` the fastest of the row
that a program can choose, `=` no difference from AS1 beyond the interval. Columns that do not fit the width
go below.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.analysis import BASE, FLOOR, KEEP, Cell, Line, StructureTable, best_of
from mallard.papers.catalogue import strategies
from mallard.view.terminal.palette import ratio_style

SIZE_WIDTH = 4
CELL_WIDTH = 6
MARKS_WIDTH = 2
SHORT_STATUS = {"out_of_memory": "mem", "timed_out": "time", "crashed": "died", "failed": "fail"}
SHORT_NAME = {KEEP: "keep"}
FAMILY_NAMES = {
    "global default": "global",
    "new/delete": "global",
    "multipool backed by monotonic": "multipool on monotonic",
}


def show_heat_map(console: Console, table: StructureTable) -> None:
    for names in _folded(table.strategies, console.width):
        for text in _block(table, names):
            console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def legend() -> str:
    return " ".join(
        (
            "AS1 in ns for a leaf element, the others in percent of AS1.",
            "*: the fastest of the row, AS1 unless another is faster beyond its interval.",
            "=: no difference from AS1.",
            "null: the same work over memory already there. keep: AS1 with page return off.",
            "type: bound by type parameter, wink: the same, winked out.",
            "base: by abstract base, bwink: the same, winked out.",
        )
    )


def _folded(names: Sequence[str], width: int) -> list[list[str]]:
    """Columns in blocks that fit, a group of the papers never torn apart where one fits."""
    most = max(1, (width - SIZE_WIDTH) // CELL_WIDTH)
    groups: list[list[str]] = []
    for name in names:
        if groups and _family(groups[-1][-1]) == _family(name) and len(groups[-1]) < most:
            groups[-1].append(name)
        else:
            groups.append([name])
    blocks: list[list[str]] = []
    for group in groups:
        if blocks and len(blocks[-1]) + len(group) <= most:
            blocks[-1] += group
        else:
            blocks.append(group)
    return blocks


def _block(table: StructureTable, names: Sequence[str]) -> list[Text]:
    lines = [_group_headings(names), _headings(names), _variants(names)]
    lines += [_line(line, names) for line in table.lines]
    return lines


def _group_headings(names: Sequence[str]) -> Text:
    text = Text(" " * SIZE_WIDTH)
    place = 0
    while place < len(names):
        count = 1
        while place + count < len(names) and _family(names[place + count]) == _family(names[place]):
            count += 1
        width = count * CELL_WIDTH
        text.append(f" {_family(names[place])[: width - 1].center(width - 1, '_')}", style="bold")
        place += count
    return text


def _headings(names: Sequence[str]) -> Text:
    words = (SHORT_NAME.get(name, name) for name in names)
    return Text("size" + "".join(f"{word:>{CELL_WIDTH - 1}} " for word in words), style="bold")


def _variants(names: Sequence[str]) -> Text:
    return Text(
        " " * SIZE_WIDTH + "".join(f"{_variant(name):>{CELL_WIDTH - 1}} " for name in names), style="dim"
    )


def _line(line: Line, names: Sequence[str]) -> Text:
    fastest = _fastest(line)
    text = Text(f"2^{line.size_log2:<{SIZE_WIDTH - 2}}", style="bold")
    for name in names:
        shown, style = _cell(line.cells.get(name), fastest == name)
        text.append(shown, style=style)
    return text


def _fastest(line: Line) -> str | None:
    """The strategy to mark; AS1 unless another is faster beyond its interval."""
    best = best_of(line)
    if best is None:
        return None
    return best.strategy if best.ratio is None or best.ratio.verdict == "faster" else BASE


def _cell(cell: Cell | None, best: bool) -> tuple[str, Style]:
    plain = Style()
    if cell is None:
        return f"{'-':>{CELL_WIDTH - 1}} ", plain
    if not cell.finished:
        return f"{SHORT_STATUS.get(cell.status, cell.status):>{CELL_WIDTH - 1}} ", plain
    mark = "*" if best else " "
    if cell.strategy == BASE:
        return f"{_digits(cell.ns_per_operation):>{CELL_WIDTH - 1}}{mark}", Style(bold=True)
    if cell.ratio is None:
        return f"{_with_unit(cell.ns_per_operation):>{CELL_WIDTH - 1}}{mark}", plain
    if cell.ratio.verdict == "no difference":
        mark = "="
    style = plain if cell.strategy == FLOOR else ratio_style(cell.ratio.median, bold=best)
    return f"{100 * cell.ratio.median:>{CELL_WIDTH - 1}.0f}{mark}", style


def _family(name: str) -> str:
    """What a group of columns has in common: the allocator."""
    if name == FLOOR:
        return "floor"
    known = strategies().get(BASE if name == KEEP else name)
    return FAMILY_NAMES.get(known.allocator, known.allocator) if known else "other"


def _variant(name: str) -> str:
    """What tells the columns of a group apart: binding and destruction."""
    known = strategies().get(name)
    if known is None:
        return ""
    binding = "type" if known.binding == "type parameter" else "base"
    if known.destruction == "normal":
        return binding
    return "wink" if binding == "type" else "bwink"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def _with_unit(ns: float) -> str:
    """Where AS1 has no time to be a percentage of."""
    return f"{ns:.0f}ns" if ns < 999.5 else f"{ns / 1000:.1f}us"
