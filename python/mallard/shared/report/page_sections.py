"""Sections of a page that have tables of estimates, heat maps and charts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mallard.shared.report.figures import cell_text, estimate_text, interval_text
from mallard.shared.report.model import (
    Block,
    Cell,
    Column,
    Estimate,
    Paragraph,
    Points,
    Section,
    Table,
    Term,
    Verdict,
)
from mallard.shared.report.page_chart import line_plot
from mallard.shared.report.page_map import choice, map_table
from mallard.shared.report.picture import Chart, HeatMap, Layer
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import ratio_step, with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, empty_element, joined


def notes_list(notes: Sequence[str]) -> Markup | None:
    return element("ul", *(element("li", note) for note in notes), class_="notes") if notes else None


def section_list(name: str, sections: Sequence[Section]) -> Markup:
    """Sections of a part of a page. Neighbours whose maps have the same layers share the choice among them;
    `name` identifies its buttons.
    """
    parts = []
    for place, (layers, group) in enumerate(groupby(sections, key=_choosable)):
        body = joined(*map(_section, group))
        parts.append(choice(f"{name}-{place}", layers, body) if layers else body)
    return joined(*parts)


def _choosable(section: Section) -> tuple[Layer, ...]:
    maps = [block for block in section.blocks if isinstance(block, HeatMap)]
    layers = maps[0].layers if maps and not maps[0].is_small else ()
    return layers if len(layers) > 1 and not section.is_folded else ()


def _section(section: Section) -> Markup:
    blocks = _blocks([*section.answer, *section.blocks])
    anchor = section.anchor or None
    if section.is_folded:
        is_empty = any(isinstance(block, HeatMap) and block.is_folded for block in section.blocks)
        without = element("noscript", element("p", "A script fills these tables.")) if is_empty else None
        return element("details", element("summary", section.title), without, *blocks, id=anchor)
    title = joined(with_raised_exponents(section.title), _small(section.about))
    heading = element("h4" if section.is_inner else "h3", title) if section.title else None
    return element("section", heading, *blocks, id=anchor, class_="structure")


def _small(text: str) -> Markup | None:
    return element("small", with_raised_exponents(text)) if text else None


def _blocks(blocks: Sequence[Block]) -> list[Markup | None]:
    """Charts and small maps stand side by side."""
    return [
        element("div", *map(_block, group), class_=row) if row else joined(*map(_block, group))
        for row, group in groupby(blocks, key=_row_class)
    ]


def _row_class(block: Block) -> str:
    if isinstance(block, Chart):
        return "plots"
    return "side-by-side" if isinstance(block, HeatMap) and block.is_small else ""


def _block(block: Block) -> Markup | None:
    match block:
        case Paragraph():
            return paragraph_markup(block)
        case Table():
            return _table(block)
        case Points() | HeatMap() | Chart():
            return picture_block(block)
    raise TypeError(f"a section beside pictures has no {type(block).__name__}")


def picture_block(block: Points | HeatMap | Chart) -> Markup | None:
    match block:
        case Points(texts):
            points = [element("li", text_lines(text)) for text in texts]
            return element("ul", *points, class_="says") if points else None
        case Chart():
            return line_plot(block)
        case HeatMap():
            grid = map_table(block)
            if not block.is_small:
                return grid
            return element("figure", element("figcaption", with_raised_exponents(block.title)), grid)


def paragraph_markup(paragraph: Paragraph, class_: str = "") -> Markup:
    classes = f"{class_} {paragraph.mood.value if paragraph.mood else ''}".strip()
    return element("p", text_lines(paragraph.text), class_=classes or None)


def _table(table: Table) -> Markup:
    """Estimates of all drawn columns share an axis for each end that is better."""
    axes = {column: _axis(table, column) for column in table.columns if column.less_is_better is not None}
    heads = [
        joined(
            element(
                "th",
                with_raised_exponents(column.title),
                class_="n" if column.numeric else None,
                title=column.about or None,
            ),
            element("th", plot.scale(axes[column])) if column in axes else None,
        )
        for column in table.columns
    ]
    rows = [
        element(
            "tr",
            *(
                joined(_cell(cell, column), _drawing(cell, axes[column]) if column in axes else None)
                for cell, column in zip(row.cells, table.columns, strict=True)
            ),
            class_=row.mood.value if row.mood else None,
        )
        for row in table.rows
    ]
    grid = element(
        "table",
        element("caption", table.caption, class_="unseen"),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="facts-table averages" if axes else "facts-table",
        style=next(iter(axes.values())).style if axes else None,
    )
    return element("div", grid, class_="wide", role="group", aria_label=table.caption, tabindex="0")


def _axis(table: Table, column: Column) -> plot.Axis:
    drawn = [place for place, other in enumerate(table.columns) if other.less_is_better is not None]
    cells = [row.cells[place] for row in table.rows for place in drawn]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    values = [
        value
        for cell in estimates
        for value in (cell.value.median, cell.value.low, cell.value.high, *(at for at, _ in cell.marks))
    ]
    if all(isinstance(cell.value, Ratio) for cell in estimates):
        return plot.ratio_axis(values)
    return plot.percent_axis(values, bool(column.less_is_better))


def _drawing(cell: Cell, axis: plot.Axis) -> Markup:
    drawing = None
    if isinstance(cell, Estimate):
        drawing = plot.interval(axis, cell.value.median, cell.value.low, cell.value.high, cell.marks)
    return element("td", drawing, class_="drawn")


def text_lines(text: str) -> Markup:
    first, *others = map(with_raised_exponents, text.split("\n"))
    return joined(first, *(joined(empty_element("br"), line) for line in others))


def _cell(cell: Cell, column: Column) -> Markup:
    """`data-label` names a figure where the screen is too narrow for heads."""
    if isinstance(cell, Term):
        name = element("a", cell.name, href=f"#{cell.anchor}") if cell.anchor else cell.name
        return element("th", name, _small(cell.about))
    label = column.title if column.numeric and cell_text(cell) else None
    if isinstance(cell, Estimate):
        text = estimate_text(cell)
        step = ratio_step(cell.value) if isinstance(cell.value, Ratio) else None
        shown = element("span", text, class_=f"chip {step}") if step else element("b", text)
        return element("td", shown, _small(interval_text(cell)), class_="n figure", data_label=label)
    mood = cell.mood.value if isinstance(cell, Verdict) else ""
    classes = f"{'n' if column.numeric else ''} {mood}".strip()
    return element("td", text_lines(cell_text(cell)), class_=classes or None, data_label=label)
