"""The source archive: the files that git knows, as they are in the working tree. The same tree makes the same
archive: sorted names, no owner, the time of the last commit."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path

from mallard.shared.errors import UsageError


def write_source_archive(root: Path, archive: Path, prefix: str) -> None:
    names = [name for name in _git(root, "ls-files", "-z").split("\0") if name]
    # A folder in the repository of another project has no names, or some of them.
    if not names or Path(_git(root, "rev-parse", "--show-toplevel").rstrip("\n")) != root.resolve():
        raise _unknown(root)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct"))

    def without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = seconds
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(names):
            if os.path.lexists(root / name):
                tar.add(root / name, f"{prefix}/{name}", recursive=False, filter=without_owner)


def _git(root: Path, *words: str) -> str:
    try:
        return subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        raise _unknown(root) from None


def _unknown(root: Path) -> UsageError:
    return UsageError(f"git does not know {root}; make a release in a clone, with git installed")
