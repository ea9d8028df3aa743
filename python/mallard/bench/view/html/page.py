"""The report: one self-contained page, made of its sections, style and script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.panels import panel_report
from mallard.bench.analysis.peers import cell_results, counterparts, has_contenders
from mallard.bench.choose import decision_chart
from mallard.bench.claims import ledger
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.coverage import coverage
from mallard.bench.result import Row
from mallard.bench.view.claims import claims_report
from mallard.bench.view.conditions import cautions, conditions_report, reproduction_report
from mallard.bench.view.decision import chart_report
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    report_section,
    unmeasured,
)
from mallard.bench.view.html.peers_maps import absent_libraries, peers_maps
from mallard.bench.view.paper_notes import paper_notes_report
from mallard.bench.view.peers import peers_report
from mallard.shared.report.page_chart import DOT
from mallard.shared.report.page_map import picture_data
from mallard.shared.view.html.document import body_frame, caution, html_document, inline_scripts
from mallard.shared.view.html.markup import Markup, element

TITLE = "Which allocation strategy is fastest here?"
STYLES = (
    *("report.css", "maps.css", "plots.css", "peers.css", "profile/profile.css", "tables.css"),
    "print.css",
)
SCRIPTS = ("panel.js", "cells.js", "heat.js", "plots.js", "filters.js", "sections.js")


def page(measured: Mapping[str, Measured], evidence: Sequence[Row] = ()) -> str:
    """`measured` has the shown run of each experiment, at least one. Claims and decisions also use the rows
    of `evidence`, because a run of a special setting may answer more than the newest one.
    """
    sections = _sections(measured, evidence)
    body = body_frame(
        _header(measured, sections),
        _links(sections),
        _glance(sections),
        *(section.markup() for section in sections),
        DOT,
    )
    return html_document(
        TITLE, STYLES, body, picture_data(body, _strategies(measured, evidence)), inline_scripts(SCRIPTS)
    )


def _sections(measured: Mapping[str, Measured], evidence: Sequence[Row]) -> list[Section]:
    runs = list(measured.values())
    rows = evidence or [row for entry in runs for row in entry.rows]
    return [
        *(_of_experiment(name, measured.get(name)) for name in EXPERIMENTS),
        _peers(rows, runs),
        report_section("claims", "Claims", claims_report(ledger(rows), covered=coverage(rows))),
        report_section("decision", "Decide", chart_report(decision_chart(rows))),
        report_section("conditions", "Conditions", conditions_report(runs)),
        report_section("reproduce", "Reproduce", reproduction_report(runs)),
        report_section("papers", "Papers", paper_notes_report(measured)),
    ]


def _peers(rows: Sequence[Row], measured: Sequence[Measured]) -> Section:
    all_results = cell_results(rows) if has_contenders(rows) else []
    if not all_results:
        return Section(
            "peers", "Peers", "Beside other libraries", None, command="mallard bench density --contenders"
        )
    report = peers_report(
        all_results, counterparts(rows), absent=absent_libraries(measured), has_overview=False
    )
    return report_section("peers", "Peers", report, peers_maps(all_results))


def _strategies(measured: Mapping[str, Measured], evidence: Sequence[Row]) -> dict[str, str]:
    """The description of each strategy, for the panel."""
    rows = (row for rows in (evidence, *(entry.rows for entry in measured.values())) for row in rows)
    return {name: strategy_text(name) for name in in_table_order({row.strategy for row in rows})}


def _of_experiment(name: str, measured: Measured | None) -> Section:
    if measured is None or not measured.rows:
        return unmeasured(name)
    return experiment_section(name, panel_report(name, measured.rows, measured.run.machine.get("cores")))


def _header(measured: Mapping[str, Measured], sections: Sequence[Section]) -> Markup:
    newest = max((entry.run for entry in measured.values()), key=lambda run: run.id)
    runs = sorted(entry.run.id for entry in measured.values())
    facts = [
        str(newest.machine.get("cpu") or "unknown processor"),
        str(newest.runner.get("compiler", "")),
        newest.started[:10],
        f"{newest.scale} scale",
        f"run{'s' if len(runs) > 1 else ''} {', '.join(map(str, runs))}",
    ]
    lead = next((section.answer for section in sections if section.answer), None)
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", TITLE),
        element("p", lead, class_="lead") if lead else None,
        element("p", " · ".join(fact for fact in facts if fact), class_="conditions"),
        caution(cautions(list(measured.values()))),
    )


def _links(sections: Sequence[Section]) -> list[Markup]:
    return [
        element(
            "a",
            section.title,
            href=f"#{section.name}",
            class_="absent" if section.body is None else None,
            title="not measured yet" if section.body is None else None,
        )
        for section in sections
    ]


def _glance(sections: Sequence[Section]) -> Markup | None:
    """The answers of the sections after the leading one, a sentence each."""
    answers = [section for section in sections if section.answer][1:]
    if not answers:
        return None
    items = [
        element("li", element("a", section.title, href=f"#{section.name}"), element("p", section.answer))
        for section in answers
    ]
    return element(
        "section", element("h2", "At a glance", class_="unseen"), element("ul", *items), class_="glance"
    )
