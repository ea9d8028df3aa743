"""The looks of a run: the terminal's text of an experiment, the page and its sections."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import Any

from page_reader import words
from synthetic_run import write_run

from mallard.bench.store import Store
from mallard.bench.view.terminal import show_run
from mallard.cli import main
from mallard.shared.view.terminal.console import PlainConsole

Natives = list[dict[str, Any]]


def write_runs(path: Path, of: dict[str, Natives]) -> Path:
    """A database with a run of each experiment."""
    for experiment, rows in of.items():
        write_run(path, rows, command=f"mallard bench {experiment}", experiment=experiment)
    return path


def report_of(database: Path) -> str:
    output = database.with_name("page.html")
    assert main(["show", "page", "-o", str(output), "--db", str(database)]) == 0
    return output.read_text(encoding="utf-8")


def shown(database: Path, experiment: str, width: int = 120) -> str:
    with Store.open_existing(database) as store:
        run = next(run for run in store.runs() if run.experiment == experiment)
        rows, notes = store.rows(run.id), store.notes(run.id)
    console = PlainConsole(file=io.StringIO(), width=width)
    show_run(console, run, rows, notes, everything=True)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def section(page: str, name: str) -> str:
    match = re.search(
        rf'<section id="{name}" class="part">.*?(?=<section id="[\w-]+" class="part">|</main>)',
        page,
        re.DOTALL,
    )
    assert match, name
    return match[0]


def text_of(markup: str) -> str:
    """The readable text, without the figures in attributes."""
    return words(html.unescape(re.sub(r"<[^>]+>", " ", markup.replace("<wbr>", ""))))
