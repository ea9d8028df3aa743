"""The second stage: the builds against each other, in interleaved rounds, each program once in a round."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness import building
from harness.catalogue import NULL, UNCHANGED, UNDER, Case, Input
from harness.places import Json, commit, sha256
from mallard.advisor.trial.process import Measured, measure
from mallard.advisor.trial.rounds import Rounds, interleaved, outputs_differ
from mallard.shared import caller, mallocs, preload
from mallard.shared.stats import median

Arm = tuple[list[str], str]  # a command, and its malloc, preloaded or glibc's with tunables, or ''
SECONDS_LIMIT = 60.0
SEED = 1


def measured_builds(case: Case) -> list[str]:
    return [UNCHANGED, *([NULL, *case.strategies] if case.builds else [])]


def measure_cell(
    case: Case, case_input: Input, under: list[str], rounds: int, tick: Callable[[int, int], None]
) -> Json:
    """`under` are builds with a malloc for the whole program, such as before@mimalloc."""
    arms = {}
    for name in [*measured_builds(case), *under]:
        build, _, malloc = name.partition(UNDER)
        arms[name] = (building.words(case, case_input, build), malloc)
    return measure_arms(arms, rounds, tick)


def measure_arms(arms: Mapping[str, Arm], rounds: int, tick: Callable[[int, int], None]) -> Json:
    runs: dict[str, Callable[[], Measured]] = {}
    for name, (words, malloc) in arms.items():
        runs[name] = partial(measure, words, environment_under(malloc), None, SECONDS_LIMIT)
    measured = interleaved(runs, UNCHANGED, rounds, SEED, tick, _check_first)
    others = [name for name in runs if name != UNCHANGED]
    return {
        "rounds": rounds,
        "commit": commit(),
        "programs": {
            name: _program(measured, name, sha256(words[0]))
            for name, (words, _) in arms.items()
            if measured.of(name)
        },
        "failed": dict(measured.failed),
        "differing": outputs_differ(measured, others, UNCHANGED),
    }


def environment_under(malloc: str) -> dict[str, str]:
    environment = mallocs.with_tunables(mallocs.tunables(malloc), caller.environment())
    if malloc and (library := mallocs.require_library(malloc)):
        environment[preload.VARIABLE] = preload.preload_list([library])
        _check_preload(malloc, environment)
    return environment


def _check_preload(malloc: str, environment: Mapping[str, str]) -> None:
    """The loader ignores what it cannot preload, and only says so."""
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=False)
    if done.stderr:
        raise building.BuildError(f"{malloc} cannot be preloaded: {done.stderr.strip()}")


def _check_first(first: Any) -> None:
    """`git diff` and `tidy` end with status 1; 2 and more are failures of all programs."""
    if first[UNCHANGED].ended_by or os.WEXITSTATUS(first[UNCHANGED].status) > 1:
        raise building.BuildError(f"the program before the change {first[UNCHANGED].end}")


def _program(rounds: Rounds[Measured], name: str, hash_: str) -> Json:
    runs = rounds.of(name)
    return {
        "sha256": hash_,
        "cpu_seconds": [round(run.cpu_seconds, 6) for run in runs],
        "wall_seconds": [round(run.wall_seconds, 6) for run in runs],
        "peak_bytes": median([float(run.peak_bytes) for run in runs]),
        "faults": median([float(run.faults) for run in runs]),
    }
