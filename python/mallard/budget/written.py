"""A file of a budget, made from a run: each limit is the figure of the run and a margin."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mallard.budget.document import ANY_OTHER, EXIT_STATUS, PROCESS
from mallard.budget.measured_run import Figures, MeasuredRun
from mallard.budget.stacks import heaviest, with_margin

MARGIN = 0.05
COLUMN = 30  # of a comment
NOTES = {
    "allocations": "the run made {}",
    "bytes": "the run asked for {} in all",
    "peak_bytes": "at most {} were live at one time",
    "alive": "{} were not freed at the end",
    "escaped": "{} outlived the call that made them",
}
OF_SCOPE = NOTES | {"peak_bytes": "at most {} were live at one time in one call"}


def written_budget(run: MeasuredRun, scopes: Sequence[str], words: Sequence[str]) -> str:
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
    for name, of_scope in figures.items():
        lines += ["", f"[scope.{quoted(name)}]", *_limits(of_scope, OF_SCOPE)]
    lines += [
        "",
        "# The stacks that made the most blocks, the outermost function first: they show what is new.",
    ]
    for name, each in {PROCESS: process, **figures}.items():
        stacks = heaviest(run.stacks.of(each.function), MARGIN)
        lines += ["", f"[stacks.{quoted(name)}]" + ("  # of the process" if name == PROCESS else "")]
        lines += [f"{quoted(stack)} = {blocks}" for stack, blocks in stacks.items() if stack != ANY_OTHER]
        lines += [f"{quoted(ANY_OTHER)} = {stacks[ANY_OTHER]}"]
    return "\n".join(lines) + "\n"


def _limits(figures: Figures, notes: dict[str, str]) -> list[str]:
    return [
        _line(name, with_margin(value, MARGIN), notes[name].format(f"{value:,}"))
        for name, value in figures.values.items()
    ]


def _line(name: str, value: int, note: str) -> str:
    return f"{f'{name} = {value}':{COLUMN}}  # {note}"


def _one_line(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)


def quoted(text: str) -> str:
    """As TOML's basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in escaped) + '"'
