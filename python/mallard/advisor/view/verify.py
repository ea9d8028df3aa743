"""The report of `mallard verify`: the answer, and the three parts of each quantity."""

from __future__ import annotations

from collections.abc import Callable

from mallard.advisor.trial.campaign import OUTPUT_IGNORED, SHORT_SECONDS, Promise
from mallard.advisor.trial.effect import SEVERAL_CORES, figure, metric_change
from mallard.advisor.verify import (
    AFTER,
    BEFORE,
    NULL,
    Advice,
    Change,
    Comparison,
    Ownership,
    Pool,
    Verification,
)
from mallard.shared.prose import in_prose, printable_name
from mallard.shared.report.figures import cell_text, count, plural
from mallard.shared.report.model import (
    Column,
    Figure,
    Interval,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
)
from mallard.shared.stats import Difference

MOVED = 0.1  # the program's time, between an advice and its verification
NO_POOL = (
    "No block's end was checked: the changed program has no pool in mallard::recorded. Put it around the "
    "allocator in a build for this check (docs/advisor/scopes.md)."
)
UNSEEN = (
    "Not seen in a recording: the use of a block after its end, and pools outside of mallard::recorded. A "
    "build with mallard::checked finds both."
)


COLUMNS = (
    Column("", numeric=False),
    Column("before"),
    Column("after"),
    Column("change"),
    Column("95 % interval"),
    Column("of before"),
)


def verification_report(result: Verification) -> Report:
    comparison = result.comparison
    sections = []
    if comparison.whole or comparison.rewrite:
        sections.append(Section("The change, and its parts", (_table(comparison),)))
    lines = [metric] if (metric := _metric(comparison)) else []
    lines += _notes(comparison, result.advice, is_patch=bool(result.patch))
    if allocations := _allocations(result):
        lines.append(allocations)
    if result.advice:
        lines += _advice_lines(result.advice, result)
    is_patched = result.patch and not result.ownership.pools and result.ownership.unknown is None
    owners = [] if is_patched else _owners(result.ownership)  # a patch changes no allocator
    about = (*map(Paragraph, lines), *owners)
    return Report(
        title="A change, verified",
        answer=Paragraph(_answer(comparison)),
        sections=(*sections, Section("About the runs", about)),
    )


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
        f"({_interval_ms(time)} ms), {under}."
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
    before = comparison.programs[BEFORE]
    kind = "wall time" if comparison.wall else "CPU time"
    quantities: tuple[tuple[str, float, Callable[[Change], Difference], Unit, Unit], ...] = (
        (
            f"{kind}, ms",
            before.seconds,
            lambda change: change.time,
            Unit.MILLISECONDS,
            Unit.MILLISECONDS_MORE,
        ),
        (
            "peak memory, KiB",
            before.peak_bytes,
            lambda change: change.peak_bytes,
            Unit.KIBIBYTES,
            Unit.KIBIBYTES_MORE,
        ),
        ("page faults", before.faults, lambda change: change.faults, Unit.COUNT, Unit.COUNT_MORE),
    )
    parts = (
        ("", comparison.whole),
        ("  the rewrite alone", comparison.rewrite),
        ("  the allocator alone", comparison.allocator),
    )
    rows = (
        _row(title or name, base, difference(part), unit, more, is_whole=not title)
        for name, base, difference, unit, more in quantities
        for title, part in parts
        if part
    )
    return Table("Before and after the change", COLUMNS, tuple(rows))


def _row(title: str, base: float, change: Difference, unit: Unit, more: Unit, *, is_whole: bool) -> Row:
    """After is before with the change: with the median of AFTER, which is of another round, the row would not
    add up."""
    cells = (
        title,
        Figure(base, unit) if is_whole else None,
        Figure(base + change.median, unit) if is_whole else None,
        Figure(change.median, more),
        Interval(change.low, change.high, more),
        Figure(change.median / base, Unit.PERCENT_MORE) if base else None,
    )
    return Row(cells, Mood.GOOD if change.high < 0 else Mood.BAD if change.low > 0 else None)


def _allocations(result: Verification) -> str:
    before, after = result.allocations_before, result.ownership.allocations
    if before is None or after is None:
        return ""
    return (
        f"A recorded run makes {plural(before, 'allocation')} before the change, and {count(after)} after it."
    )


def _notes(comparison: Comparison, advice: Advice | None, *, is_patch: bool) -> list[str]:
    if not (comparison.whole or comparison.rewrite):
        return []
    rounds = f"{plural(comparison.rounds, 'round')} in random order"
    change = "the change is the median of the differences within a round, and after is before with the change"
    notes = [f"{rounds}; {change}."]
    if comparison.rewrite is None and NULL not in comparison.failed and not is_patch:
        notes.append(
            "Without NULL, the changed code bound to new_delete, the gain of the rewrite itself is unknown."
        )
    elif comparison.allocator is not None:
        notes.append("Rewrite: NULL against BEFORE. Allocator: AFTER against NULL. Medians need not add up.")
    if comparison.wall and advice and advice.wall:
        notes.append("Times are wall time, as in the advice.")
    elif comparison.wall:
        notes.append(f"Times are wall time: a program uses more than {SEVERAL_CORES:g} cores on average.")
    if comparison.programs[BEFORE].seconds < SHORT_SECONDS:
        notes.append("The program is short: its start is much of its time. Give it more work.")
    if comparison.differing:
        names = in_prose([_called(name) for name in comparison.differing])
        notes.append(f"The output differs from before: {names}.")
    elif comparison.compared and not comparison.failed:
        notes.append("The output is the same in all runs.")
    elif not comparison.compared:
        notes.append(OUTPUT_IGNORED)
    return notes


def _advice_lines(advice: Advice, result: Verification) -> list[str]:
    lines = [f"Advice: {advice.headline}"] if advice.headline else []
    if advice.figure is None:
        return [*lines, "It has no figure of an allocator, so there is nothing to compare with the fact."]
    lines.append(_promise_and_fact(advice.figure, result))
    if advice.figure.peak_bytes and result.fact:
        lines.append(_memory_and_fact(advice.figure.peak_bytes, result.fact.peak_bytes))
    return lines


def _memory_and_fact(promise: Difference, fact: Difference) -> str:
    verdict = (
        "It needs less than the advice."
        if fact.high < promise.low
        else "It needs more than the advice."
        if fact.low > promise.high
        else "The intervals overlap."
    )
    return f"Peak memory, KiB: advised {_kib(promise)}. Fact: {_kib(fact)}. {verdict}"


def _kib(change: Difference) -> str:
    ends = Interval(change.low, change.high, Unit.KIBIBYTES_MORE)
    return f"{cell_text(Figure(change.median, Unit.KIBIBYTES_MORE))} ({cell_text(ends)})"


def _promise_and_fact(promise: Promise, result: Verification) -> str:
    tried = (
        f"Advised: {promise.title}, {_promised(promise.time, promise.program_seconds)}, "
        f"against {promise.against}. "
    )
    if result.fact is None:
        return f"{tried}There is no fact to compare."
    part = "AFTER against NULL" if result.comparison.allocator else "AFTER against BEFORE"
    baseline, fact = result.comparison.programs[BEFORE].seconds, result.fact.time
    line = f"{tried}Fact: {_promised(fact, baseline)}, {part}. "
    scale = baseline / promise.program_seconds
    if fact.high < promise.time.low * scale:
        line += "The fact is more than the advice."
    elif fact.low > promise.time.high * scale:
        line += "The fact is less than the advice."
    else:
        line += "The intervals of the shares overlap."
    if abs(scale - 1) > MOVED:
        line += " The program's time differs, so the advice may be for another input or machine."
    return line


def _promised(time: Difference, seconds: float) -> str:
    return (
        f"{_signed_ms(time.median)} of {_ms(seconds)} ms ({_interval_ms(time)}; "
        f"{100 * time.median / seconds:+.1f} %)"
    )


def _owners(ownership: Ownership) -> list[Paragraph]:
    if ownership.unknown is not None:
        text = f"No recording shows how the blocks of the changed program end: {ownership.unknown}"
        return [Paragraph(text, Mood.OPEN)]
    lines = [_of_pool(pool) for pool in ownership.pools] or [Paragraph(NO_POOL, Mood.OPEN)]
    if ownership.foreign_frees:
        lines.append(
            Paragraph(f"{plural(ownership.foreign_frees, 'free')} of blocks that were not recorded.")
        )
    return [*lines, Paragraph(UNSEEN)] if ownership.pools else lines


def _of_pool(pool: Pool) -> Paragraph:
    label = f"{printable_name(pool.name)} ({plural(pool.pools, 'pool')}, {plural(pool.allocations, 'block')})"
    if not pool.wrong:
        return Paragraph(f"{label}: no block outlived its pool, and none was freed by the wrong one.")
    kinds = (
        (pool.outlived, "after the block's end"),
        (pool.of_other, "of a block of another pool"),
        (pool.of_malloc, "of a block of malloc"),
        (pool.by_malloc, "of its block by free or delete"),
    )
    wrong = in_prose([f"{plural(number, 'free')} {kind}" for number, kind in kinds if number])
    where = f" The first: {' < '.join(pool.first)}." if pool.first else ""
    return Paragraph(f"{label}: {wrong}.{where}", Mood.BAD)


def _ms(seconds: float) -> str:
    return cell_text(Figure(seconds, Unit.MILLISECONDS))


def _signed_ms(seconds: float) -> str:
    return cell_text(Figure(seconds, Unit.MILLISECONDS_MORE))


def _interval_ms(difference: Difference) -> str:
    return cell_text(Interval(difference.low, difference.high, Unit.MILLISECONDS_MORE))
