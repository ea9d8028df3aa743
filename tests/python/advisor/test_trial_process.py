"""Time limits kill a program and its children; recordings of what a program becomes."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from advisor_programs import has_ended, wait_until

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
            "MEASURE": f'{measure}echo 0 0 0 0 0 0 0 > /proc/self/fd/"$result"\n',
        }
        for name, text in programs.items():
            program = tmp_path / name.lower()
            program.write_text(f"#!/bin/sh\n{text}")
            program.chmod(0o755)
            monkeypatch.setenv(f"MALLARD_{name}", str(program))

    return write


def test_limits_the_time_of_a_recording(tmp_path: Path, collect_by: Callable[[str], None]) -> None:
    collect_by("exec sleep 1000\n")
    with pytest.raises(UsageError, match=r"server, which is recorded, ran for more than 0\.2 s"):
        process.record(["server"], None, tmp_path / "a.trace", 0.2 / process.TIMES_SLOWER)
    assert not os.path.exists(tmp_path / "a.trace")


def test_records_again_if_other_processes_are_not_followed(
    tmp_path: Path, collect_by: Callable[[str], None]
) -> None:
    """By a collector that writes its options, and mentions the other processes of a server."""
    collect_by(
        f"""echo "$@" >> {tmp_path}/calls
touch "$2"
case "$*" in *server*) echo "1 fork; --follow records them too" >&2;; esac
"""
    )
    trace = tmp_path / "a.trace"
    assert process.record(["server"], None, trace, 60, follow=True) == trace
    process.record(["single"], None, trace, 60, follow=True)
    process.record(["server"], None, trace, 60)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == [
        f"-o {trace} -- server",
        f"-o {trace} --follow --until-end -- server",
        f"-o {trace} -- single",
        f"-o {trace} -- server",
    ]


def test_names_the_program_that_a_silent_one_becomes(
    tmp_path: Path, collect_by: Callable[[str], None]
) -> None:
    silent = "mallard: error: nothing was recorded: 'shim' ended with status 0 before its first allocation"
    unseen = "mallard: followed, but without an event: 1 executed program; 'mold' has its own malloc"
    collect_by(f'echo "{silent}" >&2\ncase "$*" in *mold*) echo "{unseen}" >&2;; esac\n')
    trace = tmp_path / "a.trace"
    with pytest.raises(UsageError, match=r"first allocation; it becomes or starts .*: 'mold' has its own"):
        process.record(["shim", "mold"], None, trace, 60, follow=True)
    with pytest.raises(process.NothingRecordedError):
        process.record(["shim"], None, trace, 60, follow=True)


def test_names_the_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output of the program, and the result, may have been cut off."""
    monkeypatch.setattr(os, "fstatvfs", lambda _: SimpleNamespace(f_blocks=100, f_bavail=0))
    with tempfile.TemporaryFile() as result, pytest.raises(UsageError, match=r"is full; .* or set TMPDIR"):
        read_result(result, "server", 0)
