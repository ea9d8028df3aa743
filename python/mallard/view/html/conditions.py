"""Under which conditions the figures came about, and how to get them again."""

from __future__ import annotations

import shlex
from typing import Any

from mallard.analysis.cells import Setting
from mallard.store import Run
from mallard.view.html.markup import Markup, element, joined

# In this order; a fact that is not named here follows under its own name.
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
}


def conditions(run: Run, settings: list[Setting]) -> Markup:
    build = {key: value for key, value in run.runner.items() if key not in ("format", "commit")}
    blocks = [
        ("Machine", _labelled(run.machine, LABELS)),
        ("Build", [*_labelled(build, LABELS), ("commit", run.commit or "unknown")]),
        ("Run", _run_facts(run)),
        *(("Setting", _labelled(dict(setting), SETTING_LABELS)) for setting in settings),
    ]
    lists = [
        element("div", element("h3", title), _definitions(facts), class_="facts") for title, facts in blocks
    ]
    return element("div", *lists, class_="columns")


def _labelled(facts: dict[str, Any], labels: dict[str, str]) -> list[tuple[str, str]]:
    known = [key for key in labels if key in facts]
    others = [key for key in facts if key not in labels]
    return [(labels.get(key, key), _value(key, facts[key])) for key in (*known, *others)]


def _run_facts(run: Run) -> list[tuple[str, str]]:
    facts = [
        ("number", str(run.id)),
        ("started", run.started),
        ("finished", run.finished or "interrupted: the table may have gaps"),
        ("scale", run.scale),
        ("repetitions", f"{run.repetitions} or more"),
        ("seed", str(run.seed)),
    ]
    if run.load_end is not None:
        facts.append(("load at the end", f"{run.load_end:g}"))
    return facts


def reproduce(run: Run) -> Markup:
    words = shlex.split(run.command)
    database = f" --db {shlex.quote(words[words.index('--db') + 1])}" if "--db" in words[:-1] else ""
    return joined(
        element("p", "The same cells on your machine, with the same random inputs:"),
        element("pre", element("code", f"{run.command}\nmallard report -o report.html{database}")),
        element(
            "p",
            "Each repetition is a process of its own, the strategies of a row in random order. Times are "
            "CPU time. Ratios pair repetitions; intervals are 95 %, by bootstrap. What lies inside its "
            "interval counts as no difference.",
        ),
    )


def _definitions(facts: list[tuple[str, str]]) -> Markup:
    return element("dl", *(joined(element("dt", label), element("dd", value)) for label, value in facts))


def _value(key: str, value: Any) -> str:
    if value is None or value == "":
        return "not told" if value is None else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {_bytes(size) if isinstance(size, int) else size}" for name, size in value.items()
        )
    if isinstance(value, int) and key.endswith("_bytes"):
        return _bytes(value)
    return str(value)


def _bytes(count: int) -> str:
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"
