"""Measures the unchanged program under other mallocs, and under glibc's with tunables: the cheapest changes
of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial

from mallard.advisor.advice.ceiling import WORTH_DOING, Ceiling
from mallard.advisor.advice.choice import Choice, Goal, preferred, saving
from mallard.advisor.profile.document import Profile
from mallard.advisor.trial.campaign import LEAST_EFFECT, PRINTED_OTHER, Promise, run_once
from mallard.advisor.trial.effect import (
    SEVERAL_CORES,
    difference,
    end_difference,
    median_metric,
    metric_difference,
    run_cpu_seconds,
    run_wall_seconds,
)
from mallard.advisor.trial.further_rounds import further_rounds, possible_answers
from mallard.advisor.trial.program import MemoryAtEnd, Program, RunResult
from mallard.advisor.trial.rounds import (
    GivenUp,
    Patience,
    Rounds,
    interleaved,
    limit_runs,
    output_is_compared,
    outputs_differ,
)
from mallard.shared.age import YOUNG, Age, heap_named, young
from mallard.shared.mallocs import SWITCH_MARK, is_available
from mallard.shared.stats import Difference, median

# No free memory goes back to the system, and large blocks come from the heap.
KEEP_MEMORY = f"{SWITCH_MARK}mmap_threshold=1G:trim_threshold=1G:top_pad=64M"
ONE_ARENA = f"{SWITCH_MARK}arena_max=1"  # for all threads
LARGE_CACHES = f"{SWITCH_MARK}tcache_count=1000"  # free blocks of a size that wait for their thread
HUGE_PAGES = f"{SWITCH_MARK}hugetlb=1"
LEAST_HUGE_BYTES = 64 << 20  # in use at the peak
TWO_ARENAS = f"{SWITCH_MARK}arena_max=2"
# Large blocks come from the system, whatever was freed before, and free memory goes back to it.
FIXED_THRESHOLD = 128 << 10
RETURN_MEMORY = f"{SWITCH_MARK}mmap_threshold=128K:trim_threshold=128K"
RETURN_WITH_ONE_ARENA = f"{ONE_ARENA}:{RETURN_MEMORY.removeprefix(SWITCH_MARK)}"
MOST_SWITCHES: dict[Goal, int] = {"time": 3, "memory": 4}


def glibc_switches(profile: Profile, ceiling: Ceiling) -> tuple[str, ...]:
    """The tunables that the recording gives a reason to try, those with the best reasons first."""
    least = WORTH_DOING * ceiling.program_seconds
    reasons = {
        KEEP_MEMORY: ceiling.fault_seconds >= least,
        ONE_ARENA: (profile.process.threads or 1) > 1,
        HUGE_PAGES: profile.timeline is not None and (profile.timeline.peak_bytes or 0) >= LEAST_HUGE_BYTES,
        LARGE_CACHES: ceiling.high - ceiling.fault_seconds >= least,
    }
    return tuple(name for name, holds in reasons.items() if holds)[: MOST_SWITCHES["time"]]


def memory_switches(profile: Profile) -> tuple[str, ...]:
    """The tunables that the recording gives a reason to try for less memory."""
    threads, has_large = profile.process.threads or 1, (profile.figures.largest or 0) >= FIXED_THRESHOLD
    reasons = {
        ONE_ARENA: threads > 1,
        TWO_ARENAS: threads > 2,
        RETURN_MEMORY: has_large,
        RETURN_WITH_ONE_ARENA: threads > 1 and has_large,
    }
    return tuple(name for name, holds in reasons.items() if holds)


@dataclass(frozen=True)
class GlobalEffect:
    """The change from the base to another malloc, by round, in seconds. Less than 0 is saved."""

    malloc: str
    time: Difference
    peak_bytes: Difference
    cpu_time: Difference
    wall_time: Difference
    metric: Difference | None = None  # of the server's load
    end_bytes: Difference | None = None  # resident at the end; None if not known
    start: Difference | None = None  # CPU time to load the process and to end it, which `time` does not have

    @property
    def saves(self) -> bool:
        return self.time.high < 0


@dataclass(frozen=True)
class Globals:
    base: str
    seconds: float  # under the base
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: float
    faults: float
    rounds: int
    status: int  # of wait()
    compared: bool  # False if outputs are ignored
    effects: tuple[GlobalEffect, ...]  # largest saving first
    failed: dict[str, str] = field(default_factory=dict)  # mallocs under which the program ended differently
    differing: tuple[str, ...] = ()  # mallocs under which the output differs
    missing: tuple[str, ...] = ()  # not installed
    same: tuple[str, ...] = ()  # not tried, because the program's own malloc is the same library
    age: str = YOUNG  # of the heap
    wall: bool = False  # `seconds` and the effects are wall time
    metric: float | None = None  # of the server's load
    at_end: MemoryAtEnd = field(default_factory=MemoryAtEnd)  # medians
    run_seconds: float = 0.0  # elapsed, of all processes of a run
    given_up: dict[str, GivenUp] = field(default_factory=dict)  # mallocs that were too slow

    @property
    def heap(self) -> str:
        """`an old heap`"""
        return heap_named(self.age)

    @property
    def cores(self) -> float:
        """The cores that the program uses on average."""
        return self.cpu_seconds / max(self.wall_seconds, 1e-9)

    def in_wall_time(self) -> Globals:
        effects = (replace(effect, time=effect.wall_time) for effect in self.effects)
        return replace(self, seconds=self.wall_seconds, effects=_sort_by_saving(effects), wall=True)

    def promise(self, effect: GlobalEffect) -> Promise:
        return Promise(
            "",
            effect.malloc,
            f"{self.base} on {self.heap}",
            effect.time,
            self.seconds,
            peak_bytes=effect.peak_bytes,
            end_bytes=effect.end_bytes,
            age=self.age,
        )

    @property
    def failures(self) -> dict[str, str]:
        """What the program did under the mallocs that it does not tolerate."""
        return self.failed | dict.fromkeys(self.differing, PRINTED_OTHER)

    @property
    def allowed(self) -> list[GlobalEffect]:
        return [effect for effect in self.effects if effect.malloc not in self.differing]

    @property
    def choices(self) -> list[Choice]:
        """The mallocs whose saving exceeds its interval and is worth a change, largest saving first."""
        least = LEAST_EFFECT * self.seconds
        return [
            self.choice(effect) for effect in self.allowed if effect.saves and -effect.time.median >= least
        ]

    def choice(self, effect: GlobalEffect) -> Choice:
        time, memory = saving(effect.time, self.seconds), saving(effect.peak_bytes, self.peak_bytes)
        return Choice(effect.malloc, is_local=False, time=time, memory=memory)

    @property
    def best(self) -> GlobalEffect | None:
        """Of mallocs that are equally fast as far as measured, the one with the lower peak memory."""
        return self.find(preferred(self.choices))

    def find(self, choice: Choice | None) -> GlobalEffect | None:
        names = [choice.name] if choice and not choice.is_local else []
        return next((effect for effect in self.effects if effect.malloc in names), None)


def run_globals(
    program: Program,
    mallocs: Sequence[str],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    age: Age | None = None,
    further_runs: int = 0,
    *,
    drops: bool = False,
) -> Globals:
    """The first malloc is the base, whose runs must end and print as the first one. Each malloc runs once in
    a round, in random order, on the heap of the trials; in further rounds, those that may be the answer, and
    if `drops`, also after the first ones.
    """
    missing = tuple(name for name in mallocs if not is_available(name))
    same = tuple(name for name in mallocs[1:] if name not in missing and program.brings(name))
    present = [name for name in mallocs if name not in (*missing, *same)]

    def times(completed: Rounds[RunResult]) -> tuple[dict[str, Difference], float]:
        compared = compare_mallocs(completed, rounds)
        if compared.cores > SEVERAL_CORES and program.surroundings.load is None:
            compared = compared.in_wall_time()
        changes = {effect.malloc: effect.time for effect in compared.allowed}
        return changes, LEAST_EFFECT * compared.seconds

    def extend(completed: Rounds[RunResult]) -> tuple[int, list[str]]:
        further, names = further_rounds(*times(completed), further_runs, 1)
        return further, [mallocs[0], *names]

    def drop(completed: Rounds[RunResult]) -> list[str]:
        names = possible_answers(*times(completed))
        return [mallocs[0], *names] if names else []

    patience = None if program.surroundings.load else Patience(mallocs[0], present[1:])

    def run(program: Program, name: str) -> RunResult:
        return run_once(program, name, age)

    is_young = age is None or age.is_young
    run_arm = limit_runs(patience if is_young else None, program, run)
    arms = {name: partial(run_arm, name) for name in present}
    completed = interleaved(
        *(arms, mallocs[0], rounds, seed, tick),
        first=program.first,
        extend=extend if further_runs else None,
        drop=drop if drops else None,
        patience=patience,
    )
    return replace(
        compare_mallocs(completed, rounds),
        base=program.name_malloc(mallocs[0]),
        missing=missing,
        same=same,
        age=(age or young()).name,
    )


def compare_mallocs(rounds: Rounds[RunResult], planned: int) -> Globals:
    base, *alternatives = rounds.runs
    base_runs = rounds.of(base)
    effects = [_effect(name, rounds.of(name), base_runs, planned) for name in alternatives]
    cpu_seconds = median([run.cpu_seconds for run in base_runs])
    return Globals(
        base=base,
        seconds=cpu_seconds,
        cpu_seconds=cpu_seconds,
        wall_seconds=median([run.wall_seconds for run in base_runs]),
        peak_bytes=median([float(run.peak_bytes) for run in base_runs]),
        faults=median([float(run.faults) for run in base_runs]),
        rounds=len(base_runs),
        status=base_runs[0].status,
        compared=output_is_compared(rounds, base),
        effects=_sort_by_saving(effects),
        failed=rounds.failed,
        differing=tuple(outputs_differ(rounds, alternatives, base)),
        metric=median_metric(base_runs),
        at_end=_median_at_end(base_runs),
        run_seconds=median([run.run_seconds for run in base_runs]),
        given_up=rounds.given_up,
    )


def _median_at_end(runs: Sequence[RunResult]) -> MemoryAtEnd:
    def middle(name: str) -> int | None:
        values = [value for run in runs if (value := getattr(run.at_end, name)) is not None]
        return round(median(values)) if values and len(values) == len(runs) else None

    return MemoryAtEnd(**{each.name: middle(each.name) for each in fields(MemoryAtEnd)})


def _effect(malloc: str, runs: Sequence[RunResult], base: Sequence[RunResult], planned: int) -> GlobalEffect:
    cpu_time = difference(runs, base, run_cpu_seconds, planned)
    return GlobalEffect(
        malloc=malloc,
        time=cpu_time,
        peak_bytes=difference(runs, base, lambda run: float(run.peak_bytes)),
        cpu_time=cpu_time,
        wall_time=difference(runs, base, run_wall_seconds, planned),
        metric=metric_difference(runs, base),
        end_bytes=end_difference(runs, base),
        start=difference(runs, base, lambda run: run.start_seconds),
    )


def _sort_by_saving(effects: Iterable[GlobalEffect]) -> tuple[GlobalEffect, ...]:
    return tuple(sorted(effects, key=lambda effect: effect.time.median))
