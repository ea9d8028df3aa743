"""The conditions of every stored run: the page to which each table refers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from figures.stored import (
    StoredRun,
    every_run,
    initial_buffers,
    is_current,
    markdown_table,
    processor,
    remarks,
    run_number,
    stored_file,
)
from mallard.bench.experiments import EXPERIMENTS

Setup = tuple[str, ...]


def blocks() -> dict[str, Callable[[], str]]:
    return {"run_setups": setups, "runs": tables}


def setups() -> str:
    heading = ["", "processor", "cores", "C library", "compiler", "flags"]
    lines = [[name, *setup] for setup, name in _setup_names().items()]
    return markdown_table(heading, lines, len(heading))


def tables() -> str:
    """A heading and a table for each experiment, in the order of the report."""
    return "\n\n".join(f"### {name}\n\n{_table(name)}" for name in _stored_experiments())


def _table(experiment: str) -> str:
    heading = ["", "date", "commit", "setup", "pages", "initial buffer", "processes", "library", "command"]
    return markdown_table(heading, map(_line, every_run(experiment)), len(heading))


def _line(stored: StoredRun) -> list[str]:
    run = stored.run
    command = run["command"].replace("|", "\\|")
    return [
        str(run_number(stored)),
        run["started"][:10],
        run["runner"]["commit"],
        _setup_names()[_setup(run)],
        " and ".join(run["options"].get("pages", [])),
        initial_buffers(stored).removeprefix("; monotonic strategies begin in "),
        str(run["repetitions"]),
        "unchanged" if is_current(stored) else "changed since",
        f"`{command}`{remarks(run)}",
    ]


def _setup(run: dict[str, Any]) -> Setup:
    machine, runner = run["machine"], run["runner"]
    flags = f"`{runner['flags']}`"
    return processor(machine), str(machine["cores"]), machine["libc"], runner["compiler"], flags


def _setup_names() -> dict[Setup, str]:
    runs = [stored.run for name in _stored_experiments() for stored in every_run(name)]
    return {setup: f"S{place}" for place, setup in enumerate(dict.fromkeys(map(_setup, runs)), start=1)}


def _stored_experiments() -> list[str]:
    return [name for name in EXPERIMENTS if stored_file(name).exists()]
