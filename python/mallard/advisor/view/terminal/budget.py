"""A budget in the terminal: a line for each limit, then the verdict."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from mallard.advisor.budget.document import PROCESS
from mallard.advisor.budget.limits import Judgement, LimitCheck
from mallard.advisor.profile.formats import plural
from mallard.shared.view.terminal.console import print_line

WORDS = {
    "allocations": "allocations",
    "bytes": "bytes in all",
    "peak_bytes": "peak bytes",
    "alive": "alive at the end",
    "escaped": "escaped",
}


def show_judgement(console: Console, file: Path, judgement: Judgement) -> None:
    names = [_name(limit.scope) for limit in judgement.limits]
    width = max(map(len, names), default=0)
    for name, limit in zip(names, judgement.limits, strict=True):
        style = "" if limit.holds else "red"
        print_line(console, f"{_word(limit)}  {name:{width}}  {_figures(limit)}", style)
    exceeded = sum(not limit.holds for limit in judgement.limits)
    of_all = plural(len(judgement.limits), "limit")
    if judgement.unjudged:
        scopes = plural(len(judgement.unjudged), "scope")
        print_line(console, f"{of_all} of {file} judged, {exceeded} exceeded; {scopes} not judged.", "red")
    elif not exceeded:
        print_line(console, f"{of_all} of {file}: all hold.", "green")
        return
    else:
        print_line(console, f"{exceeded} of {of_all} of {file} exceeded.", "red")
    if exceeded:
        print_line(console, _stack(judgement))


def _name(scope: str) -> str:
    return "process" if scope == PROCESS else scope


def _word(limit: LimitCheck) -> str:
    return "holds   " if limit.holds else "EXCEEDED"


def _figures(limit: LimitCheck) -> str:
    beyond = "" if limit.holds else f": {limit.value - limit.limit:,} beyond"
    return f"{WORDS[limit.figure]:16}  {limit.value:,} of {limit.limit:,}{beyond}"


def _stack(judgement: Judgement) -> str:
    new = judgement.new_stack
    if new is None and not judgement.stacks_known:
        return "The file has no stacks of it; --write stores them."
    if new is None:
        return "No stack made more blocks than in the file: they are larger, or live longer."
    return f"First new stack, {plural(new.blocks, 'block')} beyond the file:\n  {new.functions}"
