"""Benchmark I: averages, the cost of dispatch, the gain of winking out, and a heat map for each
structure."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.cell_tables import StructureTable
from mallard.bench.analysis.summary import Summary, summaries
from mallard.bench.analysis.verdicts import Verdict, sentence
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.papers.tables import P0089, P0213, PRINTED_DISPATCH, PRINTED_WINK_OUT, own_table
from mallard.bench.view.html.cells.beside import beside
from mallard.bench.view.html.cells.controls import maps
from mallard.bench.view.html.cells.race_cells import Published, race_form
from mallard.bench.view.html.cells.race_table import RaceTable
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    introduction,
    setting_text,
    unmeasured,
)
from mallard.bench.view.html.panel.density.averages import averages_table
from mallard.bench.view.html.panel.density.effects import effect_block
from mallard.bench.view.html.panel.density.unfinished import unfinished_table
from mallard.bench.view.html.panel.density.verdict import headline, reading_help, verdict_table
from mallard.shared.view.html.figures import size
from mallard.shared.view.html.markup import Markup, element, joined

WORDING = Wording("a leaf", "leaves", "one leaf element, made and destroyed")
RACE = RaceTable(race_form(WORDING, "pincdfm"))
NAME = "density"
TITLE_PARTS = ("buffer", "pages", "hash", "product_log2", "compiler")  # the parts of a setting in a title


def sections(measured: Measured | None) -> list[Section]:
    """The strategy to use for each structure, and the section of the experiment."""
    all_summaries = summaries(measured.rows) if measured else []
    return [_verdict(all_summaries), _density(all_summaries)] if all_summaries else [unmeasured(NAME)]


def _verdict(summaries: Sequence[Summary]) -> Section:
    blocks = [
        _block(summaries, number, "verdict", joined(reading_help(summary), verdict_table(summary)))
        for number, summary in enumerate(summaries)
    ]
    return Section("verdict", "Verdict", "The strategy to use", joined(*blocks))


def _density(summaries: Sequence[Summary]) -> Section:
    blocks = [
        _block(summaries, number, "density", _everything(summary, number))
        for number, summary in enumerate(summaries)
    ]
    return experiment_section(NAME, joined(introduction(NAME), *blocks), headline(summaries[0]))


def _block(summaries: Sequence[Summary], number: int, name: str, body: Markup) -> Markup:
    """The block of one setting. The first has the section's own anchor; if there are more, each has a
    title."""
    heading = (
        element("h3", setting_text(summaries[number].setting, TITLE_PARTS), class_="setting")
        if len(summaries) > 1
        else None
    )
    return element("div", heading, body, id=f"{name}-{number}" if number else None)


def _everything(summary: Summary, number: int) -> Markup:
    mark = f"-{number}" if number else ""
    return joined(
        element(
            "section",
            element("h3", "Averages over all rows"),
            element(
                "p",
                "Every row counts alike, in percent of its own new-delete, as in P0213's Table 8. Diamonds "
                "are the means of published figures over the same rows: filled P0213, open P0089.",
            ),
            averages_table(summary),
            id=f"averages{mark}",
        ),
        element(
            "section",
            element("h3", "Virtual dispatch and winking out"),
            _effects(summary),
            id=f"effects{mark}",
        ),
        maps(
            f"show{mark}",
            RACE.form,
            *_maps(summary, mark),
            head=element("h3", "A heat map for each data structure"),
            anchor=f"maps{mark}",
        ),
        unfinished_table(summary, mark),
    )


def _effects(summary: Summary) -> Markup:
    dispatch = effect_block(
        "Cost of virtual dispatch",
        summary.dispatch,
        PRINTED_DISPATCH,
        "run time through the abstract base",
        True,
    )
    wink_out = effect_block(
        "Gain of winking out", summary.wink_out, PRINTED_WINK_OUT, "of the run time saved", False
    )
    return element("div", dispatch, wink_out, class_="columns")


def _maps(summary: Summary, mark: str) -> list[Markup]:
    return [
        _map(summary, table, verdict, mark)
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True)
    ]


def _map(summary: Summary, table: StructureTable, verdict: Verdict, mark: str) -> Markup:
    p0213, p0089 = own_table(P0213, table.structure), own_table(P0089, table.structure)
    grid = RACE.markup(
        table.type,
        f"{table.structure}, {table.type}: one row for each size of the outer container",
        "size",
        table.strategies,
        [(size(line.size_log2), line) for line in table.lines],
        lambda line, name: Published(
            beside(p0213, line.place, name, line.cells.get(name)),
            beside(p0089, line.place, name, line.cells.get(name)),
        ),
    )
    says = sentence(verdict).removeprefix(f"{table.type}: ")
    return element(
        "section",
        element("h4", table.type, element("small", table.structure)),
        element("p", says[:1].upper() + says[1:], class_="says"),
        grid,
        id=f"{table.structure}{mark}",
        class_="structure",
    )
