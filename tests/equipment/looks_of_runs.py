"""The looks of runs: the terminal's text, and the page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synthetic_run import write_run

from mallard.bench.result import Row
from mallard.bench.store import Run
from mallard.bench.view.terminal import show_run
from mallard.cli import main
from mallard.shared.console import PlainConsole

Natives = list[dict[str, Any]]
RUN = Run(
    id=4,
    started="2026-01-02T03:04:05+00:00",
    finished=None,
    experiment="density",
    command="mallard bench",
    scale="quick",
    seed=1,
    repetitions=3,
    identity="",
    options={"buffer": "warm", "buffer_bytes": 1 << 30},
    machine={"cpu": "Made-up Processor", "cores": 2, "libc": "glibc 2.36"},
    runner={"compiler": "g++ 12"},
    commit="abc",
    load_start=0.0,
    load_end=0.0,
)


def write_runs(path: Path, of: dict[str, Natives]) -> Path:
    """A database with a run of each experiment."""
    for experiment, rows in of.items():
        write_run(path, rows, command=f"mallard bench {experiment}", experiment=experiment)
    return path


def write_page(database: Path, *options: str) -> str:
    output = database.with_name("page.html")
    assert main(["show", "page", "-o", str(output), "--db", str(database), *options]) == 0
    return output.read_text(encoding="utf-8")


def shown(
    result_rows: Sequence[Row],
    width: int = 100,
    *,
    colour: bool = False,
    run: Run = RUN,
    everything: bool = True,
) -> str:
    """The screen of a run, without colour as in a pipe."""
    console = PlainConsole(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )
    show_run(console, run, result_rows, everything=everything)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]
