"""The second stage: the builds beside each other, in interleaved rounds, each program once in a round."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from harness import building
from harness.catalogue import NULL, UNCHANGED, UNDER, Case, Input
from harness.places import Json, commit, sha256
from mallard.advisor.trial.process import Measured, measure, own_environment
from mallard.advisor.trial.rounds import Rounds, interleaved, outputs_differ
from mallard.shared import mallocs, preload
from mallard.shared.stats import median

SECONDS_LIMIT = 60.0
SEED = 1


def measured_builds(case: Case) -> list[str]:
    return [UNCHANGED, *([NULL, *case.strategies] if case.builds else [])]


def measure_cell(
    case: Case, case_input: Input, under: list[str], rounds: int, tick: Callable[[int, int], None]
) -> Json:
    """`under` are builds with a malloc for the whole program, such as before@mimalloc."""
    runs: dict[str, Callable[[], Measured]] = {}
    for name in [*measured_builds(case), *under]:
        build, _, malloc = name.partition(UNDER)
        environment = own_environment()
        if malloc and (library := mallocs.require_library(malloc)):
            environment[preload.VARIABLE] = preload.preload_list([library])
        runs[name] = partial(
            measure, building.words(case, case_input, build), environment, None, SECONDS_LIMIT
        )
    measured = interleaved(runs, UNCHANGED, rounds, SEED, tick, _check_first)
    others = [name for name in runs if name != UNCHANGED]
    return {
        "rounds": rounds,
        "commit": commit(),
        "programs": {
            name: _program(measured, name, _hash(case, case_input, name))
            for name in runs
            if measured.of(name)
        },
        "failed": dict(measured.failed),
        "differing": outputs_differ(measured, others, UNCHANGED),
    }


def _check_first(first: Any) -> None:
    if first[UNCHANGED].status:
        raise building.BuildError(f"the program before the change {first[UNCHANGED].end}")


def _hash(case: Case, case_input: Input, name: str) -> str:
    return sha256(building.words(case, case_input, name.partition(UNDER)[0])[0])


def _program(rounds: Rounds[Measured], name: str, hash_: str) -> Json:
    runs = rounds.of(name)
    return {
        "sha256": hash_,
        "cpu_seconds": [round(run.cpu_seconds, 6) for run in runs],
        "wall_seconds": [round(run.wall_seconds, 6) for run in runs],
        "peak_bytes": median([float(run.peak_bytes) for run in runs]),
        "faults": median([float(run.faults) for run in runs]),
    }
