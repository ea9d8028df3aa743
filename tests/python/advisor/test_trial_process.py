"""Time limits kill a program and its children."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
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


def test_limits_the_time_of_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collector = tmp_path / "mallard-record"
    collector.write_text("#!/bin/sh\nexec sleep 1000\n")
    collector.chmod(0o755)
    measurer = tmp_path / "mallard-measure"
    measurer.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\n')
    measurer.chmod(0o755)
    monkeypatch.setenv("MALLARD_COLLECTOR", str(collector))
    monkeypatch.setenv("MALLARD_MEASURE", str(measurer))
    with pytest.raises(UsageError, match=r"server, which is recorded, ran for more than 0\.2 s"):
        process.record(["server"], None, tmp_path / "a.trace", 0.2 / process.TIMES_SLOWER)
    assert not os.path.exists(tmp_path / "a.trace")


def test_records_again_if_other_processes_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a collector that writes its options, and mentions the other processes of a server."""
    collector = tmp_path / "mallard-record"
    collector.write_text(
        f"""#!/bin/sh
echo "$@" >> {tmp_path}/calls
touch "$2"
case "$*" in *server*) echo "1 fork; --follow records them too" >&2;; esac
"""
    )
    collector.chmod(0o755)
    measurer = tmp_path / "mallard-measure"
    measurer.write_text(
        '#!/bin/sh\nresult=$1\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\n'
        'echo 0 0 0 0 0 0 0 > /proc/self/fd/"$result"\n'
    )
    measurer.chmod(0o755)
    monkeypatch.setenv("MALLARD_COLLECTOR", str(collector))
    monkeypatch.setenv("MALLARD_MEASURE", str(measurer))
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


def test_names_the_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output of the program, and the result, may have been cut off."""
    monkeypatch.setattr(os, "fstatvfs", lambda _: SimpleNamespace(f_blocks=100, f_bavail=0))
    with tempfile.TemporaryFile() as result, pytest.raises(UsageError, match=r"is full; .* or set TMPDIR"):
        read_result(result, "server", 0)
