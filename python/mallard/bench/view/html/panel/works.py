"""Works: every strategy in every work, with the book's figures beside some."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.cell_tables import setting_text as in_words
from mallard.bench.analysis.panel.work_sentences import work_sentences
from mallard.bench.analysis.panel.works import Work, group_works, work_strategies
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.view.html.cells.controls import maps
from mallard.bench.view.html.cells.strategy_map import Kind, TimeKind, make_form, strategy_map
from mallard.bench.view.html.contents import Measured, Section, experiment_section, introduction, unmeasured
from mallard.bench.view.html.panel.beside_book import book_table
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences


def works_section(experiment: Experiment, panel: Works, measured: Measured | None) -> Section:
    name = experiment.name
    if measured is None:
        return unmeasured(name)
    kinds: tuple[Kind, ...] = (
        TimeKind("n", "ns", panel.text),
        TimeKind("p", "% of new-delete", panel.relative, relative=True),
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
        book_table(works),
        strategy_map(
            text or "works",
            f"Works, {text}: a row for each strategy",
            "",
            columns,
            work_strategies(works),
            kinds,
        ),
    )
