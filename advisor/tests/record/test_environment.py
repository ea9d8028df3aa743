"""A recorded or tried program finds its environment as it does alone, by whichever way it looks."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from advisor_programs import LONGEST, programs_of_advisor

from mallard.advisor.trial.command import run_command
from mallard.advisor.trial.process import run_limited
from mallard.shared import caller

# Cgo links it dynamically. Its runtime walks over the variables to the auxiliary vector.
GO_PROGRAM = """package main

// #include <stdlib.h>
import "C"
import "syscall"

func main() {
	C.free(C.malloc(10))
	for _, variable := range syscall.Environ() {
		if len(variable) > 14 && variable[:14] == "MALLARD_RECORD" {
			syscall.Exit(1)
		}
	}
	syscall.Exit(7)
}
"""


@pytest.fixture(params=[False, True], ids=["alone", "with another"])
def program(toys, tmp_path, monkeypatch, request) -> list[Path]:
    """Writes to a file what it sees. The user may have a library of their own in LD_PRELOAD."""
    monkeypatch.setenv("FILE", str(tmp_path / "seen"))
    monkeypatch.setenv("COUNTER", str(tmp_path / "count"))
    if request.param:
        monkeypatch.setenv("LD_PRELOAD", str(toys.counter))
    return [toys.build("environment", ["environment.c"]), tmp_path / "seen"]


def seen_by(program: list[Path], **variables: str) -> list[str]:
    subprocess.run(program, check=True, cwd=program[1].parent, env={**os.environ, **variables})
    return take_seen(program[1])


def take_seen(file: Path) -> list[str]:
    """A walk from the arguments may meet an empty variable, and no other way does."""
    lines = sorted(line for line in file.read_text().splitlines() if line != "arguments: ")
    file.unlink()
    return lines


def test_a_recorded_program_sees_its_environment(record, program):
    alone = seen_by(program)
    assert "main: page size 4096, random 1" in alone
    assert record(*program).status == 0
    assert take_seen(program[1]) == alone


@pytest.mark.parametrize("others", [{}, {"MALLARD_TRIAL_MARK": "none"}], ids=["even", "odd"])
def test_a_tried_program_sees_its_environment(program, tmp_path, others):
    library = programs_of_advisor() / "libmallard_trial.so"
    trial = {
        "LD_PRELOAD": ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")])),
        "MALLARD_TRIAL": "monotonic",
        "MALLARD_TRIAL_REPORT": str(tmp_path / "report"),
        "MALLARD_TRIAL_BY": "mark",
    }
    assert seen_by(program, **trial, **others) == seen_by(program)
    assert (tmp_path / "report").exists()


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go compiler is installed")
def test_a_dynamic_go_program_runs(record, tmp_path):
    program, source = tmp_path / "greeting", tmp_path / "greeting.go"
    source.write_text(GO_PROGRAM)
    build = ["go", "build", "-o", program, source]
    subprocess.run(build, check=True, cwd=tmp_path, env={**os.environ, "CGO_ENABLED": "1"})
    done = record(program)
    assert done.status == 7, done.messages
    assert done.events > 0


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ])
def test_measured_programs_inherit_ignored_signals(tmp_path, monkeypatch, number):
    """./mallard names the signals, which Python ignores in any case."""
    mask = 1 << number - 1
    monkeypatch.setenv(caller.IGNORED, f"{mask:016x}")
    monkeypatch.setenv("MALLARD_MEASURE", str(programs_of_advisor() / "mallard-measure"))
    command = run_command("--prepare", f"grep SigIgn /proc/self/status; env | grep {caller.IGNORED}", 60)
    assert caller.IGNORED not in command.output
    with (tmp_path / "output").open("wb") as output:
        show = ["grep", "SigIgn", "/proc/self/status"]
        streams = {"stdin": None, "stdout": output, "stderr": subprocess.DEVNULL}
        run_limited(show, caller.environment(), "grep", 60, **streams)
    both = mask | 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
    for text in (command.output, (tmp_path / "output").read_text()):
        assert int(text.split()[1], 16) & both == mask


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD])
def test_ignored_signals_stay_ignored(collector, tmp_path, number):
    """As in a service of systemd, which ignores SIGPIPE."""
    show = ["grep", "SigIgn", "/proc/self/status"]
    recorded = [collector, "-o", tmp_path / "x.trace", "--", *show]
    seen = [
        subprocess.run(
            words, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN), capture_output=True, check=False
        ).stdout
        for words in (show, recorded)
    ]
    assert seen[0] == seen[1] != b""
    assert int(seen[0].split()[1], 16) & 1 << number - 1


def test_a_preloaded_library_may_replace_the_clock(record, toys, monkeypatch):
    library = toys.build("fake-clock.so", ["fake_clock.c"], "-shared", "-fPIC")
    monkeypatch.setenv("LD_PRELOAD", str(library))
    done = record(toys.calls, 500, "calls")
    assert done.status == 0, done.messages
    assert done.events >= 1000
    seconds = re.search(r" in ([\d.]+) s; ", done.messages)
    assert seconds
    assert float(seconds[1]) < LONGEST
