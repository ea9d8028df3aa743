"""The verdict: chooses the answer from the measurements of the study, and writes it with its figures.

A saving of a local allocator is measured against the null of its trial. A malloc for the whole program needs
no change of code, so it is advised wherever it saves nearly as much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mallard.advisor.advice.aged_sentences import (
    aged_facts,
    best_aged_malloc,
    best_aged_scope,
    still_saves,
)
from mallard.advisor.advice.answer import (
    Answer,
    Kind,
    best_strategy_on_top,
    choose_answer,
    failures,
    find_aged,
    first_kind,
    is_unmeasured,
    local_follow_up,
    local_is_as_good_as_both,
    open_malloc,
    peak_of_both,
    promise,
    tried,
)
from mallard.advisor.advice.candidates import Candidate, LastingSite, short_source
from mallard.advisor.advice.ceiling import FEW_OPERATIONS
from mallard.advisor.advice.choice import Choice
from mallard.advisor.advice.code import REGIONS, code_for
from mallard.advisor.advice.figures import Figures, find_figures
from mallard.advisor.advice.memory_verdict import (
    choose_memory_answer,
    for_memory,
    memory_facts,
    memory_headline,
)
from mallard.advisor.advice.patch import PATCHED
from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.wording import (
    advised,
    at_most,
    between,
    change,
    interval,
    nanoseconds,
    peak_effect,
    peak_ratio,
    percent,
    scope_name,
    strategy_name,
    times,
)
from mallard.advisor.profile.sentences import names_remedy
from mallard.advisor.trial.campaign import (
    LEAST_EFFECT,
    PAST_MALLOC,
    Baseline,
    describe_failures_together,
    faster_null,
    short,
    unresolved,
)
from mallard.advisor.trial.effect import Effect, figure, metric_change
from mallard.advisor.trial.program import OF_LINES, RESERVED
from mallard.shared.mallocs import how_to_use, is_switch, title
from mallard.shared.prose import capitalised, in_prose
from mallard.shared.report.figures import count, plural, size
from mallard.shared.version import bench_command

NOT_SEEN = (
    "The change itself can save more than the trial, or less. A trial does not have winking out (no "
    "destructor runs), binding by type (no virtual call), inlining of the allocator into the code that "
    "calls it, or what the changed code costs."
)


@dataclass(frozen=True)
class Verdict:
    answer: Answer
    headline: str
    facts: tuple[tuple[str, str], ...]  # a label, and the sentence
    notes: tuple[str, ...]
    code: str
    figures: Figures

    @property
    def kind(self) -> Kind:
        return self.answer.kind


def decide(study: Study) -> Verdict:
    if study.goal == "memory" and first_kind(study) != "unmeasured":
        return _decide_for_memory(study)
    answer = choose_answer(study)
    kind = answer.kind if answer.age is None else first_kind(study)
    return Verdict(
        answer,
        f"{_HEADLINES[kind](study) if answer.age is None else _aged_headline(study, answer)}"
        f"{_costly_call(study, answer)}",
        tuple(_facts(study, answer, kind)),
        (*_notes(study, kind), *_condition(study, answer)),
        _code(study, answer.strategy) if answer.strategy and _can_be_written(study, answer) else "",
        find_figures(study, answer),
    )


def _decide_for_memory(study: Study) -> Verdict:
    answer = choose_memory_answer(study)
    return Verdict(
        answer,
        memory_headline(study),
        tuple(memory_facts(study, answer)),
        (*_notes(study, answer.kind), *_condition(study, answer)),
        _code(study, answer.strategy) if answer.strategy and _can_be_written(study, answer) else "",
        find_figures(study, answer),
    )


# ---- headline


def _nothing(study: Study) -> str:
    if study.allocations < FEW_OPERATIONS:
        blocks = f"{study.allocations} block{'' if study.allocations == 1 else 's'}"
        return (
            f"Nothing worth doing: the program allocates {blocks}, too few to save time with, against "
            f"{_base(study)}."
        )
    return (
        f"Nothing worth doing: by estimate malloc and page faults take at most "
        f"{at_most(study.ceiling.share_high)} of {times(study.ceiling.program_seconds)} "
        f"{_under_load(study) or 'here'}, against {_base(study)}; better locality is not counted."
    )


def _costly_call(study: Study, answer: Answer) -> str:
    """Behind an answer without a change: the control call that takes most time."""
    calls = _control_calls(study) if answer.kind in ("nothing", "unresolved") else []
    return f" But {calls[0].where} takes {_time_of_call(study, calls[0])}." if calls else ""


def _local(study: Study) -> str:
    baseline, best, chosen = study.baseline, study.best, study.chosen
    assert baseline
    assert best
    assert chosen
    saved = (
        f"{change(best.time, baseline.trial.program_seconds)} "
        f"{peak_effect(best.peak_bytes.median, study.globals.peak_bytes)}"
    )
    if chosen.is_unnamed:
        return (
            f"Install the debug symbols of {chosen.object_name}, and ask again: "
            f"{strategy_name(best, chosen)} in one of its functions, which has no name: {saved}."
        )
    return f"{capitalised(advised(best, chosen))}: {saved}."


def _under_load(study: Study) -> str:
    return "of the program's CPU time under its load" if study.load else ""


def _global(study: Study) -> str:
    best = study.best_malloc
    assert best
    return (
        f"Use {title(best.malloc)} instead of {study.base}: {change(best.time, study.globals.seconds)} "
        f"{peak_effect(best.peak_bytes.median, study.globals.peak_bytes)}."
    )


def _aged_headline(study: Study, answer: Answer) -> str:
    """Of a change that saves nothing on a young heap."""
    aged = find_aged(study, answer.age)
    assert aged
    otherwise = "nothing that was tried is worth a change"
    if not study.ceiling.worth_a_trial:
        share, total = at_most(study.ceiling.share_high), times(study.ceiling.program_seconds)
        otherwise = f"malloc and page faults take at most {share} of {total}, by estimate"
    if answer.malloc:
        best = best_aged_malloc(aged)
        assert best
        assert aged.globals
        advice = (
            f"use {title(best.malloc)} instead of {study.base}: {change(best.time, aged.globals.seconds)}"
        )
    else:
        scope = best_aged_scope(aged)
        assert scope
        assert scope.effect
        saved = change(scope.effect.time, scope.baseline.trial.program_seconds)
        advice = f"{advised(scope.effect, scope.candidate)}: {saved}"
    return f"On {aged.heap}, {advice}; on {study.globals.heap} {otherwise}."


def _then(study: Study) -> str:
    on_top = local_follow_up(study)
    if on_top is None or study.chosen is None:
        return ""
    return f"{advised(on_top, study.chosen)}: that {still_saves(on_top)}"


def _unmeasured(study: Study) -> str:
    if not is_unmeasured(study):
        return (
            f"Nothing could be measured: the program has its own {study.linked_malloc} linked into it, which "
            "no preloaded library replaces; recorded were only blocks from elsewhere, "
            f"{count(study.allocations)} of them. Link it with the malloc of the C library, and try again."
        )
    failed = describe_failures_together(failures(study))
    return f"Nothing could be measured: {failed}; with {study.base} alone it does not. {PAST_MALLOC}"


def _unresolved(study: Study) -> str:
    wide = open_malloc(study)
    open_saving = unresolved(
        {wide.malloc: wide.time}
        if wide
        else {effect.malloc: effect.time for effect in study.globals.allowed}
        | {strategy_name(effect, study.chosen): effect.time for effect in tried(study)},
        study.ceiling.program_seconds,
        len(study.globals.effects) + len(tried(study)) + 3,  # with the base malloc, unchanged and the null
        study.globals.wall_seconds,
    )
    if wide and study.best and study.chosen and study.baseline:
        saved = change(study.best.time, study.baseline.trial.program_seconds)
        return (
            f"Not resolved: {open_saving}. {title(wide.malloc)} would change no source, and so is worth "
            f"those runs before {strategy_name(study.best, study.chosen)} in "
            f"{scope_name(study.best, study.chosen)}: {saved}."
        )
    total = f"{times(study.ceiling.program_seconds)} {_under_load(study)}".rstrip()
    if open_saving:
        return (
            f"Not resolved: no strategy and no malloc saves {percent(LEAST_EFFECT)} of "
            f"{total} beyond its interval, but {open_saving}."
        )
    if study.trial is None and not study.given_up:
        reason = study.withheld or "No scope of the program ends most of the blocks that it makes."
        return f"No advice: {reason[:1].lower()}{reason[1:].rstrip('.')}; and no other malloc saves time."
    return (
        "Nothing that was tried is worth a change: no strategy and no malloc saves "
        f"{percent(LEAST_EFFECT)} of {total} beyond its interval."
    )


_HEADLINES = {
    "nothing": _nothing,
    "local": _local,
    "global": _global,
    "unresolved": _unresolved,
    "unmeasured": _unmeasured,
}


# ---- facts


MUCH_OF_SAVING = 0.1


def _start(study: Study, answer: Answer) -> str:
    """What a preloaded malloc costs outside of the trials, if that is much of what it saves."""
    promised = promise(study, answer)
    starts = [effect.start for effect in study.globals.effects if effect.malloc == answer.malloc]
    if study.load or promised is None or not starts or starts[0] is None:
        return ""
    start, saved = starts[0], -promised.time.median
    if start.low <= 0 or start.median < MUCH_OF_SAVING * saved:
        return ""
    more = "; that is more than it saves in a run as short as this one" if start.median >= saved else ""
    return f"it {change(start)} when a process starts and ends, which no trial counts{more}"


def _facts(study: Study, answer: Answer, kind: Kind) -> Iterator[tuple[str, str]]:
    """What to type first."""
    if answer.malloc:
        yield "to use it", how_to_use(answer.malloc, study.words)
        if start := _start(study, answer):
            yield "start", start
    if study.patches.patches and kind not in ("nothing", "unmeasured"):
        statements = in_prose(
            [f"'{patch.statement}' ({short_source(patch.source)})" for patch in study.patches.patches]
        )
        yield "patch", f"{statements}: --patch FILE writes it, and 'mallard verify --patch' measures it"
    if kind == "global" and (then := _then(study)):
        yield "then", then
    if kind != "unmeasured":
        yield from aged_facts(study)
    if answer.equal:
        yield "equal", _equal(study, answer)
    if study.processes:
        yield "process", study.processes.sentence
        if study.processes.many:
            yield "many processes", study.processes.many
    if study.load:
        yield "load", f"'{study.load.command}'; times are the server's CPU time from its start to its end"
    if study.load and study.load.metric and study.globals.metric is not None:
        yield "metric", _metric(study, study.load.metric, study.globals.metric)
    if kind != "unmeasured" or is_unmeasured(study):
        yield "estimate", _estimate(study)
    for call in _control_calls(study):
        cost = f"{_time_of_call(study, call)}, {call.reason}"
        yield "call", f"{call.where}: {cost}. Remedy, not tried: {call.remedy}."
    if kind in ("nothing", "unmeasured"):
        return
    if lean := for_memory(study, answer):
        yield "for memory", lean
    if kind != "global" or not _then(study):
        yield from _on_top(study)
    if study.chosen and study.baseline:
        if study.best and kind != "local":
            text = _local(study)
            yield _label(study.chosen, study.best), text[:1].lower() + text[1:]
        if study.best:
            yield "counts on", _counts_on(study, study.baseline, study.best)
            yield "memory", _memory(study, study.chosen, study.best)
        if peak := _unreleased_peak(study, study.chosen):
            yield "a never-released arena", f"do not (peak {peak:.1f} x)"
        yield from _also(study)
    for pattern in study.patterns:
        if pattern.call or (
            pattern.estimated_seconds
            and pattern.estimated_seconds < LEAST_EFFECT * study.ceiling.program_seconds
        ):
            continue
        yield (
            pattern.kind,
            f"{pattern.where}: {pattern.reason}. {_remedy(study, pattern)}{_no_patch(study, pattern)}",
        )


def _label(chosen: Candidate, best: Effect) -> str:
    if best.strategy in RESERVED:
        return "a reserve"
    return "a kept block" if chosen.is_line else "a local allocator"


def _no_patch(study: Study, pattern: Pattern) -> str:
    """The reason, if the pattern's remedy could be a patch."""
    reason = dict(study.patches.refused).get(pattern.source)
    return f" No patch: {reason}." if reason and pattern.kind in PATCHED else ""


def _control_calls(study: Study) -> list[Pattern]:
    return [pattern for pattern in study.patterns if pattern.call]


def _time_of_call(study: Study, call: Pattern) -> str:
    """`1.70 ms of 7.70 ms`."""
    threads = " of all threads" if study.threads > 1 else ""
    return f"{times(call.estimated_seconds or 0.0)}{threads} of {times(study.ceiling.program_seconds)}"


def _remedy(study: Study, pattern: Pattern) -> str:
    """With what a trial saved in which the line of the pattern kept its blocks."""
    best = study.kept_effect(pattern)
    if best is None:
        return f"Remedy, not tried: {pattern.remedy}."
    significance = "" if best.saves or best.costs else ", which is not significant"
    return (
        f"Remedy: {pattern.remedy}; a trial with {strategy_name(best, None)} there: {change(best.time)}"
        f"{significance}."
    )


def _equal(study: Study, answer: Answer) -> str:
    """The changes that save as much within the intervals, and why the answer is preferred."""
    choices = {choice.name: choice for choice in (*study.globals.choices, *study.strategies)}
    best = choices[answer.malloc or answer.strategy or ""]
    equals = [choices[name] for name in answer.equal]
    names = in_prose([_with_saving(study, choice) for choice in equals])
    return f"{names}, within the intervals; {_with_saving(study, best)} {_reason(best, equals)}"


def _with_saving(study: Study, choice: Choice) -> str:
    name = _choice_name(study, choice)
    return f"{name} ({percent(choice.time.middle)}, peak {choice.peak:.1f} x)"


def _choice_name(study: Study, choice: Choice) -> str:
    if not choice.is_local:
        return title(choice.name)
    effect = next(effect for effect in tried(study) if effect.strategy == choice.name)
    return strategy_name(effect, study.chosen).rstrip(",")


def _reason(best: Choice, equals: Sequence[Choice]) -> str:
    """Why the choice is preferred to those that are equal."""
    reasons = ["changes no source"] if not best.is_local and any(other.is_local for other in equals) else []
    alike = [other for other in equals if other.is_local is best.is_local]
    # Of changes of the environment, those with a much higher peak.
    if any(other.peak > best.peak for other in (*alike, *(other for other in equals if best.is_local))):
        reasons.append("has the lower peak")
    if any(other.peak == best.peak for other in alike):
        reasons.append(
            "changes least"
            if best.name in OF_LINES
            else "gains most beyond a trial"
            if best.is_local
            else "needs no library"
            if is_switch(best.name)
            else "is the first by name"
        )
    return f"is preferred, because it {in_prose(reasons)}" if reasons else "is preferred"


def _estimate(study: Study) -> str:
    ceiling = study.ceiling
    operations = plural(ceiling.operations, "operation")
    if ceiling.ns_per_operation is not None:
        operations += f" of {nanoseconds(ceiling.ns_per_operation)}"
    counted = f"{operations}, and {plural(ceiling.faults, 'page fault')} of {nanoseconds(ceiling.fault_ns)}"
    if not ceiling.known:
        return (
            "the time in malloc and page faults is not known, because its interval reaches to the whole run "
            f"of {times(ceiling.program_seconds)}: {counted}"
        )
    return (
        f"malloc and page faults take about {times(ceiling.seconds)} ({percent(ceiling.share)}) here, with "
        f"the interval {between(ceiling.low, ceiling.high)}: {counted}; locality is not counted"
    )


def _metric(study: Study, pattern: str, before: float) -> str:
    """The figure that the load prints; the reader knows whether higher is better."""
    changes = {effect.malloc: effect.metric for effect in study.globals.effects}
    if study.best:
        changes[strategy_name(study.best, study.chosen).rstrip(",")] = study.best.metric
    text = "; ".join(f"{metric_change(value)} with {name}" for name, value in changes.items() if value)
    return f"'{pattern}' is {figure(before)} with {study.base}{f'; {text}' if text else ''}"


def _counts_on(study: Study, baseline: Baseline, best: Effect) -> str:
    """The advantage of a local allocator that the trial's figure rests on, and those that come on top."""
    if best.strategy in RESERVED:
        return f"{plural(best.counts.served, 'request')} of one block for each array, which grows where it is"
    frees = plural(best.counts.freed + best.counts.freed_by_others, "free")
    if study.chosen and study.chosen.is_line:
        return _counts_on_kept(frees, best)
    if best.strategy == "monotonic":
        text = f"winking out: {frees} that do nothing"
        pool = next((effect for effect in baseline.allowed if effect.strategy == "multipool"), None)
        if pool and pool.saves:
            by_frees = max(0.0, pool.time.median - best.time.median)
            text += (
                f", {times(by_frees)}; and requests that are cheaper than those of {baseline.malloc}: "
                f"{times(-pool.time.median)}, as with a multipool, which serves frees"
            )
    else:
        text = f"{frees} and their requests that are cheaper than those of {baseline.malloc}"
    beyond = -best.time.median - study.ceiling.high
    if study.ceiling.known and beyond > 0:
        text += (
            f"; and locality, by estimate {times(beyond)}, because blocks that are used together are adjacent"
        )
    more = "the destructors that winking out leaves out, and " if best.strategy in REGIONS else ""
    return f"{text}. On top: {more}inlining ('{bench_command()} density' measures that on this machine)"


def _counts_on_kept(frees: str, best: Effect) -> str:
    text = f"{frees} and their requests that no allocator serves"
    if best.faults.high < 0:
        text += f", and {plural(round(-best.faults.median), 'page fault')} less"
    return f"{text}. On top: what the program does to fill a new block, which the trial does not leave out"


def _on_top(study: Study) -> Iterator[tuple[str, str]]:
    """What remains of the local allocator's saving under the best of the other mallocs."""
    best = best_strategy_on_top(study)
    if best is None or study.on_top is None:
        return
    text = f"{strategy_name(best, study.chosen)} {still_saves(best)}"
    if study.best_malloc and local_is_as_good_as_both(study):
        peak = peak_ratio(peak_of_both(study.best_malloc, best), study.globals.peak_bytes)
        text += f"; both are as fast as the local allocator alone, with a peak of {peak}"
    yield f"on top of {title(study.on_top.malloc)}", text


def _memory(study: Study, chosen: Candidate, best: Effect) -> str:
    text = f"peak {peak_ratio(best.peak_bytes.median, study.globals.peak_bytes)}; "
    if chosen.is_line:
        served = best.counts.served / max(best.counts.requests, 1)
        requests = plural(best.counts.requests, "request")
        if best.strategy in RESERVED:
            room = size(chosen.reserved_bytes)
            return (
                f"{text}{percent(served)} of {requests} fit into {room}, the final size of 99 % of the arrays"
            )
        return f"{text}the trial kept the blocks of {percent(served)} of {requests}"
    text += f"{count(chosen.escaped)} of {count(chosen.allocations)} blocks escape"
    if chosen.escaped and chosen.escape_sites:
        text += f": {_render_sites(chosen.escape_sites, chosen.escaped)}"
    if chosen.alive and chosen.alive_sites:
        stay = "stays" if chosen.alive == 1 else "stay"
        rest = "the last round" if chosen.loop is not None else "elsewhere"
        sites = _render_sites(chosen.alive_sites, chosen.alive, rest)
        text += f"; {count(chosen.alive)} {stay} to the end: {sites}"
    if (chosen.escaped and chosen.escape_sites) or (chosen.alive and chosen.alive_sites):
        text += "; the trial left those global" if chosen.left_out else "; leave those global"
    text += _break_even(chosen)
    if best.counts.freed_by_others:
        text += f"; {count(best.counts.freed_by_others)} are freed by other threads"
    return text


def _render_sites(sites: tuple[LastingSite, ...], total: int, rest: str = "elsewhere") -> str:
    """Each line of the source with its blocks, then the number of remaining blocks."""
    lines: Counter[str] = Counter()
    for site in sites:
        lines[site.function + (f" ({site.source})" if site.source else "")] += site.allocations
    phrases = [f"{count(blocks)} from {line}" for line, blocks in lines.most_common()]
    remaining = total - lines.total()
    return in_prose([*phrases, *([f"{count(remaining)} from {rest}"] if remaining > 0 else [])])


def _break_even(chosen: Candidate) -> str:
    """The containment from which a region pays for the blocks that escape."""
    threshold, contained = chosen.break_even, chosen.containment
    if threshold is None or contained is None:
        return ""
    if threshold > 1:
        return "; by the price of its operations a region never pays here"
    return f"; a region pays from {percent(threshold)} contained on, and {percent(contained)} are"


def _unreleased_peak(study: Study, chosen: Candidate) -> float | None:
    """Relative to that of the unchanged program."""
    peak = study.globals.peak_bytes
    return (peak + chosen.bytes) / peak if peak and chosen.returns > 1 and chosen.bytes > peak else None


def _also(study: Study) -> Iterator[tuple[str, str]]:
    if study.both is None or study.best is None:
        return
    effect = next((effect for effect in study.both.baseline.trial.effects if effect.saves), None)
    if effect and -effect.time.median > -study.best.time.median:
        yield (
            "and also",
            (
                f"into {study.both.other.with_source}: both together save {times(-effect.time.median)} "
                f"({interval(effect.time)}), against {_against(study.both.baseline)}"
            ),
        )


# ---- notes


def _notes(study: Study, kind: Kind) -> Iterator[str]:
    yield from study.notes
    if kind != "nothing" and (advice := short(study.ceiling.program_seconds)):
        yield advice
    if kind != "unmeasured" and (failed := failures(study)):
        arms = "that, it does not; it was" if len(failed) == 1 else "them, it does not; they were"
        yield f"{capitalised(describe_failures_together(failed))}; without {arms} excluded."
    yield from (f"{capitalised(name)}: {arm.text}." for name, arm in study.given_up.items())
    if study.baseline and (faster := faster_null(study.baseline.trial, LEAST_EFFECT)):
        yield faster
    if study.wall:
        reason = (
            "several threads allocate in the scope" if study.baseline else "the program uses several cores"
        )
        yield f"Times are wall time, because {reason}."
    for screened in study.screened:
        if screened.reason:
            yield f"{screened.candidate.title} was not tried: {screened.reason}."
    if kind == "local" and study.chosen and not study.chosen.exact and study.chosen.returns <= 1:
        yield (
            f"Calls of {study.chosen.title} cannot be distinguished by their stacks, so its containment is "
            "an upper bound; MALLARD_SCOPE in the function makes it exact."
        )
    if kind == "local" and study.chosen and study.best:
        yield from _rewinding(study.best, study.chosen)
    unnamed = {screened.candidate.object_name for screened in study.screened if screened.candidate.is_unnamed}
    if study.chosen and study.chosen.is_unnamed:
        unnamed.add(study.chosen.object_name)
    if unnamed:
        yield names_remedy(sorted(unnamed), study.profile)
    if study.goal == "time" and study.baseline and not study.best and kind != "unmeasured":
        yield NOT_SEEN


def _condition(study: Study, answer: Answer) -> Iterator[str]:
    """The last line: of what and against what the answer was measured."""
    if answer.kind in ("nothing", "unmeasured"):
        return
    aged = find_aged(study, answer.age)
    load, heap = " under its load" if study.load else "", f" and {aged.heap}" if aged else ""
    yield f"Measured on this program{load}, against {_base(study)}{heap}."


def _rewinding(best: Effect, chosen: Candidate) -> Iterator[str]:
    """The place for the rewind, if the recording does not show that the scope returned each time."""
    if chosen.returns_each_time or best.strategy not in REGIONS or best.counts.started_again <= 1:
        return
    if chosen.is_iteration:
        yield (
            f"{chosen.title} does not return between the rewinds of the trial, which came when none of its "
            "blocks was live. Rewind at the end of a round of the loop."
        )
        return
    yield (
        f"The stacks do not distinguish calls of {chosen.title} from rounds of a loop in it. Rewind where "
        "no block is used any more: on return, or at the end of a round."
    )


def _base(study: Study) -> str:
    """The global allocator and the age of its heap."""
    return _against(study.baseline) if study.baseline else f"{study.base} on {study.globals.heap}"


def _against(baseline: Baseline) -> str:
    return f"{baseline.malloc} on {baseline.heap}"


def _can_be_written(study: Study, answer: Answer) -> bool:
    """True if the function has a name, or uses C++ containers."""
    if answer.age is not None:
        aged = find_aged(study, answer.age)
        scope = best_aged_scope(aged) if aged else None
        if scope is None or scope.candidate != study.chosen:
            return False
    return study.chosen is not None and not study.chosen.is_unnamed and bool(study.changes)


def _code(study: Study, strategy: str) -> str:
    assert study.chosen
    return code_for(strategy, study.chosen, list(study.changes), threads=study.threads > 1)
