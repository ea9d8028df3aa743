"""Temporary folders of dead processes are removed; those of others stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mallard.shared.scratch import remove_abandoned, scratch_folder

KILLED = """import os, signal
from mallard.shared.scratch import scratch_folder
with scratch_folder("trial") as folder:
    open(folder + "/report", "w").close()
    print(os.path.basename(folder), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def killed_process(place: Path) -> Path:
    """The folder that a killed process leaves."""
    environment = {**os.environ, "TMPDIR": str(place), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=environment, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    return place / done.stdout.strip()


def test_removes_the_folder_of_a_killed_process(place: Path) -> None:
    folder = killed_process(place)
    assert (folder / "report").exists()
    remove_abandoned()
    assert not folder.exists()


def test_keeps_the_folder_of_a_running_process(place: Path) -> None:
    with scratch_folder("advise") as folder:
        remove_abandoned()
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)


def test_keeps_what_is_not_its_own(place: Path) -> None:
    dead = killed_process(place).name.split("-")[2]
    trial = f"mallard-trial-{dead}"
    folders = [f"mallard-results-{dead}-x", trial, f"{trial}-x.bak", "mallard-trial-0-x"]
    for name in folders:
        (place / name).mkdir()
    target = place / "target"
    target.mkdir()
    (place / f"{trial}-link").symlink_to(target)
    (place / f"{trial}-file").touch()
    remove_abandoned()
    remaining = {path.name for path in place.iterdir()}
    assert {*folders, "target", f"{trial}-link", f"{trial}-file"} <= remaining


def test_keeps_the_folder_of_another_user(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = killed_process(place)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    remove_abandoned()
    assert folder.exists()


def test_keeps_a_locked_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a process that has another number here, as in a container."""
    with scratch_folder("advise") as folder:
        monkeypatch.setattr("mallard.shared.scratch._is_alive", lambda process: False)
        remove_abandoned()
        assert os.path.isdir(folder)
