"""The page of a database: a part for each experiment, then peers, claims, decisions, and the conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.panels import panel_report
from mallard.bench.analysis.peers import cell_results, counterparts, has_contenders
from mallard.bench.choose import decision_chart
from mallard.bench.claims import ledger
from mallard.bench.contenders import CONTENDERS
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.coverage import coverage
from mallard.bench.result import Row
from mallard.bench.store import Measured
from mallard.bench.view.claims import claims_report
from mallard.bench.view.conditions import cautions, conditions_report, reproduction_report
from mallard.bench.view.decision import chart_report
from mallard.bench.view.paper_notes import paper_notes_report
from mallard.bench.view.peers import peers_report
from mallard.bench.view.peers_maps import peers_maps
from mallard.shared.prose import capitalised
from mallard.shared.report.model import Paragraph, Report
from mallard.shared.report.page import Part, parts_page

TITLE = "Which allocation strategy is fastest here?"


def page(measured: Mapping[str, Measured], evidence: Sequence[Row] = ()) -> str:
    """`measured` has the shown run of each experiment, at least one. Claims and decisions also use the rows
    of `evidence`, because a run of a special setting may answer more than the newest one.
    """
    runs = list(measured.values())
    parts = _parts(measured, evidence or [row for entry in runs for row in entry.rows])
    lead = next((part.answer for part in parts if part.answer), "")
    conditions, doubts = tuple(_conditions(measured)), tuple(cautions(runs))
    header = Report(TITLE, Paragraph(lead), conditions=conditions, doubts=doubts)
    names = {row.strategy for rows in (evidence, *(entry.rows for entry in runs)) for row in rows}
    return parts_page(header, parts, {name: strategy_text(name) for name in in_table_order(names)})


def _parts(measured: Mapping[str, Measured], rows: Sequence[Row]) -> list[Part]:
    runs = list(measured.values())
    return [
        *(_experiment(name, measured.get(name)) for name in EXPERIMENTS),
        _peers(rows, runs),
        _part("claims", "Claims", claims_report(ledger(rows), covered=coverage(rows))),
        _part("decision", "Decide", chart_report(decision_chart(rows))),
        _part("conditions", "Conditions", conditions_report(runs)),
        _part("reproduce", "Reproduce", reproduction_report(runs)),
        _part("papers", "Papers", paper_notes_report(measured)),
    ]


def _part(anchor: str, title: str, report: Report) -> Part:
    """All of a report. A single section needs no title."""
    sections = report.sections
    if len(sections) == 1:
        sections = (replace(sections[0], title=""),)
    return Part(anchor, title, report.title, sections, notes=report.notes, answer=report.answer.text)


def _experiment(name: str, measured: Measured | None) -> Part:
    experiment = EXPERIMENTS[name]
    if measured is None or not measured.rows:
        scale = "" if isinstance(experiment.panel, Spreads) else " --quick"
        command = f"mallard bench {name}{scale}"
        return Part(name, experiment.title, experiment.heading, command=command)
    report = panel_report(name, measured.rows, measured.run.machine.get("cores"))
    return Part(
        name,
        experiment.title,
        experiment.heading,
        report.sections,
        f"{capitalised(experiment.text)}. {experiment.explanation}".strip(),
        report.notes,
        report.answer.text,
    )


def _peers(rows: Sequence[Row], measured: Sequence[Measured]) -> Part:
    """A map in place of the overview and of the further figures."""
    compared = cell_results(rows) if has_contenders(rows) else []
    if not compared:
        command = "mallard bench density --contenders"
        return Part("peers", "Peers", "Other libraries", command=command)
    absent = absent_libraries(measured)
    report = peers_report(compared, counterparts(rows), absent=absent, has_overview=False)
    return _part("peers", "Peers", replace(report, sections=(*report.sections, *peers_maps(compared))))


def absent_libraries(measured: Iterable[Measured]) -> str:
    """The parts that the newest runner lacks."""
    newest = max((entry.run for entry in measured), key=lambda run: run.id, default=None)
    without: list[dict[str, str]] = newest.runner.get("missing", []) if newest else []
    libraries = {
        CONTENDERS[part["name"]].library: part["package"] for part in without if part["name"] in CONTENDERS
    }
    packages = ", ".join(f"{library} (package {package})" for library, package in libraries.items())
    return f"Not installed when the runner was built, so not measured: {packages}." if packages else ""


def _conditions(measured: Mapping[str, Measured]) -> list[str]:
    newest = max((entry.run for entry in measured.values()), key=lambda run: run.id)
    runs = sorted(entry.run.id for entry in measured.values())
    facts = (
        str(newest.machine.get("cpu") or "unknown processor"),
        str(newest.runner.get("compiler", "")),
        newest.started[:10],
        f"{newest.scale} scale",
        f"run{'s' if len(runs) > 1 else ''} {', '.join(map(str, runs))}",
    )
    return list(filter(None, facts))
