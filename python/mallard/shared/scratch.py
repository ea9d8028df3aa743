"""Temporary folders. A process that is killed leaves its folders behind; the next command removes them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator

# `record`: the link of mallard-record (preloading.cpp).
NAME = re.compile(r"mallard-(advise|age|budget|preload|record|scratch|trial|try|verify)-([1-9]\d*)-\w+")


@contextlib.contextmanager
def scratch_folder(purpose: str) -> Iterator[str]:
    """Yields an empty folder, and removes it after the block."""
    prefix = f"mallard-{purpose}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        # The lock tells another PID namespace with the same /tmp that the process is alive.
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with contextlib.suppress(OSError):  # of a file system without locks
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            yield folder
        finally:
            os.close(lock)


def remove_abandoned() -> None:
    """Removes the folders of this user whose process is dead."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            match = NAME.fullmatch(entry.name)
            if match and not _is_alive(int(match[2])):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    with contextlib.suppress(OSError):  # gone, a link, or locked
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(folder).st_uid == os.geteuid():
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(folder)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
