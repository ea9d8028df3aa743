"""The selection of a table's rows on a page: radio buttons for the styles, and a search for the script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mallard.shared.report.figures import cell_text
from mallard.shared.report.markup import Markup, element, empty_element, joined, slug
from mallard.shared.report.model import Row, Table, Verdict


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
