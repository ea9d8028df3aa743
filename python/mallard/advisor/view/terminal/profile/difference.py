"""The difference of two profiles in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

from rich.console import Console

from mallard.advisor.profile import sentences
from mallard.advisor.profile.difference import Change, Difference, Sums
from mallard.advisor.profile.names import fitted
from mallard.advisor.view.terminal.profile.lines import (
    Column,
    count_prefix,
    fact,
    figures_line,
    heading,
    heads,
    note,
    paragraph,
    print_cut,
    print_name,
    print_omitted,
)
from mallard.shared.report.figures import count, plural, share, size

MOST_ROWS = 8
COLUMNS = (Column("allocations", 23), Column("bytes", 25), Column("peak", 25))
FORMATS: tuple[tuple[str, Callable[[float | None], str]], ...] = (
    ("allocations", count),
    ("bytes", size),
    ("peak_bytes", size),
)


def show_difference(console: Console, difference: Difference, *, all_rows: bool = False) -> None:
    for label, profile in (("before", difference.before), ("after", difference.after)):
        fact(console, label, f"{profile.trace.file}: {sentences.command(profile)}")
    for (figure, form), label in zip(FORMATS, ("allocations", "bytes", "peak"), strict=True):
        fact(console, label, _in_process(difference.process, figure, form))
    _show_changes(console, "sites", [(change, 0) for change in difference.sites], all_rows=all_rows)
    _show_changes(console, "scopes", _innermost(difference.scopes), all_rows=all_rows)
    for sentence in _losses(difference):
        console.print()
        paragraph(console, sentence, "yellow")


def _in_process(change: Change, figure: str, form: Callable[[float | None], str]) -> str:
    """`1,000 to 1,500, +500 (+50 %)`"""
    before, after = getattr(change.before, figure), getattr(change.after, figure)
    step = change.difference(figure)
    if not step:
        return f"{form(before)}, the same"
    relative = f" ({_signed(step, lambda value: share(value / before))})" if before else ""
    return f"{form(before)} to {form(after)}, {_signed(step, form)}{relative}"


def _signed(step: int, form: Callable[[float], str]) -> str:
    return f"{'+' if step > 0 else '-' if step < 0 else ''}{form(abs(step))}"


def _innermost(changes: Sequence[Change]) -> list[tuple[Change, int]]:
    """The first of the scopes with one difference, with the number of the others, which call it."""
    groups = [list(group) for _, group in groupby(changes, Change.differences)]
    return [(group[0], len(group) - 1) for group in groups]


def _show_changes(
    console: Console, title: str, changes: Sequence[tuple[Change, int]], *, all_rows: bool
) -> None:
    shown = changes if all_rows else changes[:MOST_ROWS]
    about = "the largest difference first, as a share of the process" if changes else "no difference"
    heading(console, title, f"{count_prefix(len(shown), len(changes))}{about}")
    if shown:
        print_cut(console, heads(COLUMNS, 0))
    for change, callers in shown:
        print_name(console, " - ", partial(fitted, change.short_name), change.source)
        line = figures_line([_figure(change, *figure) for figure in FORMATS], COLUMNS, 0)
        line.append("  new" if change.before is None else "  gone" if change.after is None else "", "dim")
        print_cut(console, line)
        if callers:
            note(console, f"the same in {plural(callers, 'function')} around or in it")
    print_omitted(console, len(changes) - len(shown), title.removesuffix("s"))


def _figure(change: Change, figure: str, form: Callable[[float | None], str]) -> str:
    """`+500 → 1,500`; the value alone if it is the same in both."""
    after = form(getattr(change.after or Sums(), figure))
    step = change.difference(figure)
    return f"{_signed(step, form)} → {after}" if step else after


def _losses(difference: Difference) -> list[str]:
    losses = []
    for profile in (difference.before, difference.after):
        file = profile.trace.file
        if profile.completeness.withheld:
            losses.append(f"{file} has no scopes: {sentences.withheld(profile)}")
        unlisted = profile.unlisted_rows
        if unlisted:
            losses.append(
                f"{file} lacks {plural(unlisted, 'row')}, which count as new or gone: write it "
                "with --json --all."
            )
    before, after = difference.before.process, difference.after.process
    if before.sampled_one_in != after.sampled_one_in:
        losses.append(
            f"The recordings are samples of one activation in {before.sampled_one_in} and in "
            f"{after.sampled_one_in}: their counts cannot be compared."
        )
    if (before.executable or "").rpartition("/")[2] != (after.executable or "").rpartition("/")[2]:
        losses.append(f"These are two programs: {before.executable} and {after.executable}.")
    return losses
