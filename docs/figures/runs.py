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
    """A command that an earlier row has is the number of that row."""
    heading = ["", "setup", "pages", "initial buffer", "processes", "command"]
    rows: dict[str, str] = {}
    lines = []
    for stored in every_run(experiment):
        line = _line(stored)
        earlier = rows.setdefault(line[-1], line[0])
        lines.append([*line[:-1], line[-1] if earlier == line[0] else f"that of {earlier}"])
    return markdown_table(heading, lines, len(heading))


def _line(stored: StoredRun) -> list[str]:
    run = stored.run
    command = run["command"].replace("|", "\\|")
    return [
        str(run_number(stored)),
        _setup_names()[_setup(stored)],
        " and ".join(run["options"].get("pages", [])),
        _buffers(stored),
        str(run["repetitions"]),
        f"`{command}`{remarks(run)}",
    ]


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
