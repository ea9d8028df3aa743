"""Files are written whole, through symbolic links too."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.shared.atomic_file import write_atomically
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
