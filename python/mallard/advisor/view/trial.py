"""The report of `mallard try`: for each malloc and age the answer, and each strategy against the null."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from mallard.advisor.trial.campaign import (
    OUTPUT_IGNORED,
    PAST_MALLOC,
    Baseline,
    Result,
    describe_failures_together,
    faster_null,
    short,
    unresolved,
)
from mallard.advisor.trial.effect import Effect, Trial, figure, metric_change
from mallard.advisor.trial.program import OF_LINES, STRATEGIES, Counts
from mallard.advisor.trial.rounds import unserved_reasons
from mallard.shared.report.figures import count
from mallard.shared.report.model import (
    Block,
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

COLUMNS = (
    Column("served by", numeric=False),
    Column("ms", "the program's time against the null"),
    Column("95 % interval"),
    Column("of all", "share of the program's time"),
    Column("peak", "of resident memory, against the null"),
    Column("faults", "of pages, against the null"),
    Column("served", "share of the scope's requests"),
    Column("by others", "blocks that other functions freed"),
    Column("again", "how often the memory was used again because no block was live"),
)
MORE_OR_LESS = (
    "The change itself can save more (binding by type, inlining, ending the scope's memory at once) or less."
)


def trial_json(result: Result) -> str:
    wall = any(baseline.trial.wall for baseline in result.baselines)
    head = {"format": "mallard trial", "version": 1, "wall": wall}
    figure = result.promise and asdict(result.promise)
    return json.dumps({**head, "figure": figure, **asdict(result)}, indent=1)


def trial_report(result: Result, notes: Sequence[str] = ()) -> Report:
    """The answer is the first baseline's. Of several, each has a section with its own."""
    first, *others = result.baselines
    return Report(
        title=f"A trial of {result.scope.name}",
        answer=Paragraph(_answer(result, first)),
        sections=(
            Section(first.title, _baseline(result, first), is_headed=bool(others)),
            *(
                Section(
                    baseline.title,
                    (Paragraph(_answer(result, baseline)), *_baseline(result, baseline)),
                    is_headed=True,
                )
                for baseline in others
            ),
        ),
        notes=(MORE_OR_LESS, *notes),
    )


def _baseline(result: Result, baseline: Baseline) -> tuple[Block, ...]:
    trial = baseline.trial
    kind = "wall time, because several threads allocate in the scope" if trial.wall else "CPU time"
    facts = (
        f"The program takes {_milliseconds(trial.program_seconds)} of {kind}. The scope makes "
        f"{count(trial.null.requests)} of its {count(trial.null.requests + trial.null.elsewhere)} requests. "
        f"{_finding(trial)} {result.rounds} rounds."
    )
    detection = [text] if (text := _detection(result, trial.null)) else []
    return (
        Paragraph(facts),
        *([_table(baseline)] if trial.effects else []),
        *map(Paragraph, [*detection, *_notes(baseline)]),
    )


def _finding(trial: Trial) -> str:
    if sentence := faster_null(trial):
        return sentence
    if trial.finding.median < 0:
        return "To find it costs no time that could be measured."
    return f"To find it costs {trial.nanoseconds_to_find:.0f} ns a request, in all rows alike."


LEAST_BY_STACK = 0.05  # of the requests; fewer hardly add to the cost


def _detection(result: Result, null: Counts) -> str:
    """The reason for which finding the scope costs more than a look at a return address; empty if it does
    not.
    """
    detector = result.scope.detector
    if detector is None:
        return ""
    if detector.method == "stack":
        return f"The stack of each thread is kept, because {detector.reason}."
    share = null.by_stack / max(null.requests + null.elsewhere, 1)
    if share < LEAST_BY_STACK:
        return ""
    return (
        f"For {100 * share:.0f} % of the requests the whole stack is unwound: the recording lacks their "
        "return addresses, or their frames vary in size."
    )


def _answer(result: Result, baseline: Baseline) -> str:
    best = baseline.best
    if baseline.is_unmeasured:
        failures = describe_failures_together(baseline.failures)
        return f"{result.scope.name}: nothing could be measured: {failures}. {PAST_MALLOC}"
    if best is None:
        open_saving = unresolved(
            {effect.strategy: effect.time for effect in baseline.allowed},
            baseline.trial.program_seconds,
            len(baseline.trial.effects) + 2,
            baseline.trial.null_seconds,
        )
        but = f"; {open_saving}" if open_saving else ""
        return (
            f"{result.scope.name}: no strategy saves time beyond its interval, against {baseline.title}{but}."
        )
    served_by = (STRATEGIES | OF_LINES)[best.strategy]
    return (
        f"{result.scope.name}: {served_by} saves {_milliseconds(-best.time.median)} of "
        f"{_milliseconds(baseline.trial.program_seconds)} ({_milliseconds(-best.time.high)} to "
        f"{_milliseconds(-best.time.low)}), against {baseline.title}."
    )


def _table(baseline: Baseline) -> Table:
    rows = tuple(_row(baseline, effect) for effect in baseline.trial.effects)
    return Table(f"Allocators and the null, against {baseline.title}", COLUMNS, rows)


def _row(baseline: Baseline, effect: Effect) -> Row:
    counts, time = effect.counts, effect.time
    share = time.median / baseline.trial.program_seconds if baseline.trial.program_seconds else 0.0
    cells = (
        effect.strategy,
        Figure(time.median, Unit.MILLISECONDS_MORE),
        Interval(time.low, time.high, Unit.MILLISECONDS_MORE),
        Figure(share, Unit.PERCENT_MORE),
        Figure(effect.peak_bytes.median, Unit.BYTES_MORE),
        Figure(effect.faults.median, Unit.COUNT_MORE),
        Figure(counts.served / max(counts.requests, 1), Unit.PERCENT),
        Figure(counts.freed_by_others, Unit.COUNT),
        Figure(counts.started_again, Unit.COUNT) if "monotonic" in effect.strategy else None,
    )
    return Row(cells, Mood.GOOD if effect.saves else Mood.BAD if effect.costs else None)


def last_request(of_servers: Sequence[tuple[int, int]]) -> str:
    """The block of a program that ended by a fault is often the last one, or near it."""
    named = [f"{bytes_} bytes for the code at {caller:#x}" for bytes_, caller in of_servers]
    return f" The last request of the scope: {'; of another thread: '.join(named)}." if named else ""


def _notes(baseline: Baseline) -> list[str]:
    notes = [warning] if (warning := short(baseline.trial.program_seconds)) else []
    notes += [
        f"{strategy}: the program {failure} under it; without it, it does not."
        f"{last_request(baseline.trial.last.get(strategy, ()))}"
        for strategy, failure in baseline.trial.failed.items()
    ]
    notes += [f"{strategy}: {arm.text}." for strategy, arm in baseline.trial.given_up.items()]
    notes += [
        f"{strategy}: the output differs from the unchanged program's." for strategy in baseline.differing
    ]
    if not baseline.compared:
        notes.append(OUTPUT_IGNORED)
    for effect in baseline.trial.effects:
        if reasons := unserved_reasons(effect.counts):
            notes.append(f"{effect.strategy}: the global allocator served {reasons}.")
        if effect.counts.moved:
            notes.append(f"{effect.strategy}: realloc moved {count(effect.counts.moved)} blocks.")
    by_region = [effect for effect in baseline.trial.effects if "monotonic" in effect.strategy]
    for effect in by_region:
        counts = effect.counts
        if counts.served and counts.started_again == 0 and counts.never_freed:
            notes.append(
                f"{effect.strategy}: at no moment was the scope without a live block, so its memory was "
                f"never used again; {count(counts.never_freed)} of {count(counts.served)} blocks were never "
                "freed."
            )
    if baseline.trial.metric is not None:
        changes = [
            f"{metric_change(effect.metric)} with {effect.strategy}"
            for effect in baseline.trial.effects
            if effect.metric
        ]
        notes.append(
            "; ".join([f"The metric of the load is {figure(baseline.trial.metric)}", *changes]) + "."
        )
    return notes


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms"
