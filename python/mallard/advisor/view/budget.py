"""The report of a budget: the verdict, the first new stack, and a row for each limit."""

from __future__ import annotations

from pathlib import Path

from mallard.advisor.budget.document import PROCESS
from mallard.advisor.budget.limits import Judgement, LimitCheck
from mallard.shared.report.figures import plural
from mallard.shared.report.model import Cell, Column, Mood, Paragraph, Report, Row, Section, Table, Verdict

WORDS = {
    "allocations": "allocations",
    "bytes": "bytes in all",
    "peak_bytes": "peak bytes",
    "alive": "alive at the end",
    "escaped": "escaped",
}
COLUMNS = (
    Column("", numeric=False),
    Column("scope", numeric=False),
    Column("figure", numeric=False),
    Column("run"),
    Column("limit"),
    Column("beyond"),
)


def budget_report(file: Path, judgement: Judgement) -> Report:
    columns = COLUMNS[:-1] if all(limit.holds for limit in judgement.limits) else COLUMNS
    rows = tuple(Row(_cells(limit)[: len(columns)]) for limit in judgement.limits)
    table = Table("The limits", columns, rows)
    return Report(
        title=f"The budget {file.name}",
        answer=_answer(file, judgement),
        sections=(*_stack(judgement), Section("Limits", (table,))) if judgement.limits else (),
    )


def _answer(file: Path, judgement: Judgement) -> Paragraph:
    exceeded = sum(not limit.holds for limit in judgement.limits)
    of_all = plural(len(judgement.limits), "limit")
    if judgement.unjudged:
        scopes = plural(len(judgement.unjudged), "scope")
        text = f"{of_all} of {file} judged, {exceeded} exceeded; {scopes} not judged."
        return Paragraph(text, Mood.BAD)
    if exceeded:
        return Paragraph(f"{exceeded} of {of_all} of {file} exceeded.", Mood.BAD)
    return Paragraph(f"{of_all} of {file}: all hold.", Mood.GOOD)


def _cells(limit: LimitCheck) -> tuple[Cell, ...]:
    return (
        Verdict("holds", Mood.GOOD) if limit.holds else Verdict("EXCEEDED", Mood.BAD),
        "process" if limit.scope == PROCESS else limit.scope,
        WORDS[limit.figure],
        f"{limit.value:,}",
        f"{limit.limit:,}",
        None if limit.holds else f"{limit.value - limit.limit:,}",
    )


def _stack(judgement: Judgement) -> tuple[Section, ...]:
    """Of the first limit that is exceeded."""
    if judgement.holds:
        return ()
    new = judgement.new_stack
    if new:
        text = f"First new stack, {plural(new.blocks, 'block')} beyond the file:\n  {new.functions}"
    elif judgement.stacks_known:
        text = "No stack made more blocks than in the file: they are larger, or live longer."
    else:
        text = "The file has no stacks of it; --write stores them."
    return (Section("First new stack", (Paragraph(text),)),)
