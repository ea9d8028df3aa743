"""Temporary folders. A process that is killed leaves its folders behind; the next command removes them.

Data model: the name has the number of the process, which holds a lock on the folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

# `record`: the link of mallard-record (preloading.cpp).
NAME = re.compile(
    r"mallard-(advise|age|budget|preload|record|scratch|trial|try|verify)-(?P<process>[1-9]\d*)-\w+"
)


@contextlib.contextmanager
def scratch_folder(purpose: str) -> Iterator[str]:
    """Yields an empty folder, and removes it after the block."""
    prefix = f"mallard-{purpose}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            mark_as_in_use(lock)
            yield folder
        finally:
            os.close(lock)


def mark_as_in_use(descriptor: int) -> None:
    """The lock tells another PID namespace with the same folder that the process is alive."""
    with contextlib.suppress(OSError):  # of a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def remove_abandoned() -> None:
    """Removes the temporary folders of this user whose process is dead."""
    remove = partial(shutil.rmtree, ignore_errors=True)
    remove_of_dead_processes(tempfile.gettempdir(), NAME, stat.S_ISDIR, remove)


def remove_of_dead_processes(
    folder: str | Path, name: re.Pattern[str], is_kind: Callable[[int], bool], remove: Callable[[str], object]
) -> None:
    """Removes the entries of this user with such a name and mode. `process` in the name is the number of the
    process that made the entry and holds a lock on it.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = name.fullmatch(entry.name)
            if match and not _is_alive(int(match["process"])):
                _remove_unlocked(entry.path, is_kind, remove)


def _remove_unlocked(path: str, is_kind: Callable[[int], bool], remove: Callable[[str], object]) -> None:
    with contextlib.suppress(OSError):  # gone, a link, or locked
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            if status.st_uid == os.geteuid() and is_kind(status.st_mode):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(path)
        finally:
            os.close(descriptor)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
