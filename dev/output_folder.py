"""The folders that `mallard docs` and `mallard package` write."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mallard.shared.errors import UsageError


@contextlib.contextmanager
def replaced_folder(output: Path, mark: str) -> Iterator[Path]:
    """Yields a new folder, whose contents replace those of `output` unless the block raises. The file `mark`
    in `output` shows that an earlier call wrote it.

    Raises a UsageError if `output` holds anything else, or cannot be written. The folder itself stays: it may
    be the current one, a mount point or the target of a link.
    """
    output = output.resolve()
    try:
        if output.exists() and not output.is_dir():
            raise UsageError(f"{output} is a file; name a new folder with -o")
        is_new = not output.exists()
        if not is_new and not (output / mark).is_file() and any(output.iterdir()):
            problem = f"{output} holds other files, without a {mark}"
            raise UsageError(f"{problem}; name a new folder with -o, or move it")
        output.mkdir(parents=True, exist_ok=True)
        try:
            with tempfile.TemporaryDirectory(dir=output, prefix=".new-") as name:
                yield Path(name)
                # An interrupted replacement can be repeated.
                (output / mark).touch()
                _move_contents(Path(name), output, mark)
        finally:
            if is_new and not any(output.iterdir()):
                output.rmdir()
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error}; name another folder with -o") from error


def _move_contents(source: Path, output: Path, mark: str) -> None:
    for entry in list(output.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            if entry != source:
                shutil.rmtree(entry)
        elif entry.name != mark:
            entry.unlink()
    for entry in list(source.iterdir()):
        entry.rename(output / entry.name)
