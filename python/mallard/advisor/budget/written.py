"""Writes a budget from a run: each limit is the figure of the run plus a margin."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mallard.advisor.budget.document import EXIT_STATUS, PROCESS, UNLISTED
from mallard.advisor.budget.measured_run import Figures, MeasuredRun
from mallard.advisor.budget.stacks import heaviest, with_margin

MARGIN = 0.05
COLUMN = 30  # of a comment
NOTES = {
    "allocations": "the run made {}",
    "bytes": "the run asked for {} in all",
    "peak_bytes": "at most {} were live at one time",
    "alive": "{} were not freed at the end",
    "escaped": "{} outlived the call that made them",
}
SCOPE_NOTES = NOTES | {"peak_bytes": "at most {} were live at one time in one call"}


def render_budget(run: MeasuredRun, scopes: Sequence[str], words: Sequence[str]) -> str:
    """The text of the file. Raises a UsageError for an unknown scope."""
    process = run.of(PROCESS)
    figures = {name: run.of(name) for name in scopes}
    lines = [
        "# The most that a program may allocate: 'mallard budget FILE -- PROGRAM' compares a run with it.",
        f"# A limit is the figure of a run, and {100 * MARGIN:.0f} % more. One that is deleted is not held.",
        f"# The run: {_one_line(shlex.join(words))}",
        "",
        "[process]",
        _line(EXIT_STATUS, run.exit_status, "of the program"),
        *_limits(process, NOTES),
    ]
    for name, scope_figures in figures.items():
        lines += ["", f"[scope.{quoted(name)}]", *_limits(scope_figures, SCOPE_NOTES)]
    lines += [
        "",
        "# The stacks that made the most blocks, the outermost function first: they show what is new.",
    ]
    for name, scope_figures in {PROCESS: process, **figures}.items():
        stacks = heaviest(run.stacks.of(scope_figures.function), MARGIN)
        lines += ["", f"[stacks.{quoted(name)}]" + ("  # of the process" if name == PROCESS else "")]
        lines += [f"{quoted(stack)} = {blocks}" for stack, blocks in stacks.items() if stack != UNLISTED]
        lines += [f"{quoted(UNLISTED)} = {stacks[UNLISTED]}"]
    return "\n".join(lines) + "\n"


def _limits(figures: Figures, notes: dict[str, str]) -> list[str]:
    return [
        _line(name, with_margin(value, MARGIN), notes[name].format(f"{value:,}"))
        for name, value in figures.values.items()
    ]


def _line(name: str, value: int, note: str) -> str:
    return f"{f'{name} = {value}':{COLUMN}}  # {note}"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def quoted(text: str) -> str:
    """A basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in escaped) + '"'
