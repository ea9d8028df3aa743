"""The works of Optimized C++, chapter 13: every strategy in every work, beside the book's figures."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.analysis.cells import setting_text as in_words
from mallard.analysis.fixed_block import (
    BesideBook,
    Work,
    beside_book,
    fixed_block_sentences,
    fixed_block_works,
    strategies_of,
)
from mallard.analysis.names import BASE
from mallard.view.html import plot
from mallard.view.html.cell_form import NOTHING
from mallard.view.html.contents import Measured, Section, introduction, section_of, unmeasured
from mallard.view.html.controls import maps
from mallard.view.html.figures import interval, percent, step_of, three_digits, times
from mallard.view.html.markup import Markup, element, joined
from mallard.view.html.says import answer, says
from mallard.view.html.strategy_map import Kind, TimeKind, form_of, strategy_map

NAME = "fixed-block"
KINDS: tuple[Kind, ...] = (
    TimeKind("n", "ns", "CPU nanoseconds: a pair, a replacement, a container, a call. Framed: the fastest."),
    TimeKind(
        "p", "% of new-delete", "In percent of new-delete's time in the same work and version.", relative=True
    ),
)


def fixed_block_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME)
    by_setting = fixed_block_works(measured.rows)
    settings = [_setting(in_words(setting), works) for setting, works in by_setting.items()]
    body = joined(introduction(NAME), maps(NAME, form_of(KINDS), *settings))
    first = next(iter(by_setting.values()))
    return section_of(NAME, body, answer(fixed_block_sentences(first)))


def _setting(text: str, works: Sequence[Work]) -> Markup:
    columns = [(work.label, work.line) for work in works]
    return element(
        "section",
        element("h3", text) if text else None,
        says(fixed_block_sentences(works)),
        _book(beside_book(works)),
        strategy_map(
            text or "works",
            f"Works, {text}: a row for each strategy",
            "",
            columns,
            strategies_of(works),
            KINDS,
        ),
    )


def _book(found: Sequence[BesideBook]) -> Markup | None:
    """The time of blocks of one size relative to the default's, drawn, with diamonds for the book."""
    if not found:
        return None
    values = [each.printed for each in found]
    values += [end for each in found if each.ours for end in (each.ours.low, each.ours.high) if end]
    axis = plot.ratio_axis(values)
    heads = (
        *("work", "with", "new-delete, ns", "blocks of one size, ns", "% of new-delete"),
        plot.scale(axis),
        *("faster", "in the book"),
    )
    head = element("tr", *(element("th", text) for text in heads))
    grid = element(
        "table",
        element("caption", "Blocks of one size beside the book", class_="unseen"),
        element("thead", head),
        element("tbody", *(_row(each, axis) for each in found)),
        class_="averages",
        style=axis.style,
    )
    return element(
        "section",
        element("h4", "Blocks of one size and the default, here and in the book"),
        element("p", "Diamonds: the book's times, the ratio of those printed."),
        element("div", grid, class_="wide", role="region", aria_label="Beside the book", tabindex="0"),
    )


def _row(each: BesideBook, axis: plot.Axis) -> Markup:
    ratio = each.ours
    return element(
        "tr",
        element("th", each.work.label),
        element("td", each.strategy),
        element("td", _time(each.work, BASE), class_="figure"),
        element("td", _time(each.work, each.strategy), class_="figure"),
        element(
            "td",
            element("b", percent(ratio.median), class_=f"chip {step_of(ratio)}") if ratio else NOTHING,
            element("small", interval(ratio)) if ratio else None,
            class_="figure",
        ),
        element("td", _drawing(each, axis), class_="drawn"),
        element("td", times(ratio.median) if ratio else NOTHING, class_="figure"),
        element("td", times(each.printed), class_="figure"),
    )


def _drawing(each: BesideBook, axis: plot.Axis) -> Markup | None:
    ratio = each.ours
    if ratio is None:
        return None
    return plot.interval(axis, ratio.median, ratio.low, ratio.high, [(each.printed, "book")])


def _time(work: Work, name: str) -> str:
    return three_digits(work.line.cells[name].ns_per_operation) if work.line.finished(name) else NOTHING
