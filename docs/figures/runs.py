"""The conditions of every stored run: the page to which each table refers."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import (
    StoredRun,
    buffer_states,
    every_run,
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
    heading = ["", "date", "commit", "library", "processor", "cores", "C library", "compiler", "flags"]
    lines = [[name, *setup] for setup, name in _setup_names().items()]
    return markdown_table(heading, lines, len(heading))


def tables() -> str:
    """A heading and a table for each experiment, in the order of the report."""
    return "\n\n".join(f"### {name}\n\n{_table(name)}" for name in _stored_experiments())


def _table(experiment: str) -> str:
    """Runs that differ in their setup only share a row."""
    rows: dict[Setup, list[str]] = {}
    for stored in every_run(experiment):
        run = f"{run_number(stored)} ({_setup_names()[_setup(stored)]})"
        rows.setdefault(_conditions(stored), []).append(run)
    heading = ["runs", "initial buffer", "processes", "command"]
    lines = [[", ".join(numbers), *row] for row, numbers in rows.items()]
    return markdown_table(heading, lines, len(heading))


def _conditions(stored: StoredRun) -> Setup:
    run = stored.run
    command = run["command"].replace("|", "\\|")
    return (
        _buffers(stored),
        str(run["repetitions"]),
        f"`{command}`{remarks(run)}",
    )


def _buffers(stored: StoredRun) -> str:
    """The states of the buffers in which strategies with a monotonic part begin."""
    return ", ".join(sorted({state for state, _ in buffer_states(stored)}, reverse=True))


def _setup(stored: StoredRun) -> Setup:
    run, machine, runner = stored.run, stored.run["machine"], stored.run["runner"]
    library = "unchanged" if is_current(stored) else "changed since"
    when = run["started"][:10], runner["commit"], library
    flags = f"`{runner['flags']}`"
    return *when, processor(machine), str(machine["cores"]), machine["libc"], runner["compiler"], flags


def _setup_names() -> dict[Setup, str]:
    runs = [stored for name in _stored_experiments() for stored in every_run(name)]
    return {setup: f"S{place}" for place, setup in enumerate(dict.fromkeys(map(_setup, runs)), start=1)}


def _stored_experiments() -> list[str]:
    return [name for name in EXPERIMENTS if stored_file(name).exists()]
