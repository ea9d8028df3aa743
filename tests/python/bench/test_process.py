"""One repetition in a separate process: every outcome results in a row."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mallard.bench import process
from mallard.bench.process import Limits, Repetition, measure
from mallard.bench.result import Row
from mallard.shared import mallocs
from mallard.shared.errors import UsageError

FAKE = Path(__file__).resolve().parents[1] / "fake_bench.py"
REPETITION = Repetition("primitives", {"operation": "pair", "product_log2": 20}, "monotonic", 0, 1)
Measure = Callable[..., Row]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measure:
    def run(
        behaviour: str = "", *, limits: Limits | None = None, tick: Callable[[], None] = lambda: None
    ) -> Row:
        monkeypatch.setenv("FAKE_BENCH", json.dumps({"behaviour": {"monotonic": behaviour}}))
        return measure(REPETITION, FAKE, None, limits or Limits(30, None), 1, tick)

    return run


def test_a_row_comes_back(measured: Measure) -> None:
    row = measured()
    assert row.ok
    assert (row.strategy, row.run_id, row.operations) == ("monotonic", 1, 2**20)
    assert row.parameters == {**REPETITION.parameters, "block_bytes": 24}


def test_the_command_has_every_parameter() -> None:
    parameters = {"ds": "DS5", "size_log2": 8, "product_log2": 20, "inner_log2": 7, "buffer_bytes": 4096}
    words = Repetition("density", parameters, "new-delete-keep", 2, 9).command(Path("bench"), 3)
    assert " ".join(words) == (
        "bench density --ds DS5 --size 8 --product 20 --inner 7 --buffer-bytes 4096 "
        "--strategy new-delete-keep --seed 9 --repetition 2 --cpu 3"
    )


@pytest.mark.parametrize(
    ("behaviour", "status", "detail"),
    [
        ("crash", "crashed", "signal 11, SIGSEGV"),
        ("kill", "crashed", "SIGKILL (the kernel does this when memory runs out)"),
        ("oom", "out_of_memory", ""),
        ("fail", "failed", "exit status 1: mallard-bench: error: nothing works today"),
        ("garbage", "failed", "no result row of format 1: the last line is 'this is no JSON'"),
        ("foreign", "failed", "'strategy' is 'AS99', but 'monotonic' was requested"),
    ],
)
def test_a_failure_is_a_row_too(measured: Measure, behaviour: str, status: str, detail: str) -> None:
    row = measured(behaviour)
    assert row.status == status
    assert detail in row.detail
    assert (row.experiment, row.parameters, row.strategy) == (
        "primitives",
        REPETITION.parameters,
        "monotonic",
    )
    assert row.cpu_ns == 0


def test_kills_process_at_time_limit(measured: Measure) -> None:
    started = time.monotonic()
    row = measured("hang", limits=Limits(0.3, None))
    assert row.status == "timed_out"
    assert row.detail == "not done after 0.3 s"
    assert time.monotonic() - started < 20
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_memory_limit_stops_process(measured: Measure) -> None:
    row = measured("hog", limits=Limits(30, 1 << 30))
    assert row.status == "out_of_memory"


def test_long_processes_tick(measured: Measure) -> None:
    ticks: list[float] = []
    assert measured("hang", limits=Limits(1.2, None), tick=lambda: ticks.append(time.monotonic())).status == (
        "timed_out"
    )
    assert len(ticks) >= 1


def test_an_interrupt_ends_the_process(measured: Measure) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured("hang", tick=interrupt)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_missing_runner_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be started"):
        measure(REPETITION, tmp_path / "gone", None, Limits(30, None), 1, lambda: None)


def test_the_malloc_is_preloaded_and_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The preloaded file is not a library; the dynamic linker reports and skips it."""
    library = tmp_path / "libjemalloc.so.2"
    library.touch()
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [library])
    repetition = replace(REPETITION, strategy="new-delete@jemalloc")
    assert "--strategy new-delete --seed" in " ".join(repetition.command(Path("bench"), None))
    monkeypatch.setenv("FAKE_BENCH", "{}")
    row = measure(repetition, FAKE, None, Limits(30, None), 1, lambda: None)
    assert (row.status, row.strategy, row.malloc) == ("ok", "new-delete@jemalloc", "jemalloc")


@pytest.mark.parametrize(
    ("strategy", "has", "detail"),
    [
        ("new-delete@jemalloc", "glibc", "the process had the malloc glibc, but jemalloc was preloaded"),
        ("new-delete@jemalloc", "", "the process had the malloc unknown, but jemalloc was preloaded"),
        (
            "new-delete",
            "mimalloc",
            "the process had the malloc mimalloc, but none was preloaded: unset LD_PRELOAD",
        ),
        ("new-delete", "glibc", ""),
        ("new-delete", "", ""),
    ],
)
def test_a_figure_of_another_malloc_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, strategy: str, has: str, detail: str
) -> None:
    monkeypatch.setenv("FAKE_BENCH", json.dumps({"malloc": has}))
    row = measure(replace(REPETITION, strategy=strategy), FAKE, None, Limits(30, None), 1, lambda: None)
    assert (row.strategy, row.detail) == (strategy, detail)
    assert row.status == ("failed" if detail else "ok")


def test_compiler_is_not_passed_to_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    repetition = replace(REPETITION, parameters={**REPETITION.parameters, "compiler": "clang++"})
    assert "compiler" not in " ".join(repetition.command(Path("bench"), None))
    monkeypatch.setenv("FAKE_BENCH", "{}")
    row = measure(repetition, FAKE, None, Limits(30, None), 1, lambda: None)
    assert row.ok
    assert row.parameters == {**repetition.parameters, "block_bytes": 24}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "nothing was printed"),
        ("[1, 2]", "the last line is"),
        ('{"format": 2}', "format 2"),
        ('{"format": 1}', "the field 'experiment' is missing"),
    ],
)
def test_lines_that_are_no_row(tmp_path: Path, line: str, message: str) -> None:
    program = tmp_path / "bench"
    program.write_text(f"#!/bin/sh\necho '{line}'\n", encoding="utf-8")
    program.chmod(0o755)
    row = measure(REPETITION, program, None, Limits(30, None), 1, lambda: None)
    assert row.status == "failed"
    assert message in row.detail


def test_out_of_memory_with_status_0_fails(tmp_path: Path) -> None:
    answer: dict[str, Any] = {
        "format": 1,
        "experiment": REPETITION.experiment,
        "parameters": REPETITION.parameters,
        "strategy": REPETITION.strategy,
        "repetition": 0,
        "seed": 1,
        "status": "out_of_memory",
    }
    program = tmp_path / "bench"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n", encoding="utf-8")
    program.chmod(0o755)
    row = measure(REPETITION, program, None, Limits(30, None), 1, lambda: None)
    assert (row.status, row.detail) == (
        "failed",
        "no result row of format 1: status 'out_of_memory' with exit status 0",
    )


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Also if the tests were started with interrupts ignored, as by nohup."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_during_start_leaves_no_process(
    measured: Measure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The new process itself sends the signal, before this one can know of it."""
    confine = process._confine
    pid_file = tmp_path / "pid"

    def interrupt_first(*arguments: Any) -> None:
        pid_file.write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.2)
        confine(*arguments)

    monkeypatch.setattr(process, "_confine", interrupt_first)
    with pytest.raises(KeyboardInterrupt):
        measured("hang")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
