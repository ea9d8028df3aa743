"""The reports of the conditions of the measurements, runs, machines, builds and settings, and of the commands
that reproduce them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mallard.bench.store import Measured, Run
from mallard.shared.machine import fingerprint
from mallard.shared.report.figures import size
from mallard.shared.report.model import Code, Column, Paragraph, Report, Row, Section, Table, text_columns

# The names of facts, in order. Other facts follow under their own names.
LABELS = {
    "cpu": "processor",
    "architecture": "architecture",
    "caches": "caches",
    "cores": "cores",
    "cores_allowed": "cores allowed",
    "memory_bytes": "memory",
    "memory_available_bytes": "memory available",
    "virtual": "virtual machine",
    "kernel": "kernel",
    "libc": "C library",
    "huge_pages": "transparent huge pages",
    "governor": "governor",
    "load1": "load at the start",
    "compiler": "compiler",
    "standard_library": "standard library",
    "flags": "flags",
    "optimised": "optimised",
    "sanitizers": "sanitizers",
    "version": "version",
    "build_id": "build",
}
SETTING_LABELS = {
    "buffer": "initial buffer",
    "buffer_bytes": "buffer size",
    "pages": "its pages",
    "hash": "hash",
    "product_log2": "leaf elements a cell, log2",
    "final_frees": "final frees",
    "freed_by": "blocks freed by",
    "upstream": "chunks from",
    "multiplier": "multiplier",
    "accesses": "accesses a time",
    "repeat_factor": "repeat factor",
    "operations": "operations",
    "nodes": "nodes",
    "compiler": "compiler",
}
DIFFERENT = "Not all runs come from the same {0}: compare within a section, not between them."
FACTS = text_columns("", "")
SETTINGS = text_columns("experiment", "setting", "value")
RUNS = tuple(
    Column(title, numeric=title in ("run", "seed", "rows"))
    for title in ("experiment", "run", "started", "finished", "scale", "repetitions", "seed", "rows", "load")
)
HOW = (
    "Each repetition is a separate process, the strategies of a row in random order. Times are CPU time, "
    "except under contention, where they are wall time. Ratios pair repetitions; intervals are 95 %, by an "
    "exact bootstrap. What lies inside its interval counts as no difference."
)
Facts = list[tuple[str, str]]


def conditions_report(measured: Sequence[Measured]) -> Report:
    runs = [entry.run for entry in measured]
    machines = _distinct(runs, lambda run: fingerprint(run.machine))
    builds = _distinct(runs, _build_ids)
    settings = [Row(line) for entry in measured for line in _setting(entry)]
    sections = [
        _section("Runs", RUNS, map(_run_row, measured)),
        *(_facts("Machine", group, machines, _labelled(group[0].machine, LABELS)) for group in machines),
        *(_facts(title, group, builds, facts) for group in builds for title, facts in _builds(group[0])),
        *([_section("Settings", SETTINGS, settings)] if settings else []),
    ]
    return Report("Machine, build and runs", Paragraph(""), tuple(sections))


def reproduction_report(measured: Sequence[Measured]) -> Report:
    page = f"mallard show page -o report.html{_database(measured)}"
    blocks = (
        Paragraph("The same cells on your machine, with the same random inputs:"),
        Code("\n".join((*(entry.run.command for entry in measured), page)), "sh"),
        Paragraph(HOW),
    )
    return Report("How to reproduce it", Paragraph(""), (Section("The commands", blocks),))


def cautions(measured: Sequence[Measured]) -> list[str]:
    """The warnings that a reader must see before the figures, below the answer."""
    warnings: list[str] = []
    for entry in measured:
        about = f"{entry.run.experiment}: " if len(measured) > 1 else ""
        warnings += [f"{about}{note.text}" for note in entry.notes if note.kind != "resumed"]
        if entry.run.finished is None:
            warnings.append(
                f"{about}the run was interrupted: some cells are missing or have fewer repetitions"
            )
    runs = [entry.run for entry in measured]
    if len(_distinct(runs, lambda run: fingerprint(run.machine))) > 1:
        warnings.append(DIFFERENT.format("machine"))
    elif len(_distinct(runs, _build_ids)) > 1:
        warnings.append(DIFFERENT.format("build"))
    return list(dict.fromkeys(warnings))


def _distinct(runs: Sequence[Run], key: Callable[[Run], str]) -> list[list[Run]]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return list(groups.values())


def _build_ids(run: Run) -> str:
    return " ".join(str(build.get("build_id", "")) for build in _described(run).values())


def _described(run: Run) -> dict[str, dict[str, Any]]:
    """The description by compiler. A run without compilers has one build."""
    builds: dict[str, dict[str, Any]] = run.runner.get("builds") or {"": run.runner}
    return builds


def _section(heading: str, columns: tuple[Column, ...], rows: Iterable[Row]) -> Section:
    return Section(heading, (Table(heading, columns, tuple(rows)),), is_headed=True)


def _facts(title: str, runs: Sequence[Run], groups: Sequence[Sequence[Run]], facts: Facts) -> Section:
    numbers = f", run{'s' if len(runs) > 1 else ''} {', '.join(str(run.id) for run in runs)}"
    return _section(title + (numbers if len(groups) > 1 else ""), FACTS, map(Row, facts))


def _builds(run: Run) -> list[tuple[str, Facts]]:
    """A title and facts for each build."""
    builds = []
    for compiler, build in _described(run).items():
        described = {key: value for key, value in build.items() if key not in ("format", "commit", "builds")}
        facts = [*_labelled(described, LABELS), ("commit", run.commit or "unknown")]
        builds.append((f"Build by {compiler}" if compiler else "Build", facts))
    return builds


def _setting(measured: Measured) -> list[tuple[str, str, str]]:
    """The rows' values of parameters that are neither a place in a table nor a figure."""
    values: dict[str, dict[Any, None]] = {}  # in the order of the rows, each once
    for row in measured.rows:
        for key, value in row.parameters.items():
            if key in SETTING_LABELS:
                values.setdefault(key, {})[value] = None
        if row.malloc:
            values.setdefault("malloc", {})[row.malloc] = None
    labels = SETTING_LABELS | {"malloc": "malloc of the process"}
    return [
        (measured.run.experiment, labels[key], ", ".join(_value(key, value) for value in values[key]))
        for key in labels
        if key in values
    ]


def _labelled(facts: dict[str, Any], labels: dict[str, str]) -> Facts:
    known = [key for key in labels if key in facts]
    unlabelled = [key for key in facts if key not in labels]
    return [(labels.get(key, key), _value(key, facts[key])) for key in (*known, *unlabelled)]


def _run_row(measured: Measured) -> Row:
    run = measured.run
    load = f"{run.load_start:g}" if run.load_start is not None else "-"
    if run.load_end is not None:
        load += f" to {run.load_end:g}"
    return Row(
        (
            run.experiment,
            str(run.id),
            run.started[:16].replace("T", " "),
            run.finished[:16].replace("T", " ") if run.finished else "interrupted: there may be gaps",
            run.scale,
            f"{run.repetitions} or more",
            str(run.seed),
            str(len(measured.rows)),
            load,
        )
    )


def _database(measured: Sequence[Measured]) -> str:
    words = shlex.split(measured[-1].run.command)
    return f" --db {shlex.quote(words[words.index('--db') + 1])}" if "--db" in words[:-1] else ""


def _value(key: str, value: Any) -> str:
    if value is None or value == "":
        return "unknown" if value is None else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {size(bytes_) if isinstance(bytes_, int) else bytes_}" for name, bytes_ in value.items()
        )
    if isinstance(value, int) and key.endswith("_bytes"):
        return size(value)
    return str(value)
