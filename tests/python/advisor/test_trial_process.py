"""Time limits kill a program and its children; recordings of what a program becomes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from advisor_programs import has_ended, wait_until

from mallard.advisor.recording import messages
from mallard.advisor.trial import process
from mallard.advisor.trial.command import read_result
from mallard.shared.errors import UsageError
from mallard.shared.parent_death import wait


def test_kills_a_program_and_its_children(tmp_path: Path) -> None:
    pid_file = tmp_path / "child"
    script = f"sleep 1000 & echo $! > {pid_file}.new; mv {pid_file}.new {pid_file}; wait"
    process = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    while not pid_file.exists():
        time.sleep(0.01)
    with pytest.raises(UsageError, match=r"the shell ran for more than 0\.1 s; give it less work"):
        wait(process, "the shell", 0.1)
    assert process.returncode is not None
    child = int(pid_file.read_text())
    wait_until(lambda: has_ended(child))


@pytest.fixture
def collect_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Records by this script."""

    def write(script: str) -> None:
        measure = 'result=$1\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\n'
        programs = {
            "COLLECTOR": script,
            "MEASURE": f'{measure}echo 0 0 0 0 0 0 0 0 > /proc/self/fd/"$result"\n',
        }
        for name, text in programs.items():
            program = tmp_path / name.lower()
            program.write_text(f"#!/bin/sh\n{text}")
            program.chmod(0o755)
            monkeypatch.setenv(f"MALLARD_{name}", str(program))

    return write


def test_limits_the_time_of_a_recording(tmp_path: Path, collect_by: Callable[[str], None]) -> None:
    collect_by("exec sleep 1000\n")
    with pytest.raises(UsageError, match=r"true, which is recorded, ran for more than 0\.2 s"):
        process.record(["true"], None, tmp_path / "a.trace", 0.2 / process.TIMES_SLOWER)
    assert not os.path.exists(tmp_path / "a.trace")


def reporting(**facts: object) -> str:
    """A line of a collector that writes these facts."""
    line = json.dumps({"record": "summary", **ENDED, **facts})
    return f"echo '{line}' > /proc/self/fd/$4\n"


# Of a program without an event.
ENDED = {
    **dict.fromkeys(("processes", "status", "forks", "programs", "unknown_threads"), 0),
    **dict.fromkeys(("failed", "ended_by", "signal"), ""),
    **dict.fromkeys(("follow", "recover", "has_file", "is_idle", "is_disk_full"), False),
    "program": "shim",
    "without_event": [],
}


def test_records_again_if_other_processes_are_not_followed(
    tmp_path: Path, collect_by: Callable[[str], None]
) -> None:
    """By a collector that writes its options, and reports the other processes of a server."""
    collect_by(f"""echo "$@" >> {tmp_path}/calls
touch "$2"
case "$*" in *server*) {reporting(forks=1)};; esac
""")
    trace = tmp_path / "a.trace"
    assert process.record(["true", "server"], None, trace, 60, follow=True) == trace
    process.record(["true", "single"], None, trace, 60, follow=True)
    process.record(["true", "server"], None, trace, 60)
    calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
    assert [(line[-1], "--follow" in line, "--until-end" in line) for line in calls] == [
        ("server", False, False),
        ("server", True, True),
        ("single", False, False),
        ("server", False, False),
    ]
    assert [line[:2] for line in calls] == [["-o", str(trace)]] * 4


def test_names_the_program_that_a_silent_one_becomes(
    tmp_path: Path, collect_by: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "reason_for_no_event", lambda _: "has its own malloc")
    collect_by(f'case "$*" in *mold*) {reporting(without_event=["mold"])};; *) {reporting()};; esac\n')
    trace = tmp_path / "a.trace"
    with pytest.raises(
        UsageError, match=r"did not load the recorder; it becomes or starts .*: 'mold' has its own"
    ):
        process.record(["true", "mold"], None, trace, 60, follow=True)
    with pytest.raises(process.NothingRecordedError, match="before its first allocation") as error:
        process.record(["true"], None, trace, 60, follow=True)
    assert error.value.ends_as(0)
    assert not error.value.ends_as(256)


def test_names_the_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output of the program, and the result, may have been cut off."""
    monkeypatch.setattr(os, "fstatvfs", lambda _: SimpleNamespace(f_blocks=100, f_bavail=0))
    with tempfile.TemporaryFile() as result, pytest.raises(UsageError, match=r"is full; .* or set TMPDIR"):
        read_result(result, "server", 0)
