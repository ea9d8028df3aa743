"""The verdict for memory in words: the leanest change with its time, and where the program's memory is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mallard.advisor.advice.answer import Answer, choose_answer
from mallard.advisor.advice.candidates import short_source
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.memory import (
    LEAST_SAVED,
    Account,
    Leanest,
    account_at_end,
    account_at_peak,
    all_effects,
    find_leanest,
    is_recorded_whole,
    may_save_more,
    name_of,
    program_seconds,
    resident,
)
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.wording import (
    advised,
    change,
    less_memory,
    peak_ratio,
    percent,
    scope_name,
    strategy_name,
    time_effect,
)
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.residency import is_mostly_unwritten, sampled_moments
from mallard.advisor.trial.effect import Effect
from mallard.shared.mallocs import how_to_use, title
from mallard.shared.prose import capitalised, in_prose
from mallard.shared.report.figures import count, plural, seconds, size

MOST_LINES = 3  # of the code
LEAST_SHARE = 0.02  # of the live bytes
MOSTLY = 0.5  # of the resident memory
LEAST_REST = 4 << 20  # bytes in no live block; any process has some
LEAST_SAMPLES = 3  # of the recorded run; fewer show no course


def choose_memory_answer(study: Study) -> Answer:
    leanest = find_leanest(study)
    if leanest is None:
        return Answer("unresolved" if may_save_more(study) else "nothing", goal="memory")
    choice, equal, at_end = leanest.choice, leanest.equal, leanest.at_end
    if choice.is_local:
        return Answer("local", strategy=choice.name, equal=equal, goal="memory", at_end=at_end)
    return Answer("global", malloc=choice.name, equal=equal, goal="memory", at_end=at_end)


def memory_headline(study: Study) -> str:
    leanest = find_leanest(study)
    if leanest is None:
        return _unchanged(study)
    effect = leanest.effect
    time = time_effect(effect.time, program_seconds(study, effect))
    figures = f"{_less(study, leanest)}; time: {time}"
    if isinstance(effect, GlobalEffect):
        return f"Use {title(effect.malloc)} instead of {study.base}: {figures}."
    assert study.chosen
    return f"{capitalised(advised(effect, study.chosen))}: {figures}."


def _less(study: Study, leanest: Leanest) -> str:
    moment = "resident at the end" if leanest.at_end else "resident at the peak"
    return f"{moment} {less_memory(leanest.bytes, resident(study, at_end=leanest.at_end))}"


def _base(study: Study) -> str:
    return f"{study.base} on {study.globals.heap}"


def _unchanged(study: Study) -> str:
    """No change needs less memory: what holds it."""
    account = account_at_peak(study)
    wide = may_save_more(study)
    if wide is not None:
        rounds = 4 * wide.peak_bytes.n
        return (
            f"Not resolved: {_name(study, wide)} may need {size(-wide.peak_bytes.low)} less than the "
            f"{size(account.resident)} that are resident at the peak, against {_base(study)}, but its "
            f"interval has zero; --rounds {rounds} halves it."
        )
    arms = len(all_effects(study))
    few = {0: "nothing was tried that needs", 1: "the only change that was tried does not need"}
    nothing = few.get(arms, f"none of the {arms} changes that were tried needs")
    text = (
        f"{nothing} {percent(LEAST_SAVED)} less than the {size(account.resident)} that are resident at the "
        f"peak, against {_base(study)}"
    )
    rest, live = account.rest, account.live
    if rest is None or live is None:
        return f"Nothing worth doing: {text}."
    if rest >= max(MOSTLY * account.resident, LEAST_REST):
        part = percent(rest / account.resident)
        return f"No remedy was found: {text}, of which {part} are in no live block: {_holder(study, rest)}."
    share = min(live / max(account.resident, 1.0), 1.0)
    lines = f": {lines[0]}" if (lines := _peak_lines(study)) else ""
    return f"Nothing worth doing: {text}, of which {percent(share)} are live blocks{lines}."


def _holder(study: Study, rest: float) -> str:
    """Of most of the memory that is in no live block, as far as the end of the process shows it."""
    end = account_at_end(study)
    if end and (end.unseen or 0) >= MOSTLY * rest:
        unseen = f"memory that {study.base} never saw: mmap, stacks, data"
        return f"at the end at least {size(end.unseen)} are {unseen}"
    if end and (end.free or 0) >= MOSTLY * rest:
        return f"at the end {study.base} holds {size(end.free)} free{_arenas(study)}"
    return f"retained by {study.base}, or memory that it never saw"


def memory_facts(study: Study, answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.malloc:
        yield "to use it", how_to_use(answer.malloc, study.words)
    if answer.equal:
        yield "equal", _equal(study, answer)
    if study.processes:
        yield "process", study.processes.sentence
    if study.load:
        yield "load", f"'{study.load.command}'; times are the server's CPU time from its start to its end"
    if for_time := _for_time(study, answer):
        yield "for time", for_time
    yield "resident at the peak", _at_peak(study, account_at_peak(study))
    if account := account_at_end(study):
        yield "resident at the end", _at_end(study, account)
    if text := _over_time(study):
        yield "over time", text
    if lines := _peak_lines(study):
        yield "live at the peak", in_prose(lines)
    if lines := _unwritten_lines(study):
        yield "written in part", f"{in_prose(lines)}; by the pages of blocks of 256 KiB or more, a sample"


def for_memory(study: Study, answer: Answer) -> str:
    """The answer for memory, next to one for time that needs more; empty if there is none."""
    leanest = find_leanest(study)
    if leanest is None or leanest.at_end:
        return ""
    name = answer.malloc or answer.strategy
    if answer.age is None and name in (leanest.choice.name, *leanest.equal):
        return ""
    effect = leanest.effect
    use = f"; {how_to_use(effect.malloc, study.words)}" if isinstance(effect, GlobalEffect) else ""
    time = time_effect(effect.time, program_seconds(study, effect))
    return f"{_title(study, effect)}: {_less(study, leanest)}; time: {time}{use}"


def _for_time(study: Study, answer: Answer) -> str:
    """The answer for time, if it is another one; else empty."""
    other = choose_answer(study)
    if (other.malloc, other.strategy) == (answer.malloc, answer.strategy):
        return ""
    if other.kind == "global" and study.best_malloc:
        effect = study.best_malloc
        peak = peak_ratio(effect.peak_bytes.median, study.globals.peak_bytes)
        use = how_to_use(effect.malloc, study.words)
        return f"{title(effect.malloc)}: {change(effect.time, study.globals.seconds)}; peak {peak}; {use}"
    if other.kind == "local" and study.best and study.chosen:
        best = study.best
        peak = peak_ratio(best.peak_bytes.median, study.globals.peak_bytes)
        saved = change(best.time, program_seconds(study, best))
        return f"{advised(best, study.chosen)}: {saved}; peak {peak}"
    return ""


def _equal(study: Study, answer: Answer) -> str:
    by_name = {name_of(effect): effect for effect in all_effects(study)}
    names = [_name(study, by_name[name]) for name in answer.equal]
    need = "needs" if len(names) == 1 else "need"
    return f"{in_prose(names)} {need} as little, within {percent(LEAST_SAVED)} of the unchanged program's"


def _name(study: Study, effect: GlobalEffect | Effect) -> str:
    if isinstance(effect, GlobalEffect):
        return title(effect.malloc)
    return strategy_name(effect, study.chosen).rstrip(",")


def _title(study: Study, effect: GlobalEffect | Effect) -> str:
    """With the place of a local allocator."""
    if isinstance(effect, Effect) and study.chosen:
        return f"{_name(study, effect)} in {scope_name(effect, study.chosen)}"
    return _name(study, effect)


def _at_peak(study: Study, account: Account) -> str:
    text = size(account.resident)
    if account.live is None or account.rest is None:
        return (
            f"{text}; what of it are live blocks is not known, because the recording is not of the whole run"
        )
    text += f", with {size(account.live)} in live blocks"
    if account.files is not None:
        text += f" and {size(account.files)} of files"
    if account.unwritten:
        return f"{text}: at least {size(account.unwritten)} of live blocks were never written"
    return (
        f"{text}; the other {size(account.rest)} ({percent(account.rest / account.resident)}) are what "
        f"{study.base} retains or loses to headers, and what it never saw: mmap, stacks, data"
    )


def _at_end(study: Study, account: Account) -> str:
    text = size(account.resident)
    if study.load:
        return f"{text} after the load"
    if account.live is not None:
        text += f", with {size(account.live)} in live blocks"
    if account.held is None or account.free is None or account.unseen is None:
        return f"{text}; what {study.base} holds of it is not known: only the malloc of glibc reports that"
    return (
        f"{text}; {study.base} holds {size(account.held)} from the system, {size(account.free)} of it free"
        f"{_arenas(study)}; at least {size(account.unseen)} it never saw: mmap, stacks, data"
    )


def _arenas(study: Study) -> str:
    """Where glibc's free memory is, if several threads allocate: its figures are sums of all arenas."""
    return f" in the arenas of {count(study.threads)} threads" if (study.threads or 0) > 1 else ""


def _over_time(study: Study) -> str:
    """The sample of the recorded run with most memory in no live block; empty if there are no samples."""
    moments = sampled_moments(study.profile.timeline) if study.profile and is_recorded_whole(study) else []
    if len(moments) < LEAST_SAMPLES:
        return ""
    most = max(moments, key=lambda moment: moment.beyond_bytes)
    sampled = f"{count(len(moments))} samples of the recorded run, without files"
    if most.beyond_bytes < LEAST_REST:
        return f"never {size(LEAST_REST)} more than its live blocks, in {sampled}"
    return (
        f"after {seconds(most.seconds)} of {seconds(moments[-1].seconds)} it is {size(most.resident_bytes)}, "
        f"with {size(most.live_bytes)} in live blocks: most beyond these, in {sampled}"
    )


def _unwritten_lines(study: Study) -> list[str]:
    """`0.50 MiB of 64.0 MiB in each of 3 blocks from f (x.cpp:12)`."""
    profile = study.profile
    sites = [site for site in profile.large_blocks if is_mostly_unwritten(site)] if profile else []
    if profile is None:
        return []
    names = Names(profile)
    return [
        f"{size(site.resident_bytes / site.allocations)} of {size(site.bytes / site.allocations)} in "
        f"{'each of ' if site.allocations > 1 else ''}{plural(site.allocations, 'block')} from "
        f"{_line(names, site.place)}"
        for site in sites[:MOST_LINES]
    ]


def _line(names: Names, place: int) -> str:
    """`f (x.cpp:12)`."""
    function, source = names.place_function(place), short_source(names.place_source(place))
    return f"{function} ({source})" if source else function


def _peak_lines(study: Study) -> list[str]:
    """The lines with most of the live bytes at the peak: `10.0 MiB (60.0 %) from f (x.cpp:12)`."""
    profile = study.profile
    if profile is None or not profile.peak:
        return []
    names = Names(profile)
    total = sum(site.bytes for site in profile.peak)
    total += profile.peak_not_listed.bytes if profile.peak_not_listed else 0
    by_line: Counter[str] = Counter()  # a line may have several calls
    for site in profile.peak:
        by_line[_line(names, site.place)] += site.bytes
    lines = by_line.most_common(MOST_LINES)
    shown = [line for line in lines if line[1] >= LEAST_SHARE * total] or lines[:1]
    return [f"{size(bytes_)} ({percent(bytes_ / max(total, 1))}) from {line}" for line, bytes_ in shown]
