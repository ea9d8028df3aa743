"""The conditions of every stored run: the page to which each table refers."""

from __future__ import annotations

from collections.abc import Sequence

from figures import block
from figures.stored import (
    NO_BUFFER,
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
USUAL_PROCESSES = 3  # the least number for a cell, which the page's introduction names


@block("run_setups")
def setups() -> str:
    """A line for each; what all have in common stands below."""
    heading = ["date", "commit", "library", "processor", "cores", "C library", "compiler", "flags"]
    names = _setup_names()
    shared = [len(set(column)) == 1 for column in zip(*names, strict=True)]

    def cells(parts: Sequence[str], *, common: bool) -> list[str]:
        return [part for part, is_shared in zip(parts, shared, strict=True) if is_shared is common]

    lines = [[name, *cells(setup, common=False)] for setup, name in names.items()]
    columns = ["", *cells(heading, common=False)]
    table = markdown_table(columns, lines, len(columns))
    in_common = zip(cells(heading, common=True), cells(next(iter(names)), common=True), strict=True)
    text = ", ".join(f"{head} {part}" for head, part in in_common)
    return f"{table}\n\nIn common: {text}." if text else table


@block("runs")
def tables() -> str:
    """A heading and a list for each experiment, in the order of the report."""
    return "\n\n".join(f"### {name}\n\n{_list(name)}" for name in _stored_experiments())


def _list(experiment: str) -> str:
    """Runs that differ in their setup only share a line."""
    rows: dict[Setup, list[str]] = {}
    for stored in every_run(experiment):
        run = f"{run_number(stored)} ({_setup_names()[_setup(stored)]})"
        rows.setdefault(_conditions(stored), []).append(run)
    lines = [f"- {', '.join(numbers)}: {', '.join(filter(None, row))}" for row, numbers in rows.items()]
    return "\n".join(lines)


def _conditions(stored: StoredRun) -> Setup:
    run, repetitions = stored.run, stored.run["repetitions"]
    return (
        _buffers(stored),
        "" if repetitions == USUAL_PROCESSES else f"{repetitions} processes",
        f"`{run['command']}`{remarks(run)}",
    )


def _buffers(stored: StoredRun) -> str:
    """The states of the buffers in which strategies with a monotonic part begin."""
    states = sorted({state for state, _ in buffer_states(stored)}, reverse=True)
    return " or ".join("no buffer" if state == NO_BUFFER else f"{state} buffer" for state in states)


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
