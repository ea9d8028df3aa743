"""Writes a file completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mallard.errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Afterwards the file has the whole new text. On an error it is unchanged, with a UsageError."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory; give a file: -o FILE")
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no directory {path.parent}; make it first")
    partial: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            partial = Path(stream.name)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; give another file: -o FILE") from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
