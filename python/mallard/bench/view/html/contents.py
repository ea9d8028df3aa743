"""The input of a page, and the parts of a section."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Setting
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.result import Row
from mallard.bench.store import Note, Run
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


def experiment_section(name: str, body: Markup, answer: Markup | None = None) -> Section:
    """The section of an experiment."""
    experiment = EXPERIMENTS[name]
    return Section(name, experiment.title, experiment.heading, body, answer)


def unmeasured(name: str, scale: str = "--quick") -> Section:
    experiment = EXPERIMENTS[name]
    command = f"mallard bench {name} {scale}".strip()
    return Section(name, experiment.title, experiment.heading, None, command=command)


def introduction(name: str) -> Markup:
    """The description of the experiment, then the notes that a reader needs."""
    experiment = EXPERIMENTS[name]
    text = f"{experiment.text[:1].upper()}{experiment.text[1:]}."
    return element("p", f"{text} {experiment.explanation}".strip())


def setting_text(setting: Setting, only: Collection[str] = ()) -> str:
    """The setting, without the size of a buffer, which is among the conditions."""
    return ", ".join(
        f"{name.removesuffix('_log2').replace('_', ' ')} {value}"
        for name, value in setting
        if (name in only if only else not name.endswith("_bytes"))
    )
