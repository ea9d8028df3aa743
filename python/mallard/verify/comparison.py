"""The programs beside each other, by round."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mallard import preload
from mallard.errors import UsageError
from mallard.stats import Difference, median
from mallard.trial.measured import Measured, measure, own_environment
from mallard.trial.rounds import Rounds, interleaved, output_is_compared, outputs_differ
from mallard.trial.verdict import SEVERAL_CORES, cpu_of, difference, wall_of

BEFORE, AFTER, NULL = "before", "after", "null"

OWN_MALLOC = "the programs' own malloc"

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Change:
    """A program beside another one. Less than 0 is saved."""

    time: Difference  # seconds
    peak_bytes: Difference
    faults: Difference


@dataclass(frozen=True)
class Typical:
    """The medians of a program."""

    seconds: float
    peak_bytes: float
    faults: float
    end: str


@dataclass(frozen=True)
class Comparison:
    rounds: int
    wall: bool  # times are wall time, because a program uses several cores, or because the advice has it
    programs: Mapping[str, Typical]
    whole: Change | None  # after beside before; None if it ended otherwise
    rewrite: Change | None  # null beside before
    allocator: Change | None  # after beside null
    failed: Mapping[str, str]  # programs that ended otherwise than before, and how
    compared: bool  # the output of the program before is the same from run to run
    differing: tuple[str, ...]  # programs whose output is another one
    ends: tuple[str, ...] = ()  # of the program before, if they vary from run to run
    malloc: str = OWN_MALLOC
    heap: str = "clean"

    @property
    def is_sound(self) -> bool:
        """False if a program ended otherwise than before, or printed something else."""
        return not self.failed and not self.differing


def compare(
    programs: Mapping[str, str],
    words: Sequence[str],
    stdin: Path | None,
    rounds: int,
    seconds_limit: float,
    tick: Tick,
    wall: bool | None = None,
) -> Comparison:
    """`programs` by BEFORE, AFTER and perhaps NULL; `words` follow each. `wall` is that of an advice."""
    environment = own_environment()
    runs = {
        name: partial(measure, [program, *words], environment, stdin, seconds_limit)
        for name, program in programs.items()
    }
    return comparison_of(
        interleaved(runs, BEFORE, rounds, 1, tick, _check_first), wall, _malloc_of(environment)
    )


def _check_first(first: Mapping[str, Measured]) -> None:
    if first[BEFORE].ended_by:
        raise UsageError(
            f"the program before the change {first[BEFORE].end}, so there is nothing to compare with; give "
            "it arguments with which it ends by itself"
        )


def _malloc_of(environment: Mapping[str, str]) -> str:
    """A library that the user preloads may have one."""
    preloaded = re.split(r"[: ]+", environment.get(preload.VARIABLE, "").strip(": "))
    return " and ".join(os.path.basename(each) for each in preloaded if each) or OWN_MALLOC


def comparison_of(rounds: Rounds[Measured], wall: bool | None = None, malloc: str = OWN_MALLOC) -> Comparison:
    there = [name for name in (BEFORE, AFTER, NULL) if rounds.of(name)]
    if wall is None:
        wall = any(_cores(rounds.of(name)) > SEVERAL_CORES for name in there)
    seconds = wall_of if wall else cpu_of
    return Comparison(
        rounds=len(rounds.of(BEFORE)),
        wall=wall,
        programs={name: _typical(rounds.of(name), seconds) for name in there},
        whole=_change(rounds, AFTER, BEFORE, seconds),
        rewrite=_change(rounds, NULL, BEFORE, seconds),
        allocator=_change(rounds, AFTER, NULL, seconds),
        failed=dict(rounds.failed),
        compared=output_is_compared(rounds, BEFORE),
        differing=tuple(outputs_differ(rounds, [name for name in there if name != BEFORE], BEFORE)),
        ends=rounds.ends,
        malloc=malloc,
    )


def _cores(runs: Sequence[Measured]) -> float:
    return median([run.cpu_seconds / max(run.wall_seconds, 1e-9) for run in runs])


def _peak_of(run: Measured) -> float:
    return float(run.peak_bytes)


def _faults_of(run: Measured) -> float:
    return float(run.faults)


def _typical(runs: Sequence[Measured], seconds: Callable[[Measured], float]) -> Typical:
    return Typical(
        median([seconds(run) for run in runs]),
        median([_peak_of(run) for run in runs]),
        median([_faults_of(run) for run in runs]),
        runs[0].end,
    )


def _change(
    rounds: Rounds[Measured], name: str, base: str, seconds: Callable[[Measured], float]
) -> Change | None:
    runs, of_base = rounds.of(name), rounds.of(base)
    if not runs or not of_base:
        return None
    return Change(
        difference(runs, of_base, seconds),
        difference(runs, of_base, _peak_of),
        difference(runs, of_base, _faults_of),
    )
