"""A report as one self-contained page for a browser: readable without scripts, at most MOST_BYTES long.

The data of its scripts is one JSON, compressed and base64-encoded:

names   [short name, full name, source], which stacks and the flame graph refer to
stacks  lists of names, the innermost first
texts   the descriptions of names in maps
plots   the charts in order: for each series the values of its points
and the data of the other pictures by their kind
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mallard.shared.errors import UsageError
from mallard.shared.prose import capitalised, printable
from mallard.shared.report.figures import UNKNOWN, cell_text, count, figure_text, level, plural, share, size
from mallard.shared.report.markup import LIMITS, Markup, PageNames, element, joined, slug, with_whole_options
from mallard.shared.report.model import (
    Aside,
    Block,
    Cell,
    Change,
    Code,
    Column,
    Duck,
    Estimate,
    Facts,
    Figure,
    Flame,
    Histograms,
    Meter,
    Meters,
    Mood,
    Name,
    Paragraph,
    Points,
    Ranking,
    Report,
    Row,
    Section,
    Stack,
    Table,
    Term,
    Timeline,
    Unit,
    Verdict,
)
from mallard.shared.report.page_chart import DOT, line_plot, plot_data
from mallard.shared.report.page_estimates import Axis, drawing, estimate_axes, estimate_markup, scale
from mallard.shared.report.page_map import MapData, map_data, map_markup, maps_data
from mallard.shared.report.page_pictures import duck, flame_graph, histograms, timeline
from mallard.shared.report.page_sections import (
    body_frame,
    caution,
    html_document,
    inline_scripts,
    notes_list,
    paragraph_markup,
    points_list,
    row_filters,
    sections_markup,
    small,
    table_filters,
    text_lines,
)
from mallard.shared.report.picture import Chart, HeatMap, with_raised_exponents

MOST_BYTES = 5_000_000
STYLES = (
    *("report.css", "maps.css", "plots.css", "profile/profile.css", "profile/figures.css", "tables.css"),
    "print.css",
)
OF_PICTURES = {  # scripts by the data that they show
    "maps": ("cells.js", "heat.js"),
    "plots": ("plots.js",),
    "flame": ("profile/flame.js",),
    "timeline": ("profile/timeline.js",),
}
OF_TABLES = ("profile/tables.js", "filters.js", "sections.js")
MIDDLE_DOT = "\N{MIDDLE DOT}"
LEVELS = 6  # of a stack that are in the page without the script
RANKS = 3  # of a ranking


@dataclass(frozen=True)
class Part:
    """A part of a page, to which the navigation leads: sections below a heading. Its answer is at a glance.
    One that was not measured has a command that does it.
    """

    anchor: str
    title: str  # in the navigation
    heading: str
    sections: tuple[Section, ...] = ()
    introduction: str = ""
    notes: tuple[str, ...] = ()
    answer: str = ""
    command: str = ""


def report_page(report: Report, command: str = "") -> str:
    """`command` is the one that was typed. Raises UsageError for a page that is too long even with short
    names."""
    header = replace(report, subject=report.subject or command)
    parts = _parts(report.sections)
    bytes_ = 0
    for limits in LIMITS:
        page = _Page(PageNames(limits)).render(header, parts, notes_list(report.notes))
        bytes_ = len(page.encode())
        if bytes_ <= MOST_BYTES:
            return page
    raise UsageError(
        f"The page would have {size(bytes_)}, and at most {size(MOST_BYTES)} are allowed; "
        "leave --html out, or take --json"
    )


def parts_page(header: Report, parts: Sequence[Part], texts: Mapping[str, str]) -> str:
    """A page of several reports, with the beginning of `header`. `texts` describe names in maps."""
    return _Page(PageNames(LIMITS[0]), texts).render(header, parts)


def _parts(sections: Sequence[Section]) -> list[Part]:
    """Each section with the inner ones behind it."""
    parts: list[Part] = []
    for section in sections:
        if section.is_inner and parts:
            parts[-1] = replace(parts[-1], sections=(*parts[-1].sections, section))
            continue
        anchor = _anchor(section, {part.anchor for part in parts})
        about = capitalised(f"{section.about}.") if section.about else ""
        whole = replace(section, title="", about="", anchor="")
        parts.append(Part(anchor, section.title, section.title, (whole,), about))
    return parts


def _anchor(section: Section, others: Collection[str]) -> str:
    """The id of a section: its title without blanks, once."""
    anchor = section.anchor or re.sub("[^a-z0-9]+", "-", section.title.lower()).strip("-") or "part"
    return f"{anchor}-{len(others)}" if anchor in (*others, "main", "panel") else anchor


def _printable(data: Any) -> Any:
    """Data of scripts, with the control characters of all texts escaped."""
    match data:
        case str():
            return "\t".join(map(printable, data.split("\t")))  # in front of small texts
        case dict():
            return {name: _printable(value) for name, value in data.items()}
        case list() | tuple():
            return [_printable(value) for value in data]
    return data


class _Page:
    def __init__(self, names: PageNames, texts: Mapping[str, str] | None = None) -> None:
        self._names = names
        self._data: dict[str, Any] = {"texts": texts or {}}  # of the scripts
        self._maps: list[MapData] = []
        self._plots: list[list[list[tuple[str, str]]]] = []

    def render(self, header: Report, parts: Sequence[Part], *end: Markup | None) -> str:
        body = body_frame(
            _header(header), list(map(_link, parts)), _glance(parts), *map(self._part, parts), *end
        )
        if self._maps:
            self._data["maps"] = maps_data(self._maps)
        if self._plots:
            self._data["plots"] = self._plots
        scripts = [script for kind, files in OF_PICTURES.items() if kind in self._data for script in files]
        return html_document(
            header.title,
            STYLES,
            body,
            DOT if self._plots else None,
            element("script", Markup(self._packed()), id="report-data", type="application/octet-stream"),
            inline_scripts(("panel.js", "profile/data.js", *scripts, *OF_TABLES)),
        )

    def _part(self, part: Part) -> Markup:
        if part.command:
            words = "Not measured yet. This does it: "
            body = element("p", words, element("code", with_whole_options(part.command)), class_="absent")
        else:
            introduction = element("p", text_lines(part.introduction)) if part.introduction else None
            sections = sections_markup(part.anchor, part.sections, self.block)
            body = joined(introduction, sections, notes_list(part.notes))
        return element("section", element("h2", part.heading), body, id=part.anchor, class_="part")

    def _packed(self) -> str:
        data = _printable(self._names.data | self._data)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(zlib.compress(text.encode(), 7)).decode()

    def block(self, block: Block) -> Markup | None:
        match block:
            case Paragraph():
                return paragraph_markup(block)
            case Table():
                return self._table(block)
            case Facts():
                return self._facts(block)
            case Aside(title, blocks):
                return joined(element("h3", title) if title else None, *map(self.block, blocks))
            case Flame():
                markup, self._data["flame"] = flame_graph(block, self._names)
                return markup
            case Timeline():
                markup, self._data["timeline"] = timeline(block, self._names)
                return markup
            case Duck():
                return duck(block)
            case Code(text):
                code = element("code", text)
                return element("pre", code, tabindex="0", role="group", aria_label="Code to paste")
            case Histograms():
                return histograms(block)
            case Points():
                return points_list(block)
            case HeatMap():
                self._maps.append(map_data(block))
                return map_markup(block)
            case Chart():
                self._plots.append(plot_data(block))
                return line_plot(block)

    def _facts(self, facts: Facts) -> Markup:
        if facts.is_large:
            tiles = [
                element(
                    "li",
                    element("span", fact.label, class_="label"),
                    element("b", self._inside(fact.value)),
                    element("small", fact.text),
                    class_="alarm" if fact.mood is Mood.BAD else None,
                )
                for fact in facts.facts
            ]
            return element("ul", *tiles, class_="tiles")
        rows = [
            joined(
                element("dt", fact.label),
                element("dd", self._inside(fact.value), with_whole_options(f" {fact.text}".rstrip())),
            )
            for fact in facts.facts
        ]
        return element("dl", *rows, class_="terms")

    def _table(self, table: Table) -> Markup:
        """Rows with a note or details are bodies of their own, so that a script can sort them."""
        axes = estimate_axes(table)
        heads = [
            joined(
                element(
                    "th",
                    text_lines(column.title),
                    class_="n" if column.numeric else None,
                    title=column.about or None,
                ),
                element("th", scale(axes[column])) if column in axes else None,
            )
            for column in table.columns
        ]
        has_names = any(isinstance(cell, Name | Stack | Ranking) for row in table.rows for cell in row.cells)
        shown = table.rows[: self._names.limits.rows] if has_names else table.rows
        has_bodies = any(row.note or row.details for row in shown)
        rows = [self._row(row, table, axes) for row in shown]
        classes = ["facts-table", "sortable"]
        if has_bodies:
            bodies = [
                element("tbody", markup, self._more(row, len(heads)))
                for markup, row in zip(rows, shown, strict=True)
            ]
            classes.append("noted")
        else:
            bodies = [element("tbody", *rows)]
        if any(isinstance(cell, Stack | Ranking) for row in shown for cell in row.cells):
            classes.append("stacks")
        if axes:
            classes.append("averages")
        grid = element(
            "table",
            element("caption", table.caption, class_="unseen"),
            element("thead", element("tr", *heads)),
            *bodies,
            class_=" ".join(classes),
            style=next(iter(axes.values())).style if axes else None,
            id=slug(table.caption) if table.filters else None,
        )
        hidden = len(table.rows) - len(shown) + table.unlisted
        return joined(
            table_filters(table),
            element("div", grid, class_="wide", role="group", aria_label=table.caption, tabindex="0"),
            element("p", f"{plural(hidden, table.noun)} not listed.", class_="setting") if hidden else None,
        )

    def _row(self, row: Row, table: Table, axes: Mapping[Column, Axis]) -> Markup:
        return element(
            "tr",
            *(
                joined(
                    self._cell(cell, column, is_first=place == 0),
                    drawing(cell, axes[column]) if column in axes else None,
                )
                for place, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True))
            ),
            class_=row.mood.value if row.mood else None,
            **row_filters(table, row),
        )

    def _more(self, row: Row, width: int) -> Markup:
        inside: Markup | str = row.note
        if row.details:
            blocks = (element("div", self.block(block)) for block in row.details)
            inside = element(
                "details",
                element("summary", element("span", inside, class_="short")),
                element("div", *blocks, class_="columns in-depth"),
            )
        return element("tr", element("td", inside, colspan=str(width)), class_="more")

    def _cell(self, cell: Cell, column: Column, *, is_first: bool) -> Markup:
        """`data-label` names a cell where the screen is too narrow for heads, `data-v` sorts a figure."""
        label = None if is_first or cell is None else column.title.replace("\n", " ") or None
        classes = ["n"] if column.numeric else []
        inside = self._inside(cell)
        value = None
        if isinstance(cell, Estimate):
            classes.append("figure")
        elif isinstance(cell, Change):
            value = f"{cell.after - cell.before:.6g}"
        elif isinstance(cell, Figure):
            value = f"{-1.0 if cell.value is None else cell.value:.6g}"
            classes += [cell.mood.value] if cell.mood else []
            if cell.unit is Unit.SHARE:
                classes.append("filled")
                inside = joined(
                    element("span", style=f"width:{100 * (cell.value or 0.0):.1f}%", class_="fill"),
                    element("span", inside),
                )
        is_head = isinstance(cell, Term) or (isinstance(cell, Name) and is_first)
        return element(
            "th" if is_head else "td",
            inside,
            class_=" ".join(classes) or None,
            data_label=None if is_head else label,
            data_v=value,
        )

    def _inside(self, cell: Cell) -> Markup:
        match cell:
            case Verdict(word, mood, note):
                about = element("small", text_lines(note)) if note else None
                return joined(element("span", word, class_=f"word {mood.value}"), about)
            case Figure():
                return joined(figure_text(cell), small("" if cell.part is None else share(cell.part)))
            case Meter():
                return _meter(cell)
            case Meters(items):
                return _small_meters(items)
            case Name():
                return self._names.markup(cell)
            case Term(name, about, anchor):
                return joined(element("a", name, href=f"#{anchor}") if anchor else name, small(about))
            case Estimate():
                return estimate_markup(cell)
            case Ranking(items):
                return self._ranking(items)
            case Stack():
                return self._stack(cell)
        return text_lines(cell_text(cell))

    def _ranking(self, items: Sequence[tuple[Name, str]]) -> Markup:
        shown = [
            element(
                "li",
                self._names.last(name),
                element("small", text),
                title=self._names.cut(name.source or name.full) or None,
            )
            for name, text in items[:RANKS]
        ]
        more = element("li", f"{len(items) - RANKS} more", class_="setting") if len(items) > RANKS else None
        return element("ul", *shown, more, class_="plain") if items else joined(UNKNOWN)

    def _stack(self, stack: Stack) -> Markup:
        """A folded stack. The script adds the levels that are missing."""
        about = element("small", stack.about) if stack.about else None
        if not stack.levels:
            return element("span", stack.about or "no stack", class_="setting")
        first, *others = stack.levels
        head = self._names.markup(first, narrow=True)
        if not others:
            return joined(head, about)
        items = [element("li", self._names.markup(name, narrow=True)) for name in others[:LEVELS]]
        remaining = len(others) - len(items)
        more = element("li", f"{count(remaining)} more", class_="setting") if remaining else None
        number = self._names.stack_number(others) if remaining else None
        folded = element(
            "details",
            element("summary", head),
            element("ol", *items, more),
            class_="stack",
            data_stack=None if number is None else str(number),
        )
        return joined(folded, about)


def _header(header: Report) -> Markup:
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", header.title),
        element("p", element("code", with_whole_options(header.subject)), class_="command")
        if header.subject
        else None,
        element("p", f" {MIDDLE_DOT} ".join(header.conditions), class_="conditions")
        if header.conditions
        else None,
        paragraph_markup(header.answer, "lead") if header.answer.text else None,
        caution(header.doubts),
    )


def _link(part: Part) -> Markup:
    return element(
        "a",
        part.title,
        href=f"#{part.anchor}",
        class_="absent" if part.command else None,
        title="not measured yet" if part.command else None,
    )


def _glance(parts: Sequence[Part]) -> Markup | None:
    """The answers of the parts behind the leading one, a sentence each."""
    items = [
        element(
            "li",
            element("a", part.title, href=f"#{part.anchor}"),
            element("p", with_raised_exponents(part.answer)),
        )
        for part in [part for part in parts if part.answer][1:]
    ]
    if not items:
        return None
    return element(
        "section", element("h2", "At a glance", class_="unseen"), element("ul", *items), class_="glance"
    )


def _meter(meter: Meter) -> Markup:
    """The interval lies over the end of a large bar."""

    def percent(value: float | None) -> str:
        return f"{100 * min(max(value or 0.0, 0.0), 1.0):.2f}%"

    inside = element("i", style=f"width:{percent(meter.value)}")
    if not meter.is_large:
        return element("span", inside, class_="meter" if meter.value is not None else "meter unknown")
    whisker = None
    if meter.interval:
        low, high = meter.interval
        whisker = element("b", style=f"left:{percent(low)};width:{percent(high - low)}")
    mark = element("u", style=f"left:{percent(meter.mark)}") if meter.mark is not None else None
    return element("span", inside, whisker, mark, class_="time-bar")


def _small_meters(items: Sequence[tuple[str, str, float | None]]) -> Markup:
    """Tiny columns, for a cell of a table."""
    columns = [
        element(
            "span",
            element("i", style=f"height:{100 * min(max(value or 0.0, 0.0), 1.0):.0f}%"),
            element("b", letter),
            title=f"{name} {level(value)}",
        )
        for letter, name, value in items
    ]
    label = ", ".join(f"{letter} {level(value)}" for letter, _, value in items)
    return element("span", *columns, class_="six", role="img", aria_label=label)
