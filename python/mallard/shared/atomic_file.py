"""Writes files atomically, through hidden partial files next to them. The next write to a folder removes the
partial files of killed processes.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mallard.shared.errors import UsageError
from mallard.shared.scratch import mark_as_in_use, remove_of_dead_processes

PARTIAL = re.compile(r"\..*\.mallard-(?P<process>[1-9]\d*)-\w+")


def write_atomically(path: Path, text: str, option: str = "-o") -> None:
    """Replaces the file's text. On an error the file is unchanged, and a UsageError is raised."""
    with atomic_file(path, option) as partial:
        partial.write_text(text, encoding="utf-8", newline="")


@contextlib.contextmanager
def atomic_file(path: Path, option: str = "-o", place: str = "FILE") -> Iterator[Path]:
    """Yields an empty file, which replaces `path`, or the file that a link names, unless the block raises.
    `place` is what the option takes.
    """
    check_writable(path, option)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    special = os.path.exists(path) and not os.path.isfile(path)  # pipes and devices are not replaced
    folder = Path(tempfile.gettempdir()) if special else path.parent
    remove_of_dead_processes(folder, PARTIAL, stat.S_ISREG, os.unlink)
    partial: Path | None = None
    descriptor = -1
    try:
        prefix = f".{path.name}"[:50] + f".mallard-{os.getpid()}-"
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=prefix)
        mark_as_in_use(descriptor)
        partial = Path(name)
        yield partial
        if special:
            with partial.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
        else:
            _settle(partial)
            partial.replace(path)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}; give another {place.lower()}: {option} "
            f"{place}"
        ) from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
            os.close(descriptor)


def check_writable(path: Path, option: str = "-o") -> None:
    """Raises a UsageError for a path that cannot be written, before there is anything to write."""
    if os.path.isdir(path):
        raise UsageError(f"{path} is a directory; give a file: {option} FILE")
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.is_symlink():
        raise UsageError(f"{path} is a link that leads to itself; give a file: {option} FILE")
    if not os.path.isdir(target.parent):
        raise UsageError(f"{path} cannot be written: there is no directory {target.parent}; make it first")


def _settle(partial: Path) -> None:
    descriptor = os.open(partial, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    partial.chmod(0o666 & ~_umask())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
