"""The frame of a page, the sections of its parts, whose heat maps share the reader's choice among their
layers, and the selection of a table's rows: radio buttons for the styles, and a search for the script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from itertools import groupby

from mallard.shared.report.figures import cell_text
from mallard.shared.report.markup import Markup, element, empty_element, joined, slug, with_whole_options
from mallard.shared.report.model import Block, Paragraph, Points, Row, Section, Table, Verdict
from mallard.shared.report.page_map import choice
from mallard.shared.report.picture import Chart, HeatMap, Layer, with_raised_exponents

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


MAIN = "main"


def body_frame(header: Markup, links: Sequence[Markup], *sections: Markup | None) -> Markup:
    """The visible body. The panel at its end shows the figures of the element under pointer or focus."""
    return joined(
        element("a", "Skip to the content", href=f"#{MAIN}", class_="skip"),
        header,
        element("nav", *links, aria_label="Sections"),
        element("main", *sections, id=MAIN, tabindex="-1"),
        element("div", class_="panel", id="panel", role="status", hidden=True),
    )


def html_document(title: str, styles: Sequence[str], *body: Markup | None) -> str:
    head = joined(
        empty_element("meta", charset="utf-8"),
        empty_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty_element("meta", name="color-scheme", content="light dark"),
        empty_element("link", rel="icon", href="data:,"),
        element("title", f"mallard: {title}"),
        element("style", _static_text(styles)),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", *body)}</html>\n'


def caution(texts: Sequence[str]) -> Markup | None:
    """A box for what a reader must know of the figures; it follows the answer."""
    if not texts:
        return None
    items = (element("li", text) for text in texts)
    return element(
        "div", element("b", "Read with care"), element("ul", *items), class_="caution", role="note"
    )


def inline_scripts(names: Sequence[str]) -> Markup:
    return element("script", _static_text(names))


def _static_text(names: Sequence[str]) -> Markup:
    """Files of static/, without indents and comment lines."""
    folder = resources.files("mallard.shared.report") / "static"
    texts = ((folder / name).read_text(encoding="utf-8").splitlines() for name in names)
    lines = ([line for line in map(str.strip, text) if line and not line.startswith("//")] for text in texts)
    return Markup("".join(map("\n".join, lines)))


def table_filters(table: Table) -> Markup | None:
    if not table.filters:
        return None
    name = slug(table.caption)
    rules, fieldsets = [], []
    for place in _places(table):
        title = table.columns[place].title
        counts = Counter(_option(row, place) for row in table.rows)
        options = [(f"every {title}", "all", len(table.rows))]
        options += [(option, slug(option), count) for option, count in counts.items()]
        group = f"{name}-{slug(title)}"
        legend = element("legend", f"Only this {title}", class_="unseen")
        buttons = (_button(group, key, text, count) for text, key, count in options)
        fieldsets.append(element("fieldset", legend, *buttons, class_="choice"))
        rules += [
            f"body:has(#{group}-{key}:checked) #{name} tbody tr:not([data-{slug(title)}={key}])"
            for _, key, _ in options[1:]
        ]
    search = element(
        "p",
        element("label", "with the words ", empty_element("input", type="search", id=f"{name}-search")),
        element("output", f"{len(table.rows)} rows", aria_live="polite"),
        class_="search",
    )
    style = element("style", Markup(f"{','.join(rules)}{{display:none}}"))
    return element("div", *fieldsets, search, style, class_="filters", data_table=name)


def row_filters(table: Table, row: Row) -> Mapping[str, str]:
    """The attributes by which the style sheet selects the row."""
    return {f"data_{slug(table.columns[place].title)}": slug(_option(row, place)) for place in _places(table)}


def _places(table: Table) -> list[int]:
    titles = [column.title for column in table.columns]
    return [titles.index(title) for title in table.filters]


def _option(row: Row, place: int) -> str:
    cell = row.cells[place]
    return cell.word if isinstance(cell, Verdict) else cell_text(cell)


def _button(group: str, key: str, text: str, count: int) -> Markup:
    identity = f"{group}-{key}"
    return joined(
        empty_element("input", type="radio", name=group, id=identity, value=key, checked=key == "all"),
        element("label", text, " ", element("small", str(count)), for_=identity),
    )
