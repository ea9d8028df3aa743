"""The limits of a budget: written from a run with a margin, and compared with a later run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mallard.advisor.budget.document import EXIT_STATUS, PROCESS, UNLISTED, Budget
from mallard.advisor.budget.recorded_run import Figures, MeasuredRun, heaviest, largest_excess, with_margin
from mallard.shared.errors import UsageError


@dataclass(frozen=True)
class LimitCheck:
    """One limit, and the figure of the run."""

    scope: str  # PROCESS for the process
    figure: str
    value: int
    limit: int

    @property
    def holds(self) -> bool:
        return self.value <= self.limit


@dataclass(frozen=True)
class NewStack:
    """The stack that exceeds the blocks in the file the most."""

    scope: str
    functions: str
    blocks: int  # more than the file allows


@dataclass(frozen=True)
class Judgement:
    limits: tuple[LimitCheck, ...]
    new_stack: NewStack | None  # of the first exceeded limit whose scope has one
    stacks_known: bool  # False if the file has none for the exceeded scopes
    unjudged: tuple[str, ...] = ()  # an error for each scope that has no figures

    @property
    def holds(self) -> bool:
        return all(limit.holds for limit in self.limits)


def judge(file: Path, budget: Budget, run: MeasuredRun) -> Judgement:
    if run.exit_status != budget.exit_status:
        raise UsageError(
            f"the program ended with exit status {run.exit_status}, so its run cannot be judged; {file} has "
            f"exit_status = {budget.exit_status}"
        )
    figures: dict[str, Figures] = {}
    unjudged = []
    for name in budget.limits:
        try:
            figures[name] = run.of(name)
        except UsageError as error:
            unjudged.append(f'{file}, [scope."{name}"]: {error}')
    limits = tuple(
        LimitCheck(name, figure, scope_figures.values[figure], limit)
        for name, scope_figures in figures.items()
        for figure, limit in budget.limits[name].items()
    )
    exceeded = list(dict.fromkeys(limit.scope for limit in limits if not limit.holds))
    known = [name for name in exceeded if name in budget.stacks]
    new_stacks = (_new_stack(name, figures[name], budget, run) for name in known)
    new_stack = next((stack for stack in new_stacks if stack), None)
    return Judgement(limits, new_stack, bool(known), tuple(unjudged))


def _new_stack(name: str, figures: Figures, budget: Budget, run: MeasuredRun) -> NewStack | None:
    blocks = run.stacks.of(None if name == PROCESS else figures.function)
    excess = largest_excess(blocks.items(), budget.stacks[name])
    return NewStack(name, *excess) if excess else None


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
