"""The difference of two profiles as a report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mallard.advisor.profile import sentences
from mallard.advisor.profile.difference import Change as Changed
from mallard.advisor.profile.difference import Difference, Sums
from mallard.shared.report.figures import cell_text, plural, share
from mallard.shared.report.model import (
    Change,
    Column,
    Fact,
    Facts,
    Figure,
    Name,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
)

MOST_ROWS = 8
FIGURES = (
    ("allocations", "allocations", Unit.COUNT),
    ("bytes", "bytes", Unit.BYTES),
    ("peak", "peak_bytes", Unit.BYTES),
)
COLUMNS = (
    Column("function", numeric=False),
    *(Column(title) for title, _, _ in FIGURES),
    Column("", numeric=False),
)
ABOUT = "the largest difference first, as a share of the process"


def difference_report(difference: Difference, *, all_rows: bool = False) -> Report:
    process = difference.process
    most = None if all_rows else MOST_ROWS
    sites = [_row(change) for change in difference.sites]
    scopes = [_row(change, callers) for change, callers in _innermost(difference.scopes)]
    facts = [
        Fact(label, f"{profile.trace.file}: {sentences.command(profile)}")
        for label, profile in (("before", difference.before), ("after", difference.after))
    ]
    for title, field, unit in FIGURES:
        relative = _relative(process, field)
        before = (
            f"from {cell_text(Figure(getattr(process.before, field), unit))}, {relative}" if relative else ""
        )
        facts.append(Fact(title, _change(process, field, unit), before))
    return Report(
        title="Two profiles",
        answer=Paragraph(_answer(difference)),
        sections=(
            Section("Process", (Facts(tuple(facts)),)),
            _section("Sites", sites, most),
            _section("Scopes", scopes, most),
        ),
        doubts=tuple(_doubts(difference)),
    )


def _answer(difference: Difference) -> str:
    process = difference.process
    step = process.difference("allocations")
    if not step:
        return "The allocations are the same."
    relative = _relative(process, "allocations")
    text = f"{plural(abs(step), 'allocation')} {'more' if step > 0 else 'less'}"
    return f"{text} ({relative})." if relative else f"{text}."


def _relative(change: Changed, field: str) -> str:
    """`+50 %`; empty without a difference, or without a figure before."""
    step, before = change.difference(field), getattr(change.before, field)
    return f"{'+' if step > 0 else '-'}{share(abs(step) / before)}" if step and before else ""


def _section(title: str, rows: Sequence[Row], most: int | None) -> Section:
    noun = f"further {title.lower().removesuffix('s')}"
    table = Table(title, COLUMNS, tuple(rows), most, noun=noun)
    return Section(title, (table,), is_headed=True, about=ABOUT if rows else "no difference")


def _innermost(changes: Sequence[Changed]) -> list[tuple[Changed, int]]:
    """The first of the scopes with one difference, with the number of the others, which call it."""
    groups = [list(group) for _, group in groupby(changes, Changed.differences)]
    return [(group[0], len(group) - 1) for group in groups]


def _row(change: Changed, callers: int = 0) -> Row:
    state = "new" if change.before is None else "gone" if change.after is None else ""
    return Row(
        (
            Name(change.short_name, full=change.name, source=change.source),
            *(_change(change, field, unit) for _, field, unit in FIGURES),
            state,
        ),
        note=f"the same in {plural(callers, 'function')} around or in it" if callers else "",
    )


def _change(change: Changed, field: str, unit: Unit) -> Change:
    before, after = change.before or Sums(), change.after or Sums()
    return Change(getattr(before, field), getattr(after, field), unit)


def _doubts(difference: Difference) -> list[str]:
    doubts = []
    for profile in (difference.before, difference.after):
        file = profile.trace.file
        if profile.completeness.withheld:
            doubts.append(f"{file} has no scopes: {sentences.withheld(profile)}")
        if unlisted := profile.unlisted_rows:
            doubts.append(
                f"{file} lacks {plural(unlisted, 'row')}, which count as new or gone: write it "
                "with --export sqlite."
            )
    before, after = difference.before.process, difference.after.process
    if before.sampled_one_in != after.sampled_one_in:
        doubts.append(
            f"The recordings are samples of one activation in {before.sampled_one_in} and in "
            f"{after.sampled_one_in}: their counts cannot be compared."
        )
    if (before.executable or "").rpartition("/")[2] != (after.executable or "").rpartition("/")[2]:
        doubts.append(f"These are two programs: {before.executable} and {after.executable}.")
    return doubts
