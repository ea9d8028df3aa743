"""The input of a page, and the parts of a section."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.result import Row
from mallard.bench.store import Note, Run
from mallard.shared.report.model import Report
from mallard.shared.report.page import section_body, section_list
from mallard.shared.report.page_sections import notes_list
from mallard.shared.view.html.figures import with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, joined


@dataclass(frozen=True)
class Measured:
    """The run that a page shows for an experiment."""

    run: Run
    notes: list[Note]
    rows: list[Row]


@dataclass(frozen=True)
class Section:
    name: str  # the anchor
    title: str  # in the navigation
    heading: str
    body: Markup | None  # None if nothing was measured
    answer: Markup | None = None  # the answer in one sentence
    command: str = ""  # the command that measures it

    def markup(self) -> Markup:
        if self.body is None:
            body = joined(
                element(
                    "p", "Not measured yet. This does it: ", element("code", self.command), class_="absent"
                )
            )
        else:
            body = self.body
        return element("section", element("h2", self.heading), body, id=self.name, class_="part")


def experiment_section(name: str, report: Report) -> Section:
    """The section of an experiment: its description, and the report of its run."""
    experiment = EXPERIMENTS[name]
    text = f"{experiment.text[:1].upper()}{experiment.text[1:]}."
    introduction = element("p", f"{text} {experiment.explanation}".strip())
    body = joined(introduction, section_list(name, report.sections), notes_list(report.notes))
    answer = element("span", with_raised_exponents(report.answer.text)) if report.answer.text else None
    return Section(name, experiment.title, experiment.heading, body, answer)


def report_section(name: str, title: str, report: Report, more: Markup | None = None) -> Section:
    """A section of the page with all of a report, below its title; the answer is at a glance, too."""
    parts = [
        joined(element("h3", section.title) if report.sections[1:] else None, section_body(section))
        for section in report.sections
    ]
    body = joined(*parts, notes_list(report.notes), more)
    text = with_raised_exponents(report.answer.text)
    return Section(name, title, report.title, body, element("span", text) if text else None)


def unmeasured(name: str) -> Section:
    experiment = EXPERIMENTS[name]
    scale = "" if isinstance(experiment.panel, Spreads) else " --quick"
    command = f"mallard bench {name}{scale}"
    return Section(name, experiment.title, experiment.heading, None, command=command)
