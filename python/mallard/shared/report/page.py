"""A report as one self-contained page for a browser."""

from __future__ import annotations

from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Block, Cell, Column, Paragraph, Report, Section, Table, Verdict
from mallard.shared.view.html.document import body_frame, html_document
from mallard.shared.view.html.markup import Markup, element, empty_element, joined

STYLES = ("report.css", "profile/profile.css", "print.css")


def report_page(report: Report, command: str) -> str:
    """`command` is the one that was typed."""
    header = element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", report.title),
        element("p", element("code", command), class_="command"),
        _paragraph(report.answer, "lead"),
    )
    names = [f"part-{place}" for place in range(len(report.sections))]
    links = [
        element("a", section.title, href=f"#{name}")
        for name, section in zip(names, report.sections, strict=True)
    ]
    parts = [_section(name, section) for name, section in zip(names, report.sections, strict=True)]
    notes = [element("li", note) for note in report.notes]
    footer = element("ul", *notes, class_="notes") if notes else None
    return html_document(report.title, STYLES, body_frame(header, links, *parts, footer))


def _section(name: str, section: Section) -> Markup:
    return element(
        "section", element("h2", section.title), *map(_block, section.blocks), id=name, class_="part"
    )


def _block(block: Block) -> Markup:
    return _table(block) if isinstance(block, Table) else _paragraph(block)


def _paragraph(paragraph: Paragraph, class_: str = "") -> Markup:
    classes = f"{class_} {paragraph.mood.value if paragraph.mood else ''}".strip()
    return element("p", _lines(paragraph.text), class_=classes or None)


def _table(table: Table) -> Markup:
    heads = [
        element("th", column.title, class_="n" if column.numeric else None, title=column.about or None)
        for column in table.columns
    ]
    rows = [
        element(
            "tr",
            *(_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)),
            class_=row.mood.value if row.mood else None,
        )
        for row in table.rows
    ]
    grid = element(
        "table",
        element("caption", table.caption, class_="unseen"),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="facts-table",
    )
    return element("div", grid, class_="wide", role="group", aria_label=table.caption, tabindex="0")


def _lines(text: str) -> Markup:
    first, *others = text.split("\n")
    return joined(first, *(joined(empty_element("br"), line) for line in others))


def _cell(cell: Cell, column: Column) -> Markup:
    """`data-label` names a figure where the screen is too narrow for heads."""
    text = cell_text(cell)
    inside = _lines(text)
    mood = cell.mood.value if isinstance(cell, Verdict) else ""
    if column.numeric:
        label = column.title if text else None
        return element("td", inside, class_=f"n {mood}".strip(), data_label=label)
    return element("td", inside, class_=mood or None)
