"""Files are written whole, through symbolic links too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mallard.shared.atomic_file import atomic_file, write_atomically
from mallard.shared.errors import UsageError


@pytest.mark.parametrize("exists", [True, False])
def test_writes_through_a_link(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if exists:
        (folder / "target").write_text("old")
    (tmp_path / "middle").symlink_to("elsewhere/target")
    (tmp_path / "link").symlink_to("middle")
    write_atomically(tmp_path / "link", "new")
    assert (folder / "target").read_text() == "new"
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in folder.iterdir()] == ["target"]


def test_refuses_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="loop is a link that leads to itself; give a file: -o FILE"):
        write_atomically(tmp_path / "loop", "new")
    (tmp_path / "dangling").symlink_to("missing/file")
    with pytest.raises(UsageError, match=r"there is no directory .*missing; make it first"):
        write_atomically(tmp_path / "dangling", "new")


KILLED = """import os, pathlib, signal, sys
from mallard.shared.atomic_file import atomic_file
with atomic_file(pathlib.Path(sys.argv[1])) as partial:
    partial.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_writer(path: Path) -> Path:
    """The partial file that a killed process leaves."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED, path], env=environment, check=False)
    assert done.returncode == -9
    (partial,) = path.parent.glob(".*")
    assert partial.read_text() == "half"
    return partial


def test_removes_the_partial_file_of_a_killed_process(tmp_path: Path) -> None:
    partial = killed_writer(tmp_path / "page.html")
    similar = [
        tmp_path / f"{partial.name}.bak",
        tmp_path / partial.name[1:],
        tmp_path / ".page.html.mallard-0-x",
    ]
    for path in similar:
        path.touch()
    write_atomically(tmp_path / "other", "new")
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "other", *similar])


def test_keeps_the_partial_file_of_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a process that has another number here, as in a container."""
    with atomic_file(tmp_path / "page.html") as partial:
        write_atomically(tmp_path / "other", "new")
        assert partial.exists()
        monkeypatch.setattr("mallard.shared.scratch._is_alive", lambda process: False)
        write_atomically(tmp_path / "other", "newer")
        assert partial.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "other"}


def test_long_names_have_a_partial_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("\N{DUCK}" * 63), "new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["new"]
