"""A report as Markdown, for an issue or a page of documentation."""

from __future__ import annotations

from mallard.shared.prose import capitalised, markdown_cell, markdown_text, printable, printable_name
from mallard.shared.report.figures import cell_text, count_prefix, omitted_rows
from mallard.shared.report.model import (
    Cell,
    Code,
    Column,
    Facts,
    Meter,
    Mood,
    Name,
    Paragraph,
    Points,
    Report,
    Row,
    Section,
    Table,
    Verdict,
    visible_blocks,
)
from mallard.shared.report.picture import HeatMap, Spot


def markdown_report(report: Report, command: str) -> str:
    """`command` is the one that was typed."""
    parts = [f"# {_text(report.title)}", f"    {printable_name(command)}"]
    if report.subject:
        parts.append(f"{_text(', '.join((report.subject, *report.conditions)))}.")
    parts.append(markdown_text(report.answer.text))
    for section in report.sections:
        parts += _section(section)
    for texts in (report.doubts, report.notes):
        parts += ["\n".join(f"- {markdown_text(text)}" for text in texts)] if texts else []
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> list[str]:
    blocks = visible_blocks((*section.answer, *section.blocks))
    if not blocks:
        return []
    parts = [f"##{'#' if section.is_inner else ''} {_text(section.title)}"] if section.title else []
    if section.about:
        parts.append(capitalised(f"{count_prefix(blocks[0])}{_text(section.about)}."))
    for block in blocks:
        if isinstance(block, Table):
            parts.append(markdown_table(block))
            if omitted := omitted_rows(block):
                parts.append(omitted)
        elif isinstance(block, HeatMap):
            parts += _layers(block)
        else:
            parts.append(_text_block(block))
    return parts


def _layers(picture: HeatMap) -> list[str]:
    """A table for each layer that other media than pages have."""
    parts = []
    for place, layer in enumerate(picture.layers):
        if layer.title:
            parts.append(f"**{_text(layer.title.replace('{}', picture.title))}**")
            parts.append(markdown_table(_map_table(picture, place)))
    return parts


def _map_table(picture: HeatMap, place: int) -> Table:
    def text(spot: Spot) -> str | None:
        if spot.failure:
            return spot.failure[0]
        return spot.tiles[place].text.partition("\n")[0] if spot.tiles else None

    corner = tuple(Column(head, numeric=False) for head in picture.corner)
    columns = (*corner, *(Column(head.full_name) for head in picture.columns))
    rows = tuple(Row((*labels, *map(text, spots))) for labels, spots in picture.rows)
    return Table(picture.caption, columns, rows)


def _text_block(block: Paragraph | Points | Facts | Code) -> str:
    match block:
        case Points(texts):
            return "\n".join(f"- {_text(text)}" for text in texts)
        case Facts():
            return _facts(block)
        case Code(text, language):
            return f"```{language}\n{printable(text.rstrip())}\n```"
    return markdown_text(block.text)


def _facts(facts: Facts) -> str:
    return "\n".join(
        f"- {_text(fact.label)}: {_text(f'{cell_text(fact.value)} {fact.text}'.strip())}"
        for fact in facts.facts
    )


def markdown_table(table: Table) -> str:
    """Without bars, and without the details of a short list."""
    rows = table.rows[: table.most]
    places = [
        place
        for place, column in enumerate(table.columns)
        if not (column.is_detail and table.most is not None)
        and not any(isinstance(row.cells[place], Meter) for row in rows)
    ]
    columns = [table.columns[place] for place in places]
    lines = [[_head(column) for column in columns], [_rule(column) for column in columns]]
    for row in rows:
        first, *cells = (_cell(row.cells[place]) for place in places)
        note = f"<br>{_text(row.note)}" if row.note else ""
        lines.append([f"{first}{note}", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(column: Column) -> str:
    return _text(f"{column.title} ({column.group})" if column.group else column.title)


def _rule(column: Column) -> str:
    return "---:" if column.numeric else "---"


def _cell(cell: Cell) -> str:
    text = _text(cell_text(cell))
    if isinstance(cell, Name) and cell.source:
        text += f"<br>{_text(cell.source)}"
    if isinstance(cell, Verdict) and cell.mood is Mood.BAD:
        return f"**{_text(cell.word)}**" + (f": {_text(cell.note)}" if cell.note else "")
    return text


def _text(text: str) -> str:
    return "<br>".join(map(markdown_cell, text.split("\n")))
