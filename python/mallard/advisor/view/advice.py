"""Advice as a report for a page: the answer, before and after, the trials, the scope, code to paste.

A bar of before and after is a time; the thin line over its end is the interval of the saving. The dashed line
is an estimate: the time of the program if allocation took no time, with unchanged locality.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.ceiling import Ceiling
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.memory import find_leanest
from mallard.advisor.advice.study import Screened, Study
from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.advice.wording import (
    between,
    change,
    interval,
    memory_after,
    peak_ratio,
    percent,
    short_time_effect,
    times,
)
from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Figures, Scope
from mallard.advisor.profile.residency import resident_line, sampled_moments
from mallard.advisor.trial.campaign import Baseline
from mallard.advisor.trial.effect import Effect
from mallard.advisor.trial.further_rounds import SURE
from mallard.advisor.view.profile.charts import (
    RESIDENT,
    SAMPLED,
    flame_sections,
    memory_picture,
)
from mallard.advisor.view.profile.scopes import dimension_table, lifetime_details, small_dimensions
from mallard.advisor.view.profile.sites import listed_table
from mallard.shared.mallocs import title
from mallard.shared.report.figures import count, size
from mallard.shared.report.model import (
    Block,
    Code,
    Column,
    Duck,
    Fact,
    Facts,
    Meter,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
    row_from,
)
from mallard.shared.stats import CONFIDENCE, Difference

TO_TYPE = ("to use it", "start", "patch", "then")  # facts
OVER_TIME = (
    Column("after", unit=Unit.SECONDS),
    Column("resident", "without files and shared memory", unit=Unit.BYTES),
    Column("live blocks", unit=Unit.BYTES),
    Column("beyond", "what malloc retains, and what it never saw", unit=Unit.BYTES),
)
MOST_MOMENTS = 12
STRATEGIES = (
    Column("strategy", numeric=False),
    *map(Column, ("effect", "of all", "peak", "faults", "served", "rewound")),
)
CANDIDATES = (
    Column("scope", numeric=False),
    *map(Column, ("blocks", "contained", "effect in a short trial")),
)
MOODS = {"local": Mood.GOOD, "global": Mood.GOOD}


def advice_json(study: Study, verdict: Verdict) -> str:
    facts = [{"label": label, "text": text} for label, text in verdict.facts]
    answer = {"kind": verdict.kind, **asdict(verdict), "facts": facts}
    figures = answer.pop("figures")
    fields = asdict(replace(study, profile=None))
    del fields["profile"]
    head = {"format": "mallard advice", "version": 1, **answer, "wall": study.wall}
    return json.dumps({**head, **figures, "study": fields}, indent=1)


def advice_report(study: Study, verdict: Verdict, profile: Profile | None) -> Report:
    """`profile` is of the recording; None if the program does not allocate."""
    names = Names(profile) if profile else None
    facts = [Fact(label, text) for label, text in verdict.facts]
    sections = [
        *_facts("To use it", [fact for fact in facts if fact.label in TO_TYPE]),
        *(_memory_before_and_after if study.goal == "memory" else _before_and_after)(study, verdict),
        *_facts("Figures", [fact for fact in facts if fact.label not in TO_TYPE]),
        *(_memory(profile, names) if study.goal == "memory" else []),
        *_tried(study),
        *(_scope(study, profile, names) if profile and names else ()),
        # The flame graph of the peak is above.
        *(flame_sections(profile, names) if profile and names and study.goal != "memory" else ()),
        *([Section("Code to paste", (Code(verdict.code),))] if verdict.code else []),
    ]
    program = study.words[0].rpartition("/")[2] if study.words else ""
    doubts = [sentences.withheld(profile), *sentences.losses(profile)] if profile else []
    return Report(
        title=f"Which allocator for {program or 'a program'}?",
        answer=Paragraph(verdict.headline, MOODS.get(verdict.kind)),
        sections=tuple(sections),
        notes=tuple(verdict.notes),
        subject=shlex.join(study.words),
        conditions=(sentences.process_facts(profile),) if profile else (),
        doubts=tuple(filter(None, doubts)),
        is_brief=True,
    )


def _facts(title: str, facts: Sequence[Fact]) -> list[Section]:
    return [Section(title, (Facts(tuple(facts)),))] if facts else []


def _memory(profile: Profile | None, names: Names | None) -> list[Section]:
    """Resident memory over time, and what is live at the peak by line and by call."""
    sections = _memory_over_time(profile) if profile else []
    if profile and names and profile.peak:
        live = listed_table("Live at the peak", profile.peak, profile.peak_not_listed, names, all_rows=True)
        sections.append(Section("Live at the peak", (live,), about="lines whose blocks are live at the peak"))
    return [*sections, *(flame_sections(profile, names) if profile and names else ())]


def _memory_over_time(profile: Profile) -> list[Section]:
    """Resident memory and live bytes over time, of the recorded run."""
    moments, timeline = sampled_moments(profile.timeline), profile.timeline
    if len(moments) < 2 or timeline is None:
        return []
    series = ((RESIDENT, resident_line(timeline)), ("live blocks", timeline.live_bytes))
    step = max(1, -(-len(moments) // MOST_MOMENTS))
    rows = tuple(
        row_from(OVER_TIME, moment.seconds, moment.resident_bytes, moment.live_bytes, moment.beyond_bytes)
        for moment in moments[::step]
    )
    table = Table("Memory over time", OVER_TIME, rows)
    blocks = (memory_picture(timeline, series), table, Paragraph(SAMPLED))
    return [Section("Memory over time", blocks, about="resident memory and live blocks")]


@dataclass(frozen=True)
class Bar:
    label: str
    about: str
    seconds: float
    effect: GlobalEffect | Effect | None  # against the unchanged program; None for that program
    kind: str  # before, malloc, local, best

    @property
    def saved(self) -> Difference | None:
        return self.effect.time if self.effect else None

    @property
    def more_bytes(self) -> float:
        """At the peak."""
        return self.effect.peak_bytes.median if self.effect else 0.0

    @property
    def cell(self) -> str:
        return f"{self.label}\n{self.about}".strip()


def _before_and_after(study: Study, verdict: Verdict) -> list[Section]:
    bars = make_bars(study, verdict)
    if len(bars) < 2:
        return []
    widest = max(_end(bar) for bar in bars)
    floor = time_floor(study, bars[0].seconds)
    heap = study.baseline.heap if study.baseline else study.globals.heap
    text = (
        f"Against {study.base} on {heap}. A local allocator's bar is the time of the program less "
        "what its trial saved against the null."
    )
    if floor is not None:
        ends = between(floor, max(floor, bars[0].seconds - study.ceiling.low))
        text += (
            f" Dashed: {times(floor)}, by estimate the time without any allocator, at the end of its "
            f"interval ({ends}); better locality goes below it."
        )
    columns = (
        Column("program", numeric=False),
        Column("drawn", numeric=False, is_detail=True),
        Column("time", is_detail=True),
        Column(f"effect, of {times(bars[0].seconds)}"),
        Column("peak memory"),
    )
    rows = tuple(_bar_row(bar, widest, floor, study.globals.peak_bytes) for bar in bars)
    table = Table("Time of the program", columns, rows)
    return [Section("Before and after", (table, Paragraph(text)), is_headed=True)]


def time_floor(study: Study, program_seconds: float) -> float | None:
    """The program's time less the estimate of its time in allocation. That is CPU time, so there is none
    for wall time."""
    if not study.ceiling.known or (study.baseline and study.baseline.trial.wall):
        return None
    return max(0.0, program_seconds - study.ceiling.high)


def make_bars(study: Study, verdict: Verdict) -> list[Bar]:
    """The unchanged program, then the changes: those beyond their interval, the largest saving first."""
    before, *changes = _bars(study, verdict)
    return [before, *sorted(changes, key=_rank)]


def _rank(bar: Bar) -> tuple[bool, float]:
    return (bar.saved.high >= 0, bar.saved.median) if bar.saved else (True, 0.0)


def _bars(study: Study, verdict: Verdict) -> Iterator[Bar]:
    """The unchanged program has the time of the headline: the mallocs and the trial ran at other times."""
    baseline, figure = study.baseline, verdict.figures.figure
    program_seconds = baseline.trial.program_seconds if baseline else study.globals.seconds
    unchanged = figure.program_seconds if figure and verdict.answer.age is None else program_seconds
    yield Bar("as it is", f"with {study.base}", unchanged, None, "before")
    for malloc_effect in study.globals.allowed:
        seconds = study.globals.seconds + malloc_effect.time.median
        yield Bar(title(malloc_effect.malloc), "", seconds, malloc_effect, "malloc")
    about = f"in {study.chosen.title}" if study.chosen else ""
    for effect in baseline.allowed if baseline else ():
        kind = "best" if study.best and effect is study.best else "local"
        yield Bar(effect.strategy, about, program_seconds + effect.time.median, effect, kind)


def _end(bar: Bar) -> float:
    if bar.saved is None or not math.isfinite(bar.saved.high):
        return bar.seconds
    return bar.seconds - bar.saved.median + max(bar.saved.high, bar.saved.median)


def _bar_row(bar: Bar, widest: float, floor: float | None, peak: float) -> Row:
    ends = None
    if bar.saved is not None and math.isfinite(bar.saved.low) and math.isfinite(bar.saved.high):
        base = bar.seconds - bar.saved.median
        ends = (base + bar.saved.low) / widest, (base + bar.saved.high) / widest
    cells = (
        bar.cell,
        Meter(bar.seconds / widest, 24, ends, None if floor is None else floor / widest, is_large=True),
        times(bar.seconds),
        "" if bar.saved is None else change(bar.saved),
        peak_ratio(bar.more_bytes, peak),
    )
    return Row(cells, Mood.GOOD if bar.kind == "best" else None)


def _memory_before_and_after(study: Study, verdict: Verdict) -> list[Section]:
    """The peak under each change, the leanest first."""
    leanest = find_leanest(study)
    at_end = bool(leanest and leanest.at_end)
    before, *changes = _bars(study, verdict)
    if not changes:
        return []

    def more_bytes(bar: Bar) -> float:
        end = bar.effect.end_bytes if bar.effect and at_end else None
        return end.median if end else bar.more_bytes

    bars = (before, *sorted(changes, key=more_bytes))
    widest = study.globals.peak_bytes + max(bar.more_bytes for bar in bars)
    rows = tuple(_memory_row(study, bar, widest, leanest.effect if leanest else None) for bar in bars)
    columns = (
        Column("program", numeric=False),
        Column("drawn", numeric=False, is_detail=True),
        Column("peak memory"),
        Column("ratio"),
        Column("at the end", is_detail=study.load is None),
        Column("time"),
        Column("interval", is_extra=True),
    )
    text = f"Resident memory at the peak, against {study.base} on {study.globals.heap}."
    return [Section("Before and after", (Table("Memory", columns, rows), Paragraph(text)), is_headed=True)]


def _memory_row(study: Study, bar: Bar, widest: float, leanest: GlobalEffect | Effect | None) -> Row:
    peak, at_end = study.globals.peak_bytes, study.globals.at_end.resident_bytes
    memory = bar.effect.peak_bytes if bar.effect else None
    end = bar.effect.end_bytes if bar.effect else None
    ends = None
    if memory and math.isfinite(memory.low) and math.isfinite(memory.high):
        ends = (peak + memory.low) / max(widest, 1.0), (peak + memory.high) / max(widest, 1.0)
    cells = (
        bar.cell,
        Meter((peak + bar.more_bytes) / max(widest, 1.0), 24, ends, None, is_large=True),
        memory_after(memory, peak) if memory else size(peak),
        peak_ratio(bar.more_bytes, peak, decimals=2),
        "" if at_end is None or (bar.effect and not end) else size(at_end + (end.median if end else 0.0)),
        short_time_effect(bar.saved) if bar.saved else times(bar.seconds),
        interval(bar.saved) if bar.saved else "",
    )
    return Row(cells, Mood.GOOD if leanest and bar.effect is leanest else None)


def _tried(study: Study) -> list[Section]:
    if study.trial is None or study.chosen is None:
        return []
    aged = [
        baseline
        for heap in study.aged
        for scope in heap.scopes
        for baseline in (scope.baseline, scope.on_top)
    ]
    blocks: list[Block] = [
        Paragraph(
            f"{study.trial.rounds} rounds in random order; medians of the differences to the null within a "
            f"round, with intervals at {100 * CONFIDENCE:g} %, or {100 * SURE:g} % after further rounds. The "
            "null finds the scope in the same way and serves nothing."
        )
    ]
    for baseline in filter(None, (*study.trial.baselines, study.on_top, *aged)):
        kind = "wall time" if baseline.trial.wall else "CPU time"
        heading = f"Against {baseline.title}"
        program = f"{times(baseline.trial.program_seconds)} of {kind} as it is"
        blocks += [Paragraph(f"{heading}: {program}."), _strategies(study, baseline, heading)]
    if study.briefly:
        heading = "Every strategy, in a short trial"
        blocks += [Paragraph(f"{heading}:"), _strategies(study, study.briefly, heading)]
    if len(study.screened) > 1:
        blocks += [Paragraph("Scopes that were tried:"), _candidates(study)]
    return [Section("Tried", tuple(blocks), about=f"trials in {study.chosen.with_source}")]


def _strategies(study: Study, baseline: Baseline, caption: str) -> Table:
    rows = tuple(_strategy(study, baseline, effect) for effect in baseline.trial.effects)
    return Table(caption, STRATEGIES, rows)


def _strategy(study: Study, baseline: Baseline, effect: Effect) -> Row:
    counts = effect.counts
    mark = " (another output)" if effect.strategy in baseline.differing else ""
    return Row(
        (
            f"{effect.strategy}{mark}",
            change(effect.time),
            percent(abs(effect.time.median) / baseline.trial.program_seconds),
            peak_ratio(effect.peak_bytes.median, study.globals.peak_bytes),
            f"{effect.faults.median:+,.0f}",
            percent(counts.served / counts.requests) if counts.requests else "",
            count(counts.started_again) if counts.started_again else "",
        )
    )


def _candidates(study: Study) -> Table:
    """The best of the short trials is measured in full."""
    rows = [
        Row(
            (
                entry.candidate.with_source,
                count(entry.candidate.allocations),
                "" if entry.candidate.containment is None else percent(entry.candidate.containment),
                _outcome(entry),
            )
        )
        for entry in study.screened
    ]
    return Table("Scopes that were tried", CANDIDATES, tuple(rows))


def _outcome(screened: Screened) -> str:
    if screened.best:
        return change(screened.best.time)
    return screened.reason or "; ".join(
        f"{strategy} {arm.text}" for strategy, arm in screened.given_up.items()
    )


def _scope(study: Study, profile: Profile, names: Names) -> list[Section]:
    chosen = study.chosen
    row = find_row(chosen, profile) if chosen else None
    if chosen is None or row is None:
        return []
    figures = with_program_density(row.figures, study.ceiling)
    duck = Duck(small_dimensions(figures))
    blocks: tuple[Block, ...] = (duck, dimension_table(figures), *lifetime_details(row, names))
    return [Section("Scope", blocks, about=f"how the memory of {chosen.title} lives")]


def with_program_density(figures: Figures, ceiling: Ceiling) -> Figures:
    """The figures with the scope's density in the time of the program without the recorder, as in the
    estimate. The recording's own density is a share of another time.
    """
    density = figures.dimension("D")
    if not ceiling.known or not density.raw or density.ns_per_operation is None:
        return replace(figures, D=None)
    operations = figures.allocations + (figures.frees or 0)
    scale = operations * density.ns_per_operation * 1e-9 / (ceiling.program_seconds * density.raw)
    raw = density.raw * scale
    ends = density.interval and (min(1.0, density.interval[0] * scale), min(1.0, density.interval[1] * scale))
    return replace(figures, D=replace(density, raw=raw, scaled=raw, interval=ends))


def find_row(chosen: Candidate, profile: Profile) -> Scope | None:
    scopes = (*profile.scopes, *(profile.markers.scopes if profile.markers else ()))
    if chosen.function is not None:
        return next((scope for scope in scopes if scope.function == chosen.function), None)
    return next(
        (scope for scope in scopes if scope.kind == chosen.kind and scope.name == chosen.asked_as), None
    )
