"""Test equipment: programs whose runs are made up, and the advice on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document

from mallard.advisor.advice import runner
from mallard.advisor.advice.plan import Request
from mallard.advisor.trial.program import NULL, Arm, Counts, Program, RunResult, Scope

NAMES = ("main", "handle(request const&)", "parse(text)")
MIB = 1 << 20


class FakeProgram(Program):
    """Each run takes 100 ms, less the saving of its strategy or malloc."""

    saved_ms: dict[str, float] = {"monotonic": 30.0, "multipool": 10.0}  # noqa: RUF012
    outputs: tuple[str, ...] = ("same",)
    status = 0
    seconds = 0.1
    runs: list[Arm] = []  # noqa: RUF012
    messages: list[str] = []  # noqa: RUF012
    learnt: list[bool] = []  # noqa: RUF012
    allocating_threads = 1
    cores = 1.0
    unrecorded = ""  # started programs without an event

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        self.runs.append(arm)
        strategy = arm.strategy
        key = strategy if strategy not in (None, NULL) else arm.malloc.name if arm.malloc else arm.tunables
        cpu = self.seconds - self.saved_ms.get(key or "", 0.0) / 1e3
        served = Counts(served=900, freed=900, started_again=90, elsewhere=50, servers=1)
        counts = (
            Counts()
            if strategy is None
            else Counts(in_null=900, elsewhere=50, servers=1, seen_excepted=int(scope.has_exceptions))
            if strategy == NULL
            else served
        )
        output = self.outputs[len(self.runs) % len(self.outputs)]
        threads = self.allocating_threads
        return RunResult(cpu, cpu / self.cores, 10 * MIB, 500, self.status, output, counts, threads)


class Aging(FakeProgram):
    """Takes 200 ms on a heap with a past, of which local allocators save 100 ms more."""

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        done = super().run(arm, scope)
        more = 0.0 if arm.age.is_young or arm.strategy not in (None, NULL) else 0.1
        return replace(done, cpu_seconds=done.cpu_seconds + more, wall_seconds=done.wall_seconds + more)

    @staticmethod
    def result() -> RunResult:
        return RunResult(0.2, 0.2, 10 * MIB, 500, 0, "same", Counts())


def fake_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """A function that runs the advice on a synthetic profile, and counts recordings."""

    def run(program: type[FakeProgram] = FakeProgram, request: Request | None = None, **changes: Any) -> Any:
        functions = [{"name": name, "object": "/srv/server", "file": "s.cpp", "line": 9} for name in NAMES]
        handle = scope(1, 1, 990, 63_000, 1.0, owned=amount(980, 60_000))
        process = document()["process"] | {"command": ["server"], "events": 1_000_000}
        fields = EMPTY | {"functions": functions, "scopes": [handle], "process": process} | changes
        fields["figures"] = fields.get("figures", figures(1000, 64_000, 1.0))
        text = json.dumps(document(**fields))
        recordings: list[str] = []

        def record(*_: object, notify: Callable[[str], None], **__: object) -> Path:
            recordings.append("one")
            if program.unrecorded:
                notify(program.unrecorded)
            return tmp_path / "t"

        monkeypatch.setattr(runner, "record", record)
        monkeypatch.setattr(runner, "ask", lambda words: text)
        monkeypatch.setattr(runner, "locate_scope", lambda trace, name, process: stack_scope(name))
        learnt: list[bool] = []

        def learn_rules(trace: Path, scope: Scope, process: str | None, *, is_of_this_call: bool) -> Scope:
            learnt.append(is_of_this_call)
            return scope

        monkeypatch.setattr(runner, "learn_rules", learn_rules)
        monkeypatch.setattr(runner, "fault_nanoseconds", lambda: 200.0)
        program.runs = []
        messages: list[str] = []
        case = runner.study(
            program(["server"], Path("x")),
            request or Request(("glibc",)),
            tmp_path,
            lambda name: lambda a, b: None,
            messages.append,
        )
        program.messages = messages
        program.learnt = learnt
        return case, program.runs, recordings

    return run


EMPTY: dict[str, Any] = {
    **{key: [] for key in ("sites", "owners", "already_pooled", "almost_contained", "pairs")},
    "processes": document()["processes"][:1],
}


def stack_scope(name: str) -> Scope:
    return Scope(name, (("MALLARD_TRIAL_BY", "stack"), ("MALLARD_TRIAL_CODE", f":{len(name):x}")))


def with_launcher(**changes: Any) -> dict[str, Any]:
    """A profile of the second of two processes."""
    rows = [row | {"cpu_seconds": 0.01} for row in document()["processes"]]
    rows[0] |= {"chosen": False} | changes
    rows[1] |= {"chosen": True}
    started = {"executable": "/usr/bin/ld", "command": ["ld"], "parent": 4242, "launcher": rows[0]}
    process = document()["process"] | started | {"events": 1_000_000}
    return {"processes": rows, "process": process}
