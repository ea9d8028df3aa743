"""Verifies a change with three programs: before it, after it, and the changed code on the global allocator.

The third program is the null of the rewrite: its gain over the first is not the allocator's. A round runs
each program once, in random order. Times are compared within a round. A recording of the changed program
shows that no block outlives its allocator or is freed by another one. The promised figure is read from the
JSON of `mallard advise --json` or `mallard try --json`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from mallard.advisor.profile.database import finite
from mallard.advisor.profile.document import (
    Profile,
    RecordedPool,
    ask,
    read_profile,
)
from mallard.advisor.profile.names import Names, is_library_function
from mallard.advisor.profile.native_document import WRONG_DOCUMENT
from mallard.advisor.trial.campaign import Promise
from mallard.advisor.trial.effect import (
    SEVERAL_CORES,
    difference,
    median_metric,
    metric_difference,
    run_cpu_seconds,
    run_wall_seconds,
)
from mallard.advisor.trial.process import Measured, measure, record, refuse_failed_load
from mallard.advisor.trial.program import Arm, Program, Scope
from mallard.advisor.trial.rounds import Rounds, interleaved, output_is_compared, outputs_differ
from mallard.advisor.trial.surroundings import UNCHANGED, Surroundings
from mallard.shared import caller, preload
from mallard.shared.age import Age
from mallard.shared.errors import UsageError
from mallard.shared.native_file import MEASURED_LIBRARY, TRIAL_LIBRARY
from mallard.shared.prose import printable_name
from mallard.shared.stats import Difference, median

TRIAL, ADVICE = "mallard trial", "mallard advice"


@dataclass(frozen=True)
class Advice:
    figure: Promise | None  # None if the answer is not an allocator
    wall: bool  # its times are wall time
    headline: str = ""  # empty for a trial


def read_advice(file: Path) -> Advice:
    """Raises a UsageError if the file is not an advice."""
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"--advice {file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"--advice {file} is not JSON; 'mallard try --json' and 'mallard advise --json' write it"
        ) from None
    kind = document.get("format") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in (TRIAL, ADVICE):
        raise UsageError(
            f"--advice {file} is not an advice: its format is {kind!r}; allowed are {TRIAL!r} and "
            f"{ADVICE!r}, which 'mallard try --json' and 'mallard advise --json' write"
        )
    try:
        figure = document["figure"]
        promise = None if figure is None else _promise(figure)
        return Advice(promise, bool(document["wall"]), printable_name(document.get("headline", "")))
    except (*WRONG_DOCUMENT, OverflowError) as error:
        raise UsageError(
            f"--advice {file} has no figure to compare with ({error}); write it again, by this version of "
            "mallard"
        ) from None


def _promise(figure: Mapping[str, Any]) -> Promise:
    """Raises one of WRONG_DOCUMENT, or an OverflowError."""
    program_seconds = finite(float(figure["program_seconds"]))
    if program_seconds <= 0:
        raise ValueError(f"the program's time is {program_seconds} s; it must be more than 0")
    scope, strategy, against = (printable_name(figure[name]) for name in ("scope", "strategy", "against"))
    source, age = (printable_name(figure.get(name, "")) for name in ("source", "age"))
    peak, end = (
        _difference(figure[name]) if figure.get(name) else None for name in ("peak_bytes", "end_bytes")
    )
    time = _difference(figure["time"])
    return Promise(scope, strategy, against, time, program_seconds, source, peak, end, age)


def _difference(value: Mapping[str, Any]) -> Difference:
    median, low, high = (finite(float(value[name])) for name in ("median", "low", "high"))
    return Difference(median, low, high, int(value["n"]))


MOST_FRAMES = 6


@dataclass(frozen=True)
class Pool:
    """The pools that share a name."""

    name: str
    pools: int
    allocations: int
    releases: int
    outlived: int  # frees after the block's end
    of_other: int  # frees of another pool's blocks
    of_malloc: int  # frees of malloc's blocks
    by_malloc: int  # free or delete of the pool's blocks
    first: tuple[str, ...]  # stack of the first wrong free, innermost first

    @property
    def wrong(self) -> int:
        return self.outlived + self.of_other + self.of_malloc + self.by_malloc


@dataclass(frozen=True)
class Ownership:
    pools: tuple[Pool, ...] = ()
    foreign_frees: int = 0  # of blocks whose allocation was not recorded
    unknown: str | None = None  # reason if nothing was checked
    allocations: int | None = None  # of the recorded run

    @property
    def is_sound(self) -> bool:
        """True if no wrong free was seen."""
        return not any(pool.wrong for pool in self.pools)


def record_ownership(
    words: Sequence[str],
    stdin: Path | None,
    folder: Path,
    seconds_limit: float,
    surroundings: Surroundings = UNCHANGED,
    first: Measured | None = None,
) -> Ownership:
    """Records the program once. A program that is not recorded as in `first` is not an error here."""
    try:
        trace = record(words, stdin, folder / "recorded.trace", seconds_limit, surroundings, first)
        return check_frees(read_profile(ask([str(trace)])))
    except UsageError as error:
        return Ownership(unknown=str(error))


def check_frees(profile: Profile) -> Ownership:
    if profile.process.torn or profile.process.stopped:
        reason = profile.process.stopped or "its end is missing"
        return Ownership(unknown=f"the recording is incomplete: {reason}")
    names = Names(profile)
    foreign = profile.foreign.frees if profile.foreign else 0
    pools = tuple(_pool(pool, names) for pool in profile.pools)
    return Ownership(pools, foreign, allocations=profile.figures.allocations)


def _pool(pool: RecordedPool, names: Names) -> Pool:
    wrong = pool.wrong_frees
    stack = names.stack(wrong.first) if wrong.first is not None else ()
    return Pool(
        name=pool.name,
        pools=pool.pools,
        allocations=pool.allocations,
        releases=pool.releases or 0,
        outlived=wrong.after_end,
        of_other=wrong.of_other,
        of_malloc=wrong.of_malloc,
        by_malloc=wrong.by_malloc,
        first=_without_library_frames([names.place_function(place) for place in stack]),
    )


def _without_library_frames(stack: Sequence[str]) -> tuple[str, ...]:
    """The innermost frames outside of the standard library and mallard."""
    program_frames = [name for name in stack if not is_library_function(name)]
    return tuple((program_frames or list(stack))[:MOST_FRAMES])


BEFORE, AFTER, NULL = "before", "after", "null"

OWN_MALLOC = "the programs' own malloc"

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Change:
    """The change from one program to another. Less than 0 is saved."""

    time: Difference  # seconds
    peak_bytes: Difference
    faults: Difference
    metric: Difference | None = None  # of the server's load


@dataclass(frozen=True)
class Typical:
    """A program's figures. With the time of the program before the change, `seconds` gives the change."""

    seconds: float
    measured_seconds: float  # median of its own runs, which may be of other rounds
    peak_bytes: float
    faults: float
    end: str
    metric: float | None = None  # of the server's load


@dataclass(frozen=True)
class Comparison:
    rounds: int
    wall: bool  # times are wall time, because a program uses several cores or the advice is in wall time
    programs: Mapping[str, Typical]
    whole: Change | None  # from before to after; None if after failed
    rewrite: Change | None  # from before to null
    allocator: Change | None  # from null to after
    failed: Mapping[str, str]  # programs that ended in a way that the first never does, and how
    compared: bool  # False if outputs are ignored
    differing: tuple[str, ...]  # programs whose output differs
    malloc: str = OWN_MALLOC
    heap: str = "a young heap"

    @property
    def is_sound(self) -> bool:
        """False if a program ended or printed differently than before the change."""
        return not self.failed and not self.differing


def run_before(
    program: str,
    words: Sequence[str],
    stdin: Path | None,
    seconds_limit: float,
    surroundings: Surroundings = UNCHANGED,
) -> Measured:
    """The first run of all. In the first round, a run of AFTER could precede it, and leave the files behind
    that change all runs of BEFORE.
    """
    command = surroundings.program_words([program, *words])
    first = measure(command, caller.environment(), stdin, seconds_limit, surroundings)
    refuse_failed_load(first)
    if first.ended_by:
        raise UsageError(
            f"the program before the change {first.end}, so there is nothing to compare with; give it "
            "arguments with which it exits by itself"
        )
    return first


def compare(
    programs: Mapping[str, str],
    words: Sequence[str],
    stdin: Path | None,
    rounds: int,
    seconds_limit: float,
    tick: Tick,
    wall: bool | None = None,
    surroundings: Surroundings = UNCHANGED,
    first: Measured | None = None,
    age: Age | None = None,
    recording: Path | None = None,
) -> Comparison:
    """`programs` by BEFORE, AFTER and optionally NULL, each with the arguments `words`. `wall` is that of the
    advice, if any. `first` is a run of BEFORE, which those in the rounds must repeat. The heap of each run is
    of the `age`, by the requests of `recording` or by a model.
    """
    environment = caller.environment()
    runs: dict[str, Callable[[], Measured]] = {}
    for name, program in programs.items():
        command = surroundings.program_words([program, *words])
        if age is None or age.is_young:
            runs[name] = partial(measure, command, environment, stdin, seconds_limit, surroundings)
        else:
            own = Program(command, TRIAL_LIBRARY.find(), stdin, seconds_limit, surroundings)
            own = replace(own, measuring=MEASURED_LIBRARY.find(), recording=recording)
            runs[name] = partial(_run_aged, own, age)
    if surroundings.load:
        wall = False  # the wall time of a server is that of its load
    compared = interleaved(runs, BEFORE, rounds, 1, tick, first=first)
    comparison = summarize_comparison(compared, wall, _malloc_name(environment))
    return comparison if age is None else replace(comparison, heap=age.heap)


def _run_aged(program: Program, age: Age) -> Measured:
    run = program.run(Arm(None, None, age), Scope("", ()))
    if run.counts is None and not run.load.failure:
        raise UsageError(
            f"{program.words[0]} cannot be aged: it is linked statically, or has other rights than its user, "
            "so no library can be preloaded; leave --age out"
        )
    return run


def _malloc_name(environment: Mapping[str, str]) -> str:
    """The libraries that the user preloads, which may contain a malloc."""
    preloaded = re.split(r"[: ]+", environment.get(preload.VARIABLE, "").strip(": "))
    return " and ".join(os.path.basename(path) for path in preloaded if path) or OWN_MALLOC


def summarize_comparison(
    rounds: Rounds[Measured], wall: bool | None = None, malloc: str = OWN_MALLOC
) -> Comparison:
    present = [name for name in (BEFORE, AFTER, NULL) if rounds.of(name)]
    if wall is None:
        wall = any(_cores(rounds.of(name)) > SEVERAL_CORES for name in present)
    seconds = run_wall_seconds if wall else run_cpu_seconds
    return Comparison(
        rounds=len(rounds.of(BEFORE)),
        wall=wall,
        programs={name: _typical(rounds, name, seconds) for name in present},
        whole=_change(rounds, AFTER, BEFORE, seconds),
        rewrite=_change(rounds, NULL, BEFORE, seconds),
        allocator=_change(rounds, AFTER, NULL, seconds),
        failed=dict(rounds.failed),
        compared=output_is_compared(rounds, BEFORE),
        differing=tuple(outputs_differ(rounds, [name for name in present if name != BEFORE], BEFORE)),
        malloc=malloc,
    )


def _cores(runs: Sequence[Measured]) -> float:
    return median([run.cpu_seconds / max(run.wall_seconds, 1e-9) for run in runs])


def _run_peak(run: Measured) -> float:
    return float(run.peak_bytes)


def _run_faults(run: Measured) -> float:
    return float(run.faults)


def _typical(rounds: Rounds[Measured], name: str, seconds: Callable[[Measured], float]) -> Typical:
    runs, change = rounds.of(name), _change(rounds, name, BEFORE, seconds) if name != BEFORE else None
    measured = median([seconds(run) for run in runs])
    base_seconds = median([seconds(run) for run in rounds.of(BEFORE)])
    return Typical(
        base_seconds + change.time.median if change else measured,
        measured,
        median([_run_peak(run) for run in runs]),
        median([_run_faults(run) for run in runs]),
        runs[0].end,
        median_metric(runs),
    )


def _change(
    rounds: Rounds[Measured], name: str, base: str, seconds: Callable[[Measured], float]
) -> Change | None:
    runs, base_runs = rounds.of(name), rounds.of(base)
    if not runs or not base_runs:
        return None
    return Change(
        difference(runs, base_runs, seconds),
        difference(runs, base_runs, _run_peak),
        difference(runs, base_runs, _run_faults),
        metric_difference(runs, base_runs),
    )


FORMAT, VERSION = "mallard verify", 1


@dataclass(frozen=True)
class Verification:
    comparison: Comparison
    ownership: Ownership  # after the change
    advice: Advice | None = None
    allocations_before: int | None = None  # of a recorded run
    patch: str = ""  # the file of --patch

    @property
    def is_sound(self) -> bool:
        return self.comparison.is_sound and self.ownership.is_sound

    @property
    def fact(self) -> Change | None:
        """The change to compare with the advice: the allocator's part, if it was measured."""
        return self.comparison.allocator or self.comparison.whole

    def json(self) -> str:
        document = {"format": FORMAT, "version": VERSION, "sound": self.is_sound, **asdict(self)}
        return json.dumps(document, indent=1)
