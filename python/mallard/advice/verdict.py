"""The verdict: the answer in one sentence, then the figures that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mallard.advice.answer import Answer, Kind, answer_of, heaviest, same_on_top, then_locally
from mallard.advice.candidates import Candidate, LastingSite
from mallard.advice.code import code_for
from mallard.advice.study import LEAST_EFFECT, Study
from mallard.advice.wording import (
    at_most,
    between,
    interval,
    nanoseconds,
    peak_ratio,
    percent,
    strategy_name,
    times,
)
from mallard.profile.words import count, plural
from mallard.selection import in_prose
from mallard.trial.campaign import Ground
from mallard.trial.verdict import Effect, varies

BLOCKS_TO_NAME = 1000
NOT_SEEN = (
    "A trial is a floor. It cannot see three things that come on top: winking out (no destructor runs), "
    "binding by type (no virtual call), and inlining of the allocator into the code that calls it."
)


@dataclass(frozen=True)
class Verdict:
    answer: Answer
    headline: str
    facts: tuple[tuple[str, str], ...]  # a label, and the sentence
    notes: tuple[str, ...]
    code: str = ""

    @property
    def kind(self) -> Kind:
        return self.answer.kind


def decide(study: Study) -> Verdict:
    answer = answer_of(study)
    kind = answer.kind
    return Verdict(
        answer,
        _HEADLINES[kind](study),
        tuple(_facts(study, kind)),
        tuple(_notes(study, kind)),
        _code(study) if study.best and kind != "nothing" and _can_be_written(study) else "",
    )


# ---- the first sentence


def _nothing(study: Study) -> str:
    if study.allocations < BLOCKS_TO_NAME:
        blocks = f"{study.allocations} block{'' if study.allocations == 1 else 's'}"
        return (
            f"Nothing worth doing: the program allocates {blocks}, too few to save time with, against "
            f"{_base(study)}."
        )
    return (
        f"Nothing worth doing: by estimate malloc and page faults take at most "
        f"{at_most(study.ceiling.share_high)} of {times(study.ceiling.program_seconds)} here, against "
        f"{_base(study)}; better locality is not counted."
    )


def _local(study: Study) -> str:
    ground, best, chosen = study.ground, study.best, study.chosen
    assert ground
    assert best
    assert chosen
    return (
        f"Put {strategy_name(best)} into {chosen.with_source}: {times(-best.time.median)} of "
        f"{times(ground.trial.program_seconds)} saved ({interval(best.time)}), measured on this program, "
        f"against {_against(ground)}."
    )


def _global(study: Study) -> str:
    best = study.globals.best
    assert best
    return (
        f"Use {best.malloc} instead of {study.base}: {times(-best.time.median)} of "
        f"{times(study.globals.seconds)} saved ({interval(best.time)}), measured on this program, on a "
        f"{study.globals.heap} heap, with nothing changed in it.{_then(study)}"
    )


def _then(study: Study) -> str:
    on_top = then_locally(study)
    if on_top is None or study.chosen is None:
        return ""
    return (
        f" Then put {strategy_name(on_top)} into {study.chosen.with_source}: that still saves "
        f"{times(-on_top.time.median)}."
    )


def _pattern(study: Study) -> str:
    found = heaviest(study)
    assert found
    word = (
        "saves more than any allocator"
        if study.best or study.globals.best
        else "saves what no allocator does"
    )
    return (
        f"{found.where}: {found.remedy}. By estimate that saves {times(found.estimated_seconds or 0.0)} of "
        f"{times(study.ceiling.program_seconds)} against {_base(study)}, copies included, and {word}; not "
        "tried, because the program would have to change."
    )


def _unresolved(study: Study) -> str:
    if study.trial is None:
        reason = study.withheld or "No scope of the program ends most of the blocks that it makes."
        return (
            f"No advice: {reason[:1].lower()}{reason[1:].rstrip('.')}; and no other malloc saves time, "
            f"against {_base(study)}."
        )
    return (
        "Nothing that was tried is worth a change: no strategy and no malloc saves "
        f"{percent(LEAST_EFFECT)} of {times(study.ceiling.program_seconds)} beyond its interval, against "
        f"{_base(study)}."
    )


_HEADLINES = {
    "nothing": _nothing,
    "local": _local,
    "global": _global,
    "pattern": _pattern,
    "unresolved": _unresolved,
}


# ---- the figures below it


def _facts(study: Study, kind: Kind) -> Iterator[tuple[str, str]]:
    yield "estimate", _estimate(study)
    if kind == "nothing":
        return
    yield from _mallocs(study, kind)
    if study.chosen and study.ground:
        if study.best and kind != "local":
            yield "a local allocator", _local(study).replace("Put", "put", 1)
        if study.best:
            yield "memory", _memory(study, study.chosen, study.best)
            yield "on top of the trial", _on_top_of_the_trial(study)
        if others := "; ".join(_other_strategies(study, study.chosen)):
            yield "other strategies", others
        yield from _heaps(study)
        yield from _also(study)
    for each in study.patterns:
        if each.estimated_seconds and each.estimated_seconds < LEAST_EFFECT * study.ceiling.program_seconds:
            continue
        if kind != "pattern" or each is not heaviest(study):
            saved = f" (by estimate {times(each.estimated_seconds)})" if each.estimated_seconds else ""
            yield each.kind, f"{each.where}: {each.reason}. Remedy: {each.remedy}{saved}."
        else:
            yield each.kind, f"{each.where}: {each.reason}."


def _estimate(study: Study) -> str:
    most = study.ceiling
    each = plural(most.operations, "operation")
    if most.ns_per_operation is not None:
        each += f" of {nanoseconds(most.ns_per_operation)}"
    text = (
        f"malloc and page faults take at most {times(most.high)} ({at_most(most.share_high)}) here: {each}, "
        f"and {plural(most.faults, 'page fault')} of {nanoseconds(most.fault_ns)}; with its interval, "
        f"{between(most.low, most.high)}; locality is not counted"
    )
    best = study.best
    if best and -best.time.median > most.high:
        text += (
            f". The trial saved {times(-best.time.median - most.high)} more than that: by this account it "
            "comes from locality, because blocks that are used together lie together"
        )
    return text


def _mallocs(study: Study, kind: Kind) -> Iterator[tuple[str, str]]:
    for each in study.globals.effects:
        if each is study.globals.effects[0] or each.saves:
            saved = -each.time.median
            word = "saved" if saved >= 0 else "lost"
            text = f"{times(abs(saved))} {word} ({interval(each.time)})" + (
                "" if each.saves or each.time.low > 0 else ", which is no difference"
            )
            text += f"; peak {peak_ratio(each.peak_bytes.median, study.globals.peak_bytes)}"
            if study.on_top and study.on_top.malloc == each.malloc and (best := same_on_top(study)):
                text += f"; on top of it {strategy_name(best)} {_still(best)}"
            yield f"{each.malloc} instead of {study.globals.base}", text


def _still(best: Effect) -> str:
    if best.saves:
        return f"still saves {times(-best.time.median)} ({interval(best.time)})"
    return f"saves nothing that is sure ({interval(best.time)})"


def _memory(study: Study, chosen: Candidate, best: Effect) -> str:
    text = f"peak {peak_ratio(best.peak_bytes.median, study.globals.peak_bytes)}; "
    text += f"{count(chosen.escaped)} of {count(chosen.allocations)} blocks escape"
    if chosen.escaped and chosen.escape_sites:
        text += f": {_told_sites(chosen.escape_sites, chosen.escaped)}"
    if chosen.alive and chosen.alive_sites:
        text += f"; {count(chosen.alive)} stay to the end: {_told_sites(chosen.alive_sites, chosen.alive)}"
    if (chosen.escaped and chosen.escape_sites) or (chosen.alive and chosen.alive_sites):
        stay = "the trial left those global" if chosen.left_out else "leave those global"
        text += f"; {stay}"
    text += _break_even(chosen)
    if best.counts.freed_by_others:
        text += f"; {count(best.counts.freed_by_others)} are freed by other threads"
    return text


def _told_sites(sites: tuple[LastingSite, ...], of_all: int) -> str:
    """Each line of the source with its blocks, and the rest of them."""
    lines: Counter[str] = Counter()
    for each in sites:
        lines[each.function + (f" ({each.source})" if each.source else "")] += each.allocations
    told = [f"{count(blocks)} from {line}" for line, blocks in lines.most_common()]
    others = of_all - lines.total()
    return in_prose([*told, *([f"{count(others)} from elsewhere"] if others > 0 else [])])


def _break_even(chosen: Candidate) -> str:
    """Escapes are a price. A region pays from some containment on."""
    even, here = chosen.break_even, chosen.containment
    if even is None or here is None:
        return ""
    if even > 1:
        return "; by the price of its operations a region never pays here"
    return f"; a region pays from {percent(even)} contained on, and {percent(here)} are"


def _other_strategies(study: Study, chosen: Candidate) -> Iterator[str]:
    ground = study.ground
    assert ground
    for each in ground.allowed:
        if each is study.best:
            continue
        saved = -each.time.median
        if each.saves:
            yield f"{strategy_name(each).rstrip(',')}: {times(saved)}"
        elif each.costs:
            yield f"{strategy_name(each).rstrip(',')}: costs {times(-saved)}"
    peak = study.globals.peak_bytes
    if peak and chosen.returns > 1 and chosen.bytes > peak:
        yield f"a never-released arena: do not (peak {(peak + chosen.bytes) / peak:.1f} x)"


def _on_top_of_the_trial(study: Study) -> str:
    if study.bonus:
        return f"{study.bonus.text}. These are other programs, so nothing of it is in the figures above"
    return "winking out and binding by type: './mallard bench density' measures them on this machine"


def _heaps(study: Study) -> Iterator[tuple[str, str]]:
    """The same scope on another heap."""
    assert study.trial
    wanted = study.best.strategy if study.best else None
    for ground in study.trial.grounds[1:]:
        for each in ground.trial.effects:
            if each.strategy == wanted:
                yield (
                    f"on a {ground.heap} heap",
                    (
                        f"{times(-each.time.median)} of {times(ground.trial.program_seconds)} saved "
                        f"({interval(each.time)}), against {ground.malloc}"
                    ),
                )


def _also(study: Study) -> Iterator[tuple[str, str]]:
    if study.both is None or study.best is None:
        return
    effect = next((each for each in study.both.ground.trial.effects if each.saves), None)
    if effect and -effect.time.median > -study.best.time.median:
        yield (
            "and also",
            (
                f"into {study.both.other.with_source}: both together save {times(-effect.time.median)} "
                f"({interval(effect.time)}), against {_against(study.both.ground)}"
            ),
        )


# ---- doubts


def _notes(study: Study, kind: Kind) -> Iterator[str]:
    yield from study.notes
    ground = study.ground
    if ground:
        if ground.trial.ends and study.globals.same_end:
            yield varies(ground.trial.ends)
        for strategy, how in ground.trial.failed.items():
            yield f"Under {strategy} the program {how}; without it, it does not. It was left out."
        for strategy in ground.differing:
            yield f"Under {strategy} the program's output is another one. It was left out."
    if study.wall:
        reason = "several threads allocate in the scope" if ground else "the program uses several cores"
        yield f"Times are wall time, because {reason}."
    for screened in study.screened:
        if screened.reason:
            yield f"{screened.candidate.title} was not tried: {screened.reason}."
    if kind == "local" and study.chosen and not study.chosen.exact and study.chosen.returns <= 1:
        yield (
            f"Calls of {study.chosen.title} were not told apart by their stacks, so what it contains is an "
            "upper bound; MALLARD_SCOPE in the function makes it exact."
        )
    if study.ground:
        yield NOT_SEEN


def _base(study: Study) -> str:
    """The global allocator and the state of its heap. A program by itself begins with a clean one."""
    return _against(study.ground) if study.ground else f"{study.base} on a {study.globals.heap} heap"


def _against(ground: Ground) -> str:
    return f"{ground.malloc} on a {ground.heap} heap"


def _can_be_written(study: Study) -> bool:
    """The function has a name, or containers of C++ were seen in it."""
    return study.chosen is not None and study.chosen.has_a_name and bool(study.changes)


def _code(study: Study) -> str:
    assert study.best
    assert study.chosen
    return code_for(study.best.strategy, study.chosen, list(study.changes), threads=study.threads > 1)
