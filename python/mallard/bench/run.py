"""Executes a plan: a process for each repetition, and a committed row for each process.

A cell that ran out of memory or time is not repeated, because it would only cost the time
again. A crashed cell is repeated, because a crash may depend on the layout of the process.
"""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mallard.bench.checksums import Checksums
from mallard.bench.drift import KIND, describe_drift
from mallard.bench.footprint import readable
from mallard.bench.pace import Grains, Pace, grains
from mallard.bench.plan import MEMORY_SHARE, Plan
from mallard.bench.process import Limits, Repetition, measure
from mallard.bench.result import CRASHED, FAILED, OUT_OF_MEMORY, TIMED_OUT, Row, canonical
from mallard.bench.runner import Builds
from mallard.bench.store import Run, Store
from mallard.shared import machine
from mallard.shared.errors import UsageError

# Consecutive failures after which the runner is assumed to be broken.
FAILURES_TO_STOP = 20
RECOUNT_SECONDS = 0.5
ROW_DISK_BYTES = 2000

CellKey = tuple[str, str, str]


class Listener(Protocol):
    """Receives the events of a run."""

    def begin(self, done: int, total: int) -> None: ...
    def measured(self, row: Row, done: int, remaining_seconds: float | None) -> None: ...
    def tick(self) -> None: ...
    def say(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def end(self) -> None: ...


@dataclass
class Outcome:
    """The result of a run. `statuses` counts the repetitions of the whole run, with resumed ones."""

    run_id: int
    statuses: Counter[str] = field(default_factory=Counter)
    not_tried_again: int = 0
    disturbed_cells: int = 0  # measured in a run that began while other programs kept cores busy
    mismatches: list[str] = field(default_factory=list)

    @property
    def defects(self) -> int:
        """Crashes, failures and mismatches. Running out of memory or time is a result, not a defect."""
        return self.statuses[CRASHED] + self.statuses[FAILED] + len(self.mismatches)


@dataclass(frozen=True)
class Prepared:
    plan: Plan
    run: Run


def prepare(
    store: Store,
    builds: Builds,
    command: str,
    make_plan: Callable[[Mapping[str, Any]], Plan],
    listener: Listener,
) -> Prepared:
    """Continues the interrupted run of this command, or begins a new one.

    `make_plan` gets the options of the interrupted run, or none.
    """
    plan = make_plan({})
    facts = machine.facts()
    identity = plan.identity(machine.fingerprint(facts), builds.build_id)
    interrupted = store.unfinished_run(identity)
    if interrupted is not None:
        plan = make_plan(interrupted.options)
        rows = len(store.rows(interrupted.id))
        listener.say(f"run {interrupted.id} was interrupted after {rows} rows and goes on")
        store.add_note(interrupted.id, "resumed", f"load {machine.load1()}")
        return Prepared(plan, interrupted)
    _check_room(store, plan)
    _report_stale_run(store, plan, listener)
    run_id = store.begin_run(
        {
            "experiment": plan.experiment,
            "command": command,
            "scale": plan.scale,
            "seed": plan.seed,
            "repetitions": plan.repetitions,
            "identity": identity,
            "options": {**plan.options, "time_limit": plan.time_limit, "memory_limit": plan.memory_limit},
            "machine": facts,
            "runner": builds.about,
        }
    )
    return Prepared(plan, store.run(run_id))


def execute(
    store: Store, prepared: Prepared, builds: Builds, listener: Listener, *, warns_of_load: bool = True
) -> Outcome:
    """Measures the remaining repetitions. If it stops early, finished rows are kept. A series warns of a busy
    machine once: `warns_of_load` is false in its later runs.
    """
    plan, run = prepared.plan, prepared.run
    progress = _Progress(run.id, plan)
    for row in store.rows(run.id):
        progress.add(row, row.wall_ns / 1e9)
    ahead = [repetition for repetition in plan.in_order() if not progress.is_measured(repetition)]
    grains_ahead = [grains(repetition) for repetition in ahead]
    work = machine.sample_work()
    cpu = work.idlest_cpu if plan.options.get("pin") else None
    if work.disturbs:
        progress.outcome.disturbed_cells = len({_cell(repetition) for repetition in ahead})
        text = _describe_load(work)
        store.add_note(run.id, "busy", text)
        if warns_of_load:
            listener.warn(f"{text}; the intervals will be wide: stop them and repeat the command")
    done = progress.rows
    listener.begin(done, done + len(ahead))
    try:
        for place, repetition in enumerate(ahead):
            if progress.is_abandoned(repetition):
                progress.outcome.not_tried_again += 1
                continue
            started = time.monotonic()
            runner = builds.of(repetition.parameters)
            row = measure(repetition, runner.path, cpu, _limits(plan), run.id, listener.tick)
            store.add_row(run.id, row)
            mismatch = progress.add(row, time.monotonic() - started)
            if mismatch:
                store.add_note(run.id, "checksum_mismatch", mismatch)
                listener.warn(mismatch)
            listener.measured(row, done + place + 1, progress.remaining_seconds(grains_ahead[place + 1 :]))
            if progress.failures_in_a_row >= FAILURES_TO_STOP:
                raise UsageError(
                    f"{runner.path} failed {FAILURES_TO_STOP} times in a row, at last with: {row.detail}; "
                    "every row is kept; build the runner again"
                )
    finally:
        listener.end()
    store.finish_run(run.id, machine.load1())
    if drift := describe_drift(store, run):
        store.add_note(run.id, KIND, drift)
        listener.warn(f"{drift}: the machine has another pace now; compare figures of this run only")
    return progress.finished()


class _Progress:
    """The state of a run. The rows of a resumed run are added before the new ones."""

    def __init__(self, run_id: int, plan: Plan) -> None:
        self.outcome = Outcome(run_id)
        self._planned = {canonical(row.parameters) for row in plan.rows}
        # Rows need not have equal parameters. The longest lists are tried first.
        self._names = sorted({frozenset(row.parameters) for row in plan.rows}, key=len, reverse=True)
        self.rows = 0
        self.failures_in_a_row = 0
        self._tried: set[tuple[CellKey, int]] = set()
        self._abandoned: set[CellKey] = set()
        self._checksums = Checksums()
        self._pace = Pace()
        self._remaining: float | None = None
        self._estimated_at = -math.inf

    def add(self, row: Row, seconds: float) -> str | None:
        """Returns the checksum mismatch, if this row is the first to show it."""
        repetition = self._repetition(row)
        cell = _cell(repetition)
        self.rows += 1
        self.outcome.statuses[row.status] += 1
        self._tried.add((cell, row.repetition))
        self._pace.add_sample(grains(repetition), seconds)
        if row.status in (OUT_OF_MEMORY, TIMED_OUT):
            self._abandoned.add(cell)
        self.failures_in_a_row = self.failures_in_a_row + 1 if row.status == FAILED else 0
        return self._checksums.add(row)

    def finished(self) -> Outcome:
        self.outcome.mismatches = self._checksums.complaints()
        return self.outcome

    def _repetition(self, row: Row) -> Repetition:
        """The repetition that produced this row. The runner may have added parameters."""
        for names in self._names:
            parameters = {name: value for name, value in row.parameters.items() if name in names}
            if canonical(parameters) in self._planned:
                return Repetition(row.experiment, parameters, row.strategy, row.repetition, row.seed)
        return Repetition(row.experiment, row.parameters, row.strategy, row.repetition, row.seed)

    def is_measured(self, repetition: Repetition) -> bool:
        return (_cell(repetition), repetition.repetition) in self._tried

    def is_abandoned(self, repetition: Repetition) -> bool:
        return _cell(repetition) in self._abandoned

    def remaining_seconds(self, ahead: Sequence[Grains]) -> float | None:
        """Recomputed at intervals only, because thousands of repetitions may be ahead."""
        timestamp = time.monotonic()
        if timestamp - self._estimated_at >= RECOUNT_SECONDS or not ahead:
            self._remaining, self._estimated_at = self._pace.remaining_seconds(ahead), timestamp
        return self._remaining


def _describe_load(work: machine.Work) -> str:
    culprit = f", mostly {work.busiest}" if work.busiest else ""
    return f"other programs keep {work.cores:.1f} of {len(machine.allowed_cpus())} cores busy{culprit}"


def _check_room(store: Store, plan: Plan) -> None:
    """Fails before the run, instead of an hour later."""
    needed = plan.processes * ROW_DISK_BYTES
    free = shutil.disk_usage(store.path.parent).free
    if free < needed:
        raise UsageError(
            f"the disk of {store.path} has {readable(free)} left and the results of this run may take "
            f"{readable(needed)}; make room, or give a file elsewhere: --db FILE"
        )


def _limits(plan: Plan) -> Limits:
    """The current limits. Free memory may have shrunk since planning."""
    available = machine.memory("MemAvailable")
    if available is None:
        return Limits(plan.time_limit, plan.memory_limit)
    most = int(available * MEMORY_SHARE)
    return Limits(plan.time_limit, most if plan.memory_limit is None else min(most, plan.memory_limit))


def _report_stale_run(store: Store, plan: Plan, listener: Listener) -> None:
    runs = store.runs()
    if not runs or runs[-1].finished is not None:
        return
    last = runs[-1]
    options = {name: value for name, value in last.options.items() if name in plan.options}
    if (last.experiment, last.scale, last.seed, last.repetitions, options) == (
        plan.experiment,
        plan.scale,
        plan.seed,
        plan.repetitions,
        plan.options,
    ):
        listener.say(f"run {last.id} was interrupted, but runner or machine changed since: a new run begins")


def _cell(source: Repetition | Row) -> CellKey:
    return source.experiment, canonical(source.parameters), source.strategy
