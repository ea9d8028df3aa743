"""Compares the programs by round."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mallard.advisor.trial.measured import Measured, measure, own_environment
from mallard.advisor.trial.rounds import Rounds, interleaved, output_is_compared, outputs_differ
from mallard.advisor.trial.verdict import SEVERAL_CORES, difference, run_cpu_seconds, run_wall_seconds
from mallard.shared import preload
from mallard.shared.errors import UsageError
from mallard.shared.stats import Difference, median

BEFORE, AFTER, NULL = "before", "after", "null"

OWN_MALLOC = "the programs' own malloc"

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Change:
    """The change from one program to another. Less than 0 is saved."""

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
    wall: bool  # times are wall time, because a program uses several cores or the advice is in wall time
    programs: Mapping[str, Typical]
    whole: Change | None  # from before to after; None if after failed
    rewrite: Change | None  # from before to null
    allocator: Change | None  # from null to after
    failed: Mapping[str, str]  # programs that ended in a way that the first never does, and how
    compared: bool  # the output before the change does not vary from run to run
    differing: tuple[str, ...]  # programs whose output differs
    ends: tuple[str, ...] = ()  # of the program before, if they vary from run to run
    malloc: str = OWN_MALLOC
    heap: str = "clean"

    @property
    def is_sound(self) -> bool:
        """False if a program ended or printed differently than before the change."""
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
    """`programs` by BEFORE, AFTER and optionally NULL, each with the arguments `words`. `wall` is that of the
    advice, if any.
    """
    environment = own_environment()
    runs = {
        name: partial(measure, [program, *words], environment, stdin, seconds_limit)
        for name, program in programs.items()
    }
    return summarize_comparison(
        interleaved(runs, BEFORE, rounds, 1, tick, _check_first), wall, _malloc_name(environment)
    )


def _check_first(first: Mapping[str, Measured]) -> None:
    if first[BEFORE].ended_by:
        raise UsageError(
            f"the program before the change {first[BEFORE].end}, so there is nothing to compare with; give "
            "it arguments with which it exits by itself"
        )


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
        programs={name: _typical(rounds.of(name), seconds) for name in present},
        whole=_change(rounds, AFTER, BEFORE, seconds),
        rewrite=_change(rounds, NULL, BEFORE, seconds),
        allocator=_change(rounds, AFTER, NULL, seconds),
        failed=dict(rounds.failed),
        compared=output_is_compared(rounds, BEFORE),
        differing=tuple(outputs_differ(rounds, [name for name in present if name != BEFORE], BEFORE)),
        ends=rounds.ends,
        malloc=malloc,
    )


def _cores(runs: Sequence[Measured]) -> float:
    return median([run.cpu_seconds / max(run.wall_seconds, 1e-9) for run in runs])


def _run_peak(run: Measured) -> float:
    return float(run.peak_bytes)


def _run_faults(run: Measured) -> float:
    return float(run.faults)


def _typical(runs: Sequence[Measured], seconds: Callable[[Measured], float]) -> Typical:
    return Typical(
        median([seconds(run) for run in runs]),
        median([_run_peak(run) for run in runs]),
        median([_run_faults(run) for run in runs]),
        runs[0].end,
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
    )
