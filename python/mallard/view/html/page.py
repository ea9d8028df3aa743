"""The report: one page that needs nothing else, put together from its sections, style and script."""

from __future__ import annotations

from importlib import resources

from mallard.analysis.cells import Setting
from mallard.analysis.summary import Summary
from mallard.analysis.verdicts import sentence
from mallard.papers.tables import P0089, P0213, PRINTED_DISPATCH, PRINTED_WINK_OUT
from mallard.store import Note, Run
from mallard.view.html.averages import averages_table
from mallard.view.html.conditions import conditions, reproduce
from mallard.view.html.controls import controls
from mallard.view.html.effects import effect_block
from mallard.view.html.heat_map import heat_map
from mallard.view.html.markup import Markup, element, empty_element, joined
from mallard.view.html.paper_notes import paper_notes
from mallard.view.html.unfinished import unfinished_table
from mallard.view.html.verdict import headline, reading_help, verdict_table

TITLE = "Which allocation strategy is fastest here?"
SECTIONS = (
    ("verdict", "Verdict"),
    ("averages", "Averages"),
    ("effects", "Dispatch and winking out"),
    ("maps", "Heat maps"),
    ("conditions", "Machine"),
    ("reproduce", "Reproduce"),
    ("papers", "Papers"),
)


def page(run: Run, notes: list[Note], summaries: list[Summary]) -> str:
    several = len(summaries) > 1
    parts = [_summary_sections(summary, several, number) for number, summary in enumerate(summaries)]
    structures = list(dict.fromkeys(table.structure for summary in summaries for table in summary.tables))
    body = joined(
        _header(run, notes, summaries),
        element(
            "main",
            *parts,
            _section(
                "conditions",
                "Machine, build and run",
                conditions(run, [summary.setting for summary in summaries]),
            ),
            _section("reproduce", "How to reproduce it", reproduce(run)),
            _section("papers", "Beside the papers", paper_notes(structures)),
        ),
        element("div", class_="panel", id="panel", role="status", hidden=True),
        element("script", Markup(_static("report.js"))),
    )
    head = joined(
        empty_element("meta", charset="utf-8"),
        empty_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty_element("meta", name="color-scheme", content="light dark"),
        empty_element("link", rel="icon", href="data:,"),
        element("title", f"mallard: {TITLE}"),
        element("style", Markup(_static("report.css"))),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", body)}</html>\n'


def _header(run: Run, notes: list[Note], summaries: list[Summary]) -> Markup:
    machine = run.machine.get("cpu") or "unknown processor"
    facts = " · ".join(
        [
            str(machine),
            str(run.runner.get("compiler", "")),
            run.started[:10],
            f"{run.scale} scale",
            f"run {run.id}",
        ]
    )
    nav = element(
        "nav", *(element("a", text, href=f"#{target}") for target, text in SECTIONS), aria_label="Sections"
    )
    lead = headline(summaries[0])
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", TITLE),
        lead,
        element("p", facts, class_="conditions"),
        _cautions(run, notes),
        nav,
    )


def _cautions(run: Run, notes: list[Note]) -> Markup | None:
    """What a reader must know before the figures: said at the top, not among the conditions."""
    said = list(dict.fromkeys(note.text for note in notes if note.kind != "resumed"))
    if run.finished is None:
        said.append("the run was interrupted: some cells are missing or have fewer repetitions")
    if not said:
        return None
    return element(
        "aside", element("b", "Read with care"), element("ul", *(element("li", text) for text in said))
    )


def _summary_sections(summary: Summary, several: bool, number: int) -> Markup:
    """The first setting has the plain anchors; a second one, where there is one, says which it is."""
    mark = f"-{number}" if number else ""
    suffix = f" ({_setting_text(summary.setting)})" if several else ""
    effects = element(
        "div",
        effect_block(
            "Cost of virtual dispatch",
            summary.dispatch,
            PRINTED_DISPATCH,
            "run time through the abstract base",
            True,
        ),
        effect_block(
            "Gain of winking out", summary.wink_out, PRINTED_WINK_OUT, "of the run time saved", False
        ),
        class_="columns",
    )
    return joined(
        _section(f"verdict{mark}", f"What to use{suffix}", reading_help(summary), verdict_table(summary)),
        _section(
            f"averages{mark}",
            f"Averages over all rows{suffix}",
            element(
                "p",
                "Every row counts alike, in percent of its own AS1, as in P0213's Table 8. Diamonds are "
                "published figures: filled P0213, open P0089 (averaged here from its tables).",
            ),
            averages_table(summary),
        ),
        _section(f"effects{mark}", f"Virtual dispatch and winking out{suffix}", effects),
        _section(
            f"maps{mark}", f"Heat maps{suffix}", controls() if not number else None, *_maps(summary, mark)
        ),
        unfinished_table(summary),
    )


def _maps(summary: Summary, mark: str) -> list[Markup]:
    sections = []
    for table, verdict in zip(summary.tables, summary.verdicts, strict=True):
        grid = heat_map(
            table, summary.beside_paper(P0213, table), summary.beside_paper(P0089, table), table.type
        )
        heading = element("h3", table.type, element("small", table.structure))
        says = element("p", _capital(sentence(verdict).removeprefix(f"{table.type}: ")), class_="says")
        sections.append(
            element("section", heading, says, grid, id=f"{table.structure}{mark}", class_="structure")
        )
    return sections


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _section(name: str, title: str, *contents: Markup | None) -> Markup:
    return element("section", element("h2", title), *contents, id=name)


def _setting_text(setting: Setting) -> str:
    told = ("buffer", "pages", "hash", "product_log2")
    return ", ".join(f"{key} {value}" for key, value in setting if key in told)


def _static(name: str) -> str:
    return (resources.files("mallard.view.html") / "static" / name).read_text(encoding="utf-8")
