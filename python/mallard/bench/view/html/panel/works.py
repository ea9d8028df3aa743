"""Works: every strategy in every work, with the figures of Optimized C++, chapter 13, beside some."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.cell_tables import setting_text as in_words
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.works import (
    BesideBook,
    Work,
    beside_book,
    group_works,
    work_sentences,
    work_strategies,
)
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.view.html.cells.heat_map import NOTHING, maps
from mallard.bench.view.html.cells.strategy_map import AmountKind, Kind, TimeKind, make_form, strategy_map
from mallard.bench.view.html.contents import Measured, Section, experiment_section, introduction, unmeasured
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import interval, percent, ratio_step, three_digits, times
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences
from mallard.shared.view.html.tables import data_table, drawn_cell, figure_cell, scrolled, table_row


def works_section(experiment: Experiment, panel: Works, measured: Measured | None) -> Section:
    name = experiment.name
    if measured is None:
        return unmeasured(name)
    kinds: tuple[Kind, ...] = (
        TimeKind("n", "ns", panel.text),
        TimeKind("p", "% of new-delete", panel.relative, relative=True),
        *(
            AmountKind(letter, amount.short, amount.text, amount.figure)
            for letter, amount in zip("m", panel.amounts, strict=False)
        ),
    )
    by_setting = group_works(name, measured.rows)
    settings = [_setting(name, kinds, in_words(setting), works) for setting, works in by_setting.items()]
    body = joined(introduction(name), maps(name, make_form(kinds), *settings))
    first = next(iter(by_setting.values()))
    return experiment_section(name, body, answer(work_sentences(name, first)))


def _setting(name: str, kinds: tuple[Kind, ...], text: str, works: Sequence[Work]) -> Markup:
    columns = [(work.label, work.line) for work in works]
    return element(
        "section",
        element("h3", text) if text else None,
        render_sentences(work_sentences(name, works)),
        book_table(works, "h4" if text else "h3"),
        strategy_map(
            text or "works",
            f"Works, {text}: a row for each strategy",
            "",
            columns,
            work_strategies(works),
            kinds,
        ),
    )


def book_table(works: Sequence[Work], heading: str) -> Markup | None:
    """The time of blocks of one size relative to the default's, drawn, with diamonds for the book."""
    entries = beside_book(works)
    if not entries:
        return None
    values = [entry.printed for entry in entries]
    values += [end for entry in entries if entry.ours for end in (entry.ours.low, entry.ours.high) if end]
    axis = plot.ratio_axis(values)
    heads = (
        *("work", "with", "new-delete, ns", "blocks of one size, ns", "% of new-delete", plot.scale(axis)),
        *("faster", "in the book"),
    )
    rows = (_row(entry, axis) for entry in entries)
    caption = "Blocks of one size beside the book"
    grid = scrolled(data_table(heads, rows, "averages", caption, axis), "Beside the book")
    return element(
        "section",
        element(heading, "Blocks of one size and the default, here and in the book"),
        element("p", "Diamonds: the book's times, the ratio of those printed."),
        grid,
    )


def _row(entry: BesideBook, axis: plot.Axis) -> Markup:
    ratio = entry.ours
    return table_row(
        entry.work.label,
        entry.strategy,
        figure_cell(_time(entry.work, BASE)),
        figure_cell(_time(entry.work, entry.strategy)),
        figure_cell(
            element("b", percent(ratio.median), class_=f"chip {ratio_step(ratio)}") if ratio else NOTHING,
            element("small", interval(ratio)) if ratio else None,
        ),
        drawn_cell(axis, ratio, [(entry.printed, "book")]),
        figure_cell(times(ratio.median) if ratio else NOTHING),
        figure_cell(times(entry.printed)),
    )


def _time(work: Work, name: str) -> str:
    return three_digits(work.line.cells[name].ns_per_operation) if work.line.finished(name) else NOTHING
