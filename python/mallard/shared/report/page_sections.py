"""Sections in a part of a page, whose heat maps share the reader's choice among their layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from mallard.shared.report.markup import Markup, element, empty_element, joined, with_whole_options
from mallard.shared.report.model import Block, Paragraph, Points, Section
from mallard.shared.report.page_map import choice
from mallard.shared.report.palette import with_raised_exponents
from mallard.shared.report.picture import Chart, HeatMap, Layer

Writer = Callable[[Block], Markup | None]


def notes_list(notes: Sequence[str]) -> Markup | None:
    items = (element("li", with_whole_options(note)) for note in notes)
    return element("ul", *items, class_="notes") if notes else None


def sections_markup(name: str, sections: Sequence[Section], write: Writer) -> Markup:
    """Neighbours with the same layers share the choice among them; `name` identifies its buttons."""
    parts = []
    for place, (layers, group) in enumerate(groupby(sections, key=_shared_layers)):
        body = joined(*(_section(section, f"{name}-{place}", write) for section in group))
        parts.append(choice(f"{name}-{place}", layers, body) if layers else body)
    return joined(*parts)


def _shared_layers(section: Section) -> tuple[Layer, ...]:
    return () if section.is_folded else _layers(section)


def _layers(section: Section) -> tuple[Layer, ...]:
    """Those to choose from."""
    maps = [block for block in section.blocks if isinstance(block, HeatMap)]
    layers = maps[0].layers if maps and not maps[0].is_small else ()
    return layers if len(layers) > 1 else ()


def _section(section: Section, name: str, write: Writer) -> Markup:
    anchor = section.anchor or None
    if section.is_folded:
        return _folded(section, name, write)
    blocks = _blocks([*section.answer, *section.blocks], write)
    if not section.title and not anchor:
        return joined(*blocks)
    title = joined(with_raised_exponents(section.title), small(section.about))
    heading = element("h4" if section.is_inner else "h3", title) if section.title else None
    return element("section", heading, *blocks, id=anchor, class_="structure")


def _folded(section: Section, name: str, write: Writer) -> Markup:
    """Large maps have titles, and a choice of their own."""
    is_empty = any(isinstance(block, HeatMap) and block.is_folded for block in section.blocks)
    without = element("noscript", element("p", "A script fills these tables.")) if is_empty else None
    if layers := _layers(section):
        maps = (
            element("section", element("h4", block.title), write(block), class_="structure")
            for block in section.blocks
            if isinstance(block, HeatMap)
        )
        body = choice(f"{section.anchor or name}-cells", layers, *maps)
    else:
        body = joined(*_blocks([*section.answer, *section.blocks], write))
    return element("details", element("summary", section.title), without, body, id=section.anchor or None)


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


def points_list(points: Points) -> Markup | None:
    items = [element("li", text_lines(text)) for text in points.texts]
    return element("ul", *items, class_="says") if items else None


def paragraph_markup(paragraph: Paragraph, class_: str = "") -> Markup:
    classes = f"{class_} {paragraph.mood.value if paragraph.mood else ''}".strip()
    return element("p", text_lines(paragraph.text), class_=classes or None)


def text_lines(text: str) -> Markup:
    first, *others = map(with_raised_exponents, text.split("\n"))
    return joined(first, *(joined(empty_element("br"), line) for line in others))
