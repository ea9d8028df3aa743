"""The part of every verb that measures: the needs of a request, and its run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mallard.bench.contenders import CONTAINER_LIBRARIES
from mallard.bench.expected_runner import expected_runner
from mallard.bench.plan import SURVEY, Host, Plan, Request, make_plan, selected_compilers, selected_mallocs
from mallard.bench.prefixes import for_cmake, selected_prefixes
from mallard.bench.run import Outcome, execute, prepare
from mallard.bench.runner import COMPILERS, WITH, Builds, load_builds
from mallard.bench.store import Store
from mallard.cli.needs import Needs
from mallard.shared import machine


class Display(Protocol):
    """Shows the progress of a run: mallard.bench.run's listener."""

    def begin(self, done: int, total: int) -> None: ...
    def measured(self, row: Any, done: int, remaining_seconds: float | None) -> None: ...
    def tick(self) -> None: ...
    def say(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def end(self) -> None: ...


def needs_for(*requests: Request) -> Needs:
    """Plans for the runner that is going to be built, so that a bad request fails before the build. A runner
    that the caller names is queried instead, and nothing is built.
    """
    compilers = dict.fromkeys(name for request in requests for name in selected_compilers(request))
    mallocs = tuple(dict.fromkeys(name for request in requests for name in selected_mallocs(request)))
    prefixes = selected_prefixes(requests[0].prefixes)
    if os.environ.get("MALLARD_BENCH"):
        runner = load_builds([*compilers]).first
        for request in requests:
            make_plan(request, runner, host())
        return Needs(mallocs=mallocs)
    rows = [row for request in requests for row in make_plan(request, expected_runner(), host()).rows]
    return Needs(
        # The name g++ stands for the compiler that $CXX names, so its build is always needed.
        presets=tuple(
            dict.fromkeys(
                [WITH if prefixes else COMPILERS["g++"], *(COMPILERS[compiler] for compiler in compilers)]
            )
        ),
        prefixes=for_cmake(prefixes),
        survey=all(request.survey for request in requests),
        mallocs=mallocs,
        growing_vectors=any(CONTAINER_LIBRARIES.keys() & row.strategies for row in rows),
    )


def measure(requests: Sequence[Request], database: str, command: str, display: Display) -> list[Outcome]:
    """Measures the requests, one run each, and stores every row. After an interrupt there
    are fewer outcomes than requests.
    """
    survey = all(request.survey for request in requests)
    builds = load_builds(selected_compilers(requests[0]), survey, with_prefixes=bool(requests[0].prefixes))
    plans = [make_plan(request, builds.first, host(), {}) for request in requests]  # a bad request fails here
    for message in dict.fromkeys(message for plan in plans for message in plan.messages):
        display.say(message)
    outcomes: list[Outcome] = []
    series = _Series(display, plans) if len(plans) > 1 else display
    with Store(database) as store:
        store.claim()
        try:
            for request in requests:
                is_new = not any(outcome.disturbed_cells for outcome in outcomes)
                outcome = _measured(request, store, builds, command, series, warns_of_load=is_new)
                if outcome is None:
                    break
                outcomes.append(outcome)
        finally:
            display.end()
    disturbed = sum(outcome.disturbed_cells for outcome in outcomes)
    if disturbed and len(plans) > 1:
        cells = sum(len(row.strategies) for plan in plans for row in plan.rows)
        display.warn(f"other programs kept cores busy when the runs of {disturbed} of {cells} cells began")
    return outcomes


# Seconds of a process in each experiment of the survey, on the reference machine. In other series all
# processes count as equally long.
_PROCESS_SECONDS = {
    "programs": 0.2,
    "density": 0.40,
    "locality": 0.64,
    "utilization": 0.03,
    "contention": 0.034,
    "fragmentation": 0.19,
    "small-objects": 0.05,
    "expansion-forward": 0.09,
    "burst": 0.03,
    "fixed-block": 0.22,
    "reuse": 0.13,
}


class _Series:
    """Shows several runs as one. The remaining time of the current run is estimated from its rows, a later
    run from its expected seconds and the pace so far: the measured time over that expected."""

    def __init__(
        self, display: Display, plans: Sequence[Plan], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._display = display
        self._clock = clock
        self._process_seconds = [
            _PROCESS_SECONDS[plan.experiment] if plan.scale == SURVEY else 1.0 for plan in plans
        ]
        self._processes = [plan.processes for plan in plans]
        self._run = -1
        self._finished_processes = 0
        self._expected = 0.0
        self._started = clock()
        self.say, self.warn, self.tick = display.say, display.warn, display.tick

    def begin(self, done: int, total: int) -> None:
        self._run += 1
        if not self._run:
            self._display.begin(done, sum(self._processes))

    def measured(self, row: Any, done: int, remaining_seconds: float | None) -> None:
        self._expected += self._process_seconds[self._run]
        if remaining_seconds is not None:
            pace = (self._clock() - self._started) / self._expected
            later = zip(self._process_seconds[self._run + 1 :], self._processes[self._run + 1 :], strict=True)
            remaining_seconds += pace * sum(seconds * processes for seconds, processes in later)
        self._display.measured(row, self._finished_processes + done, remaining_seconds)

    def end(self) -> None:
        self._finished_processes += self._processes[self._run]


def _measured(
    request: Request, store: Store, builds: Builds, command: str, display: Display, *, warns_of_load: bool
) -> Outcome | None:
    def planned(continued: Mapping[str, Any]) -> Plan:
        return make_plan(request, builds.first, host(), dict(continued))

    prepared = prepare(store, builds, command, planned, display)
    try:
        return execute(store, prepared, builds, display, warns_of_load=warns_of_load)
    except KeyboardInterrupt:
        kept = len(store.rows(prepared.run.id))
        display.say(
            f"interrupted: {kept} of {prepared.plan.processes} repetitions are kept in {store.path}, "
            f"run {prepared.run.id}; repeat the command to resume it: {command}"
        )
        return None


def host() -> Host:
    return Host(machine.memory("MemAvailable"), len(machine.allowed_cpus()))
