"""Sections in a part of a page, whose heat maps share the reader's choice among their layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from mallard.shared.report.model import Block, Paragraph, Points, Section
from mallard.shared.report.page_chart import line_plot
from mallard.shared.report.page_map import choice, map_table
from mallard.shared.report.picture import Chart, HeatMap, Layer
from mallard.shared.view.html.figures import with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, empty_element, joined

Writer = Callable[[Block], Markup | None]


def notes_list(notes: Sequence[str]) -> Markup | None:
    return element("ul", *(element("li", note) for note in notes), class_="notes") if notes else None


def sections_markup(name: str, sections: Sequence[Section], write: Writer) -> Markup:
    """Neighbours with the same layers share the choice among them; `name` identifies its buttons."""
    parts = []
    for place, (layers, group) in enumerate(groupby(sections, key=_choosable)):
        body = joined(*(_section(section, write) for section in group))
        parts.append(choice(f"{name}-{place}", layers, body) if layers else body)
    return joined(*parts)


def _choosable(section: Section) -> tuple[Layer, ...]:
    maps = [block for block in section.blocks if isinstance(block, HeatMap)]
    layers = maps[0].layers if maps and not maps[0].is_small else ()
    return layers if len(layers) > 1 and not section.is_folded else ()


def _section(section: Section, write: Writer) -> Markup:
    blocks = _blocks([*section.answer, *section.blocks], write)
    anchor = section.anchor or None
    if section.is_folded:
        is_empty = any(isinstance(block, HeatMap) and block.is_folded for block in section.blocks)
        without = element("noscript", element("p", "A script fills these tables.")) if is_empty else None
        return element("details", element("summary", section.title), without, *blocks, id=anchor)
    title = joined(with_raised_exponents(section.title), small(section.about))
    heading = element("h4" if section.is_inner else "h3", title) if section.title else None
    return element("section", heading, *blocks, id=anchor, class_="structure")


def small(text: str) -> Markup | None:
    return element("small", with_raised_exponents(text)) if text else None


def _blocks(blocks: Sequence[Block], write: Writer) -> list[Markup | None]:
    """Charts and small maps stand side by side."""
    return [
        element("div", *map(write, group), class_=row) if row else joined(*map(write, group))
        for row, group in groupby(blocks, key=_row_class)
    ]


def _row_class(block: Block) -> str:
    if isinstance(block, Chart):
        return "plots"
    return "side-by-side" if isinstance(block, HeatMap) and block.is_small else ""


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


def text_lines(text: str) -> Markup:
    first, *others = map(with_raised_exponents, text.split("\n"))
    return joined(first, *(joined(empty_element("br"), line) for line in others))
