"""Under which conditions the figures came about, and how to get them again."""

from __future__ import annotations

from typing import Any

from mallard.analysis.cells import Setting
from mallard.store import Note, Run
from mallard.view.html.markup import Markup, element, joined

LABELS = {
    "cpu": "processor",
    "cores_allowed": "cores allowed",
    "memory_bytes": "memory",
    "libc": "C library",
    "memory_available_bytes": "memory available",
    "huge_pages": "transparent huge pages",
    "load1": "load at the start",
    "virtual": "virtual machine",
    "standard_library": "standard library",
    "build_id": "build",
    "optimised": "optimised",
}
SETTING_LABELS = {
    "buffer": "initial buffer",
    "buffer_bytes": "buffer size",
    "hash": "hash",
    "product_log2": "leaf elements a cell, log2",
}


def conditions(run: Run, notes: list[Note], settings: list[Setting]) -> Markup:
    blocks = [
        ("Machine", [(LABELS.get(key, key), _value(key, value)) for key, value in run.machine.items()]),
        (
            "Build",
            [
                (LABELS.get(key, key), _value(key, value))
                for key, value in run.runner.items()
                if key not in ("format", "commit")
            ]
            + [("commit", run.commit or "unknown")],
        ),
        ("Run", _run_facts(run)),
    ]
    blocks += [
        ("Setting", [(SETTING_LABELS.get(key, key), _value(key, value)) for key, value in setting])
        for setting in settings
    ]
    lists = [
        element("div", element("h3", title), _definitions(facts), class_="facts") for title, facts in blocks
    ]
    return joined(element("div", *lists, class_="columns"), _notes(notes))


def _run_facts(run: Run) -> list[tuple[str, str]]:
    facts = [
        ("number", str(run.id)),
        ("started", run.started),
        ("finished", run.finished or "interrupted: the table may have gaps"),
        ("scale", run.scale),
        ("repetitions", str(run.repetitions)),
        ("seed", str(run.seed)),
    ]
    if run.load_end is not None:
        facts.append(("load at the end", f"{run.load_end:g}"))
    return facts


def reproduce(run: Run) -> Markup:
    return joined(
        element("p", "The same cells on your machine, with the same random inputs:"),
        element("pre", element("code", f"{run.command}\nmallard report -o report.html")),
        element(
            "p",
            "Each repetition is a process of its own, the strategies of a row in random order. Times are "
            "CPU time. Ratios pair repetitions; intervals are 95 %, by bootstrap. What lies inside its "
            "interval counts as no difference.",
        ),
    )


def _definitions(facts: list[tuple[str, str]]) -> Markup:
    return element("dl", *(joined(element("dt", label), element("dd", value)) for label, value in facts))


def _notes(notes: list[Note]) -> Markup:
    if not notes:
        return Markup("")
    items = [element("li", note.text) for note in notes]
    return joined(element("h3", "Noted during the run"), element("ul", *items, class_="notes"))


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
