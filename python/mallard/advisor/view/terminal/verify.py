"""A verification in the terminal: the answer first, then the three parts of each quantity."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from mallard.advisor.trial.campaign import OUTPUT_IGNORED, SHORT_SECONDS
from mallard.advisor.trial.effect import SEVERAL_CORES, figure, metric_change
from mallard.advisor.verify import (
    AFTER,
    BEFORE,
    NULL,
    Advice,
    Change,
    Comparison,
    Figure,
    Ownership,
    Pool,
    Typical,
    Verification,
)
from mallard.shared.prose import in_prose, printable_name
from mallard.shared.report.figures import count, plural
from mallard.shared.stats import Difference
from mallard.shared.view.terminal.console import print_line

MOVED = 0.1  # the program's time, between an advice and its verification
NO_POOL = (
    "No block's end was checked: the changed program has no pool in mallard::recorded. Put it around the "
    "allocator in a build for this check (docs/advisor/scopes.md)."
)
UNSEEN = (
    "Not seen in a recording: the use of a block after its end, and pools outside of mallard::recorded. A "
    "build with mallard::checked finds both."
)


def show_verification(console: Console, result: Verification) -> None:
    console.print()
    print_line(console, _answer(result.comparison), "bold")
    if result.comparison.whole or result.comparison.rewrite:
        console.print()
        console.print(_table(result.comparison))
    console.print()
    if metric := _metric(result.comparison):
        print_line(console, metric)
    for line in _notes(result.comparison, result.advice):
        print_line(console, line)
    if result.advice:
        for line in _advice_lines(result.advice, result):
            print_line(console, line)
    for line, style in _owners(result.ownership):
        print_line(console, line, style)


def _answer(comparison: Comparison) -> str:
    for name, failure in comparison.failed.items():
        return f"The program {_called(name)} {failure}; the program before {comparison.programs[BEFORE].end}."
    if comparison.whole is None:
        return "The program after the change was not measured."
    time, baseline = comparison.whole.time, comparison.programs[BEFORE].seconds
    kind = "wall time" if comparison.wall else "CPU time"
    under = f"under {comparison.malloc} on {comparison.heap}"
    interval = f"{_ms(abs(time.high))} to {_ms(abs(time.low))}"
    if time.high < 0:
        return (
            f"The change saves {_ms(-time.median)} of {_ms(baseline)} ms of {kind} ({interval} ms), {under}."
        )
    if time.low > 0:
        interval = f"{_ms(time.low)} to {_ms(time.high)}"
        costs = f"The change costs {_ms(time.median)} ms on top of {_ms(baseline)} ms of {kind}"
        return f"{costs} ({interval} ms), {under}."
    return (
        f"No difference in {kind} beyond the interval: {_signed_ms(time.median)} of {_ms(baseline)} ms "
        f"({_interval(time, _signed_ms)} ms), {under}."
    )


def _metric(comparison: Comparison) -> str:
    """Empty without --metric."""
    before, change = comparison.programs[BEFORE].metric, comparison.whole
    if before is None or change is None or change.metric is None:
        return ""
    return f"The metric of the load is {figure(before)} before, and {metric_change(change.metric)} after."


def _called(name: str) -> str:
    return {BEFORE: "before the change", AFTER: "after the change", NULL: "NULL"}[name]


def _table(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("", no_wrap=True)
    for name in ("before", "after", "change", "95 % interval", "of before"):
        table.add_column(name, justify="right", no_wrap=True)
    kind = "wall time" if comparison.wall else "CPU time"
    _add(
        table,
        comparison,
        f"{kind}, ms",
        lambda typical: typical.seconds,
        lambda change: change.time,
        _ms,
        _signed_ms,
    )
    _add(
        table,
        comparison,
        "peak memory, KiB",
        lambda typical: typical.peak_bytes,
        lambda change: change.peak_bytes,
        _kib,
        _s_kib,
    )
    _add(
        table,
        comparison,
        "page faults",
        lambda typical: typical.faults,
        lambda change: change.faults,
        count,
        _signed,
    )
    return table


def _add(
    table: Table,
    comparison: Comparison,
    name: str,
    typical: Callable[[Typical], float],
    change: Callable[[Change], Difference],
    plain: Callable[[float], str],
    signed: Callable[[float], str],
) -> None:
    base = typical(comparison.programs[BEFORE])
    changed = plain(typical(comparison.programs[AFTER])) if AFTER in comparison.programs else ""
    rows = (
        (name, plain(base), changed, comparison.whole),
        ("  the rewrite alone", "", "", comparison.rewrite),
        ("  the allocator alone", "", "", comparison.allocator),
    )
    for title, base_text, changed_text, part in rows:
        if part is None:
            continue
        difference = change(part)
        share = f"{100 * difference.median / base:+.1f} %" if base else ""
        style = "green" if difference.high < 0 else "red" if difference.low > 0 else ""
        table.add_row(
            title,
            base_text,
            changed_text,
            signed(difference.median),
            _interval(difference, signed),
            share,
            style=style,
        )


def _notes(comparison: Comparison, advice: Advice | None) -> list[str]:
    notes = [
        f"{plural(comparison.rounds, 'round')} in random order; medians of the differences within a round."
    ]
    if comparison.rewrite is None and NULL not in comparison.failed:
        notes.append(
            "Without NULL, the changed code bound to new_delete, the gain of the rewrite itself is unknown."
        )
    elif comparison.allocator is not None:
        notes.append("Rewrite: NULL beside BEFORE. Allocator: AFTER beside NULL. Medians need not add up.")
    if comparison.wall and advice and advice.wall:
        notes.append("Times are wall time, as in the advice.")
    elif comparison.wall:
        notes.append(f"Times are wall time: a program uses more than {SEVERAL_CORES:g} cores on average.")
    if comparison.programs[BEFORE].seconds < SHORT_SECONDS:
        notes.append("The program is short: its start is much of its time. Give it more work.")
    if comparison.differing:
        names = in_prose([_called(name) for name in comparison.differing])
        notes.append(f"The output differs from before: {names}.")
    elif comparison.compared:
        notes.append("The output is the same in all runs.")
    else:
        notes.append(OUTPUT_IGNORED)
    return notes


def _advice_lines(advice: Advice, result: Verification) -> list[str]:
    lines = [f"Advice: {advice.headline}"] if advice.headline else []
    if advice.figure is None:
        return [*lines, "It has no figure of an allocator, so there is nothing to put beside the fact."]
    return [*lines, _beside(advice.figure, result)]


def _beside(advice: Figure, result: Verification) -> str:
    tried = (
        f"Advised: {advice.title}, {_promise(advice.time, advice.program_seconds)}, "
        f"against {advice.against}. "
    )
    if result.fact is None:
        return f"{tried}There is no fact to compare."
    part = "after beside null" if result.comparison.allocator else "after beside before"
    baseline, fact = result.comparison.programs[BEFORE].seconds, result.fact.time
    line = f"{tried}Fact: {_promise(fact, baseline)}, {part}. "
    scale = baseline / advice.program_seconds
    if fact.high < advice.time.low * scale:
        line += "The fact is more than the advice."
    elif fact.low > advice.time.high * scale:
        line += "The fact is less than the advice."
    else:
        line += "The intervals of the shares overlap."
    if abs(scale - 1) > MOVED:
        line += " The program's time differs, so the advice may be for another input or machine."
    return line


def _promise(time: Difference, seconds: float) -> str:
    return (
        f"{_signed_ms(time.median)} of {_ms(seconds)} ms ({_interval(time, _signed_ms)}; "
        f"{100 * time.median / seconds:+.1f} %)"
    )


def _owners(ownership: Ownership) -> list[tuple[str, str]]:
    if ownership.unknown is not None:
        return [
            (f"No recording shows how the blocks of the changed program end: {ownership.unknown}", "yellow")
        ]
    lines = [line for pool in ownership.pools for line in _of_pool(pool)] or [(NO_POOL, "yellow")]
    if ownership.foreign_frees:
        lines.append((f"{plural(ownership.foreign_frees, 'free')} of blocks that were not recorded.", ""))
    return [*lines, (UNSEEN, "")] if ownership.pools else lines


def _of_pool(pool: Pool) -> list[tuple[str, str]]:
    label = f"{printable_name(pool.name)} ({plural(pool.pools, 'pool')}, {plural(pool.allocations, 'block')})"
    if not pool.wrong:
        return [(f"{label}: no block outlived its pool, and none was freed by the wrong one.", "")]
    kinds = (
        (pool.outlived, "after the block's end"),
        (pool.of_other, "of a block of another pool"),
        (pool.of_malloc, "of a block of malloc"),
        (pool.by_malloc, "of its block by free or delete"),
    )
    wrong = in_prose([f"{plural(number, 'free')} {kind}" for number, kind in kinds if number])
    where = f" The first: {' < '.join(pool.first)}." if pool.first else ""
    return [(f"{label}: {wrong}.{where}", "red")]


def _interval(difference: Difference, shown: Callable[[float], str]) -> str:
    return f"{shown(difference.low)} to {shown(difference.high)}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f}"


def _signed_ms(seconds: float) -> str:
    return f"{1e3 * seconds:+,.2f}"


def _kib(bytes_: float) -> str:
    return f"{bytes_ / 1024:,.0f}"


def _s_kib(bytes_: float) -> str:
    return _signed(bytes_ / 1024)


def _signed(number: float) -> str:
    return f"{round(number):+,}"  # as a whole number: there is no -0
