"""A report in a terminal: the answer, tables as wide as their cells, and notes in a soft colour.

A row with a long name, a stack or a ranking has lines of its own: the name, the figures below their heads,
and the rest with its column's title. Asides and pictures are left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import Console
from rich.text import Text

from mallard.shared.console import print_line
from mallard.shared.report.figures import UNKNOWN, count_prefix, omitted_rows
from mallard.shared.report.model import (
    Block,
    Cell,
    Code,
    Column,
    Facts,
    Meters,
    Name,
    Paragraph,
    Points,
    Ranking,
    Report,
    Row,
    Section,
    Stack,
    Table,
    Visible,
    visible_blocks,
)
from mallard.shared.report.names import fitted_source
from mallard.shared.report.picture import HeatMap
from mallard.shared.report.terminal_grid import STYLES, cell_words, show_grid
from mallard.shared.report.terminal_map import show_maps

NARROWEST = 16  # columns of a text next to a label
INDENT = 3  # of what stands below a name
FEW = 2  # entries without heads
MOST_ROWS = 7  # of a brief report's table
Width = tuple[int, Column]


def show_report(console: Console, report: Report) -> None:
    if report.is_brief:
        _show_brief(console, report)
        return
    if report.subject:
        print_cut(console, Text(report.subject, "bold"))
        _show_lines(console, ", ".join(report.conditions), "dim")
    console.print()
    _show_paragraph(console, report.answer, "bold")
    shown = [
        (section, blocks)
        for section in report.sections
        if (blocks := visible_blocks((*section.answer, *section.blocks)))
    ]
    tables = [block for _, blocks in shown for block in blocks if isinstance(block, Table)]
    for section, blocks in shown:
        console.print()
        show_section(console, section, blocks, tables)
    for doubt in report.doubts:
        console.print()
        _show_lines(console, doubt, "yellow")
    if report.notes:
        console.print()
    for note in report.notes:
        print_line(console, note, "dim")


def _show_brief(console: Console, report: Report) -> None:
    """Broken between words on every console."""
    shown = [
        (section.title, block)
        for section in report.sections
        for block in section.blocks
        if section.is_headed or isinstance(section.blocks[0], Facts | Code)
    ]
    console.print()
    _show_sentence(console, report.answer.text, _style(report.answer, "bold"), 0)
    for _, block in shown:
        for fact in block.facts if isinstance(block, Facts) else ():
            _show_sentence(console, f"{fact.label}: {cell_words(fact.value)}", "", 2)
        if isinstance(block, Table):
            console.print()
            _show_first_rows(console, block)
            console.print()
    if report.notes:
        console.print()
    for note in report.notes:
        _show_sentence(console, note, "dim", 0)
    for title, block in shown:
        if isinstance(block, Code):
            console.print()
            print_line(console, f"{title}:", "bold")
            _show_block(console, block, (), (), is_counted=False)


def _show_first_rows(console: Console, table: Table) -> None:
    """Without details, and with cells of one line."""
    places = [place for place, column in enumerate(table.columns) if not column.is_detail]
    rows = tuple(
        replace(row, cells=tuple(cell_words(row.cells[place]).replace("\n", " ") for place in places))
        for row in table.rows[:MOST_ROWS]
    )
    columns = tuple(table.columns[place] for place in places)
    show_grid(console, replace(table, columns=columns, rows=rows), rows)


def _show_sentence(console: Console, text: str, style: str, indent: int) -> None:
    """Further lines of what is indented stand further in."""
    for line in textwrap.wrap(
        text,
        max(console.width, 40),
        initial_indent=" " * indent,
        subsequent_indent=" " * 3 * indent,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        print_line(console, line, style)


def show_section(
    console: Console,
    section: Section,
    blocks: Sequence[Visible],
    tables: Sequence[Table] = (),
    *,
    is_wrapped: bool = False,
) -> None:
    """`blocks` of the section; `tables` of the same columns are aligned. Paragraphs are wrapped in a
    terminal, elsewhere if `is_wrapped`.
    """
    if section.is_headed and section.title:
        _show_heading(console, section, blocks[0] if blocks else None)
    for is_map, group in groupby(blocks, key=lambda block: isinstance(block, HeatMap)):
        members = list(group)
        if is_map:
            show_maps(console, [block for block in members if isinstance(block, HeatMap)])
            continue
        for block in members:
            if isinstance(block, Table) and block is not blocks[0]:
                console.print()
            if isinstance(block, Paragraph) and is_wrapped:
                console.print(block.text)
            else:
                _show_block(
                    console, block, blocks, tables, is_counted=section.is_headed and block is blocks[0]
                )


def _show_block(
    console: Console, block: Visible, blocks: Sequence[Visible], tables: Sequence[Table], *, is_counted: bool
) -> None:
    match block:
        case Table():
            _show_table(console, block, tables or [block])
            if omitted := omitted_rows(block, is_counted=is_counted):
                _show_lines(console, omitted, "dim", 2)
        case Code():
            for line in block.text.splitlines():
                print_line(console, f"  {line}".rstrip())
        case Points(texts):
            for text in texts:
                console.print(text)
        case Facts():
            _show_facts(console, block, blocks)
        case Paragraph():
            _show_paragraph(console, block, "")


def _show_heading(console: Console, section: Section, first: Block | None) -> None:
    line = Text(section.title, "bold")
    about = f"{count_prefix(first) if first else ''}{section.about}".removesuffix(": ")
    print_cut(console, line.append(f"  {about}", "dim not bold") if about else line)


def _show_paragraph(console: Console, paragraph: Paragraph, style: str) -> None:
    style = _style(paragraph, style)
    if console.is_terminal:
        _show_lines(console, paragraph.text, style)
    else:
        print_line(console, Text(paragraph.text), style)


def _style(paragraph: Paragraph, style: str) -> str:
    return f"{style} {STYLES[paragraph.mood] if paragraph.mood else ''}".strip()


def _show_facts(console: Console, facts: Facts, blocks: Sequence[Block]) -> None:
    """Labels of all facts among the blocks are aligned."""
    alike = [fact for block in blocks if isinstance(block, Facts) for fact in block.facts]
    width = max(len(fact.label) for fact in alike) + 2
    for fact in facts.facts:
        text = f"{cell_words(fact.value)} {fact.text}".strip()
        style = f"bold {STYLES[fact.mood]}" if fact.mood else ""
        _show_hanging(console, Text(f"{fact.label:<{width}}", "dim"), text, style)


def _show_hanging(console: Console, label: Text, text: str, style: str) -> None:
    """Text next to a label, or below it on a narrow console. Further lines begin below the first."""
    indent = label.cell_len
    if console.width - indent < NARROWEST:
        print_cut(console, label)
        _show_lines(console, text, style, console.width // 10)
        return
    first, *others = _wrapped(console, text, indent)
    print_cut(console, Text.assemble(label, (first, style)))
    for line in others:
        console.print(Text(" " * indent + line, style))


def _show_lines(console: Console, text: str, style: str, indent: int = 0) -> None:
    for line in _wrapped(console, text, indent) if text else ():
        console.print(Text(" " * indent + line, style))


def _wrapped(console: Console, text: str, indent: int) -> list[str]:
    lines = Text(text).wrap(console, max(8, console.width - indent))
    return [line.plain.rstrip() for line in lines] or [""]


def print_cut(console: Console, line: Text) -> None:
    """Prints a line, cut off at the width: a name may have letters that take two columns."""
    line.truncate(console.width, overflow="ellipsis")
    line.rstrip()
    console.print(line, no_wrap=True, soft_wrap=True)


def _show_table(console: Console, table: Table, tables: Sequence[Table]) -> None:
    """The other tables with the same columns are aligned."""
    alike = [other for other in tables if other.columns == table.columns]
    rows = [row for other in alike for row in other.rows[: other.most]]
    if any(isinstance(cell, Name | Ranking | Stack) for row in rows for cell in row.cells):
        _show_entries(console, table, rows)
    else:
        show_grid(console, replace(table, rows=table.rows[: table.most]), rows)


def _show_entries(console: Console, table: Table, alike: Sequence[Row]) -> None:
    """Entries of lines: a name, figures below their heads, further cells with their titles, and the note. One
    entry or two have titles instead of heads, if they fit."""
    is_named = any(isinstance(row.cells[0], Name) for row in alike)
    places = [
        place
        for place, column in enumerate(table.columns)
        if place >= is_named and not (column.is_detail and table.most is not None)
    ]
    wide = [place for place in places if any(isinstance(row.cells[place], WIDE) for row in alike)]
    figures = [place for place in places if place not in wide]
    title = table.columns[0].title if is_named else ""
    shown = table.rows[: table.most]
    indent, lines = INDENT, [_labelled(table.columns, row, figures) for row in shown]
    has_heads = (
        len(shown) > FEW
        or any(len(line) > console.width - INDENT for line in lines)
        or any(table.columns[place].group for place in figures)
    )
    if has_heads:
        columns = [
            (
                max(len(table.columns[place].title), *(len(cell_words(row.cells[place])) for row in alike)),
                table.columns[place],
            )
            for place in figures
        ]
        indent, gap = _show_heads(console, title, columns)
        lines = [_line([cell_words(row.cells[place]) for place in figures], columns, gap) for row in shown]
    for number, (row, line) in enumerate(zip(shown, lines, strict=True), 1):
        mark = f"{number:>2} "
        if is_named:
            _print_name(console, mark if has_heads else f"{mark}{title} ", row.cells[0])
            mark = ""
        if line:
            style = STYLES[row.mood] if row.mood else ""
            print_cut(console, Text.assemble((mark.ljust(indent), "dim"), (line, style)))
        for place in wide:
            if row.cells[place] is not None:
                text = f"{table.columns[place].title} {cell_words(row.cells[place])}"
                print_cut(console, Text(" " * INDENT + text.strip(), "dim"))
        _show_lines(console, row.note, "dim", INDENT)


def _labelled(columns: Sequence[Column], row: Row, places: Sequence[int]) -> str:
    """`blocks 792, bytes 6.90 MiB`: without cells that are empty or unknown."""
    texts = [(columns[place].title, cell_words(row.cells[place])) for place in places]
    return ", ".join(f"{title} {text}".strip() for title, text in texts if text not in ("", UNKNOWN))


def _show_heads(console: Console, title: str, columns: Sequence[Width]) -> tuple[int, str]:
    """Returns the indent of the figures and the gap between them, which depend on the room."""
    total = sum(width for width, _ in columns) + 2 * (len(columns) - 1)
    gap = "  " if INDENT + total <= console.width else " "
    indent = len(title) + 3 if len(title) + 3 + total <= console.width else INDENT
    if any(column.group for _, column in columns):
        print_cut(console, Text(" " * indent + _groups(columns, gap), "dim"))
    heads = _line([column.title for _, column in columns], columns, gap)
    name = f" {title}" if len(title) < indent else ""
    print_cut(console, Text(name.ljust(indent) + heads, "dim"))
    return indent, gap


WIDE = Name | Ranking | Stack | Meters


def _line(texts: Sequence[str], columns: Sequence[Width], gap: str) -> str:
    return gap.join(
        text.rjust(width) if column.numeric else text.ljust(width)
        for text, (width, column) in zip(texts, columns, strict=True)
    )


def _groups(columns: Sequence[Width], gap: str) -> str:
    """The names of groups, above the ends of their columns."""
    line = ""
    for group, members in groupby(columns, lambda member: member[1].group):
        width = sum(len(gap) + width for width, _ in members)
        line = (line + " " * width)[: len(line) + width - len(group)] + group if group else line + " " * width
    return line[len(gap) :]


def _print_name(console: Console, mark: str, cell: Cell) -> None:
    """The name on the left, its source on the right. The source is shortened first."""
    name = cell if isinstance(cell, Name) else Name(cell_words(cell))
    room = console.width - len(mark) - 2
    shown = name.within(room)
    remaining = room - len(shown)
    source = fitted_source(name.source, remaining) if remaining >= min(len(name.source), 12) else ""
    gap = max(2, console.width - len(mark) - len(shown) - len(source))
    line = Text.assemble((mark, "dim"), (shown, "bold"))
    print_cut(console, line.append(f"{' ' * gap}{source}", "dim not bold") if source else line)
