"""The folders that commands replace: whose they are, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev.output_folder import replaced_folder
from mallard.shared.errors import UsageError

MARK = ".made"


def write(output: Path, *names: str) -> None:
    with replaced_folder(output, MARK) as new:
        for name in names:
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).touch()


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def fail(output: Path) -> None:
    with replaced_folder(output, MARK) as new:
        (new / "half").touch()
        raise UsageError("failed")


def test_replaces_an_earlier_result(tmp_path: Path) -> None:
    folder, other = tmp_path / "a/b", tmp_path / "other"
    write(folder, "old", "part/old")
    write(other, "kept")
    (folder / "link").symlink_to(other)
    write(folder, "new", "part/new")
    assert names(folder) == {MARK, "new", "part"}
    assert names(folder / "part") == {"new"}
    assert names(other) == {MARK, "kept"}


def test_keeps_the_files_of_others(tmp_path: Path) -> None:
    for name in ("SHA256SUMS", "searchindex.js"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=r"holds other files, without a \.made; name a new folder with -o"):
        write(tmp_path, "new")
    assert names(tmp_path) == {"SHA256SUMS", "searchindex.js"}


def test_a_failure_keeps_the_earlier_result(tmp_path: Path) -> None:
    write(tmp_path, "old")
    with pytest.raises(UsageError, match="failed"):
        fail(tmp_path)
    assert names(tmp_path) == {MARK, "old"}


def test_a_failure_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="failed"):
        fail(tmp_path / "a")
    assert names(tmp_path) == set()


@pytest.mark.parametrize("place", [".", "../link"])
def test_the_folder_itself_stays(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    before = folder.stat().st_ino
    monkeypatch.chdir(folder)
    for name in ("old", "new"):
        write(Path(place), name)
    assert names(folder) == {MARK, "new"}
    assert folder.stat().st_ino == before
    assert names(tmp_path) == {"folder", "link"}


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("letter", "letter is a file; name a new folder with -o"),
        ("letter/new", "letter/new cannot be written: .*Not a directory"),
    ],
)
def test_a_file_is_no_place(place: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(UsageError, match=problem):
        write(tmp_path / place, "new")
    assert (tmp_path / "letter").read_text() == "dear"
