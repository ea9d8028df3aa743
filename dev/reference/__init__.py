"""The browsable reference: Doxygen over the headers, the examples, README and docs/ of a source tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dev.reference.mended import mend
from mallard.shared.errors import UsageError

DOXYFILE = Path("docs/reference/Doxyfile")
FILTER = Path(__file__).with_name("doxygen_input.py")
MARK = "doxygen.css"  # identifies the folder of an earlier reference


def build(root: Path, output: Path, version: str) -> int:
    """Puts the reference into `output`, in place of an earlier one. Returns the number of pages.

    Doxygen's warnings go to standard error. Raises a UsageError if `output` holds anything else, or if
    Doxygen is missing or finds a fault.
    """
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file; name a new folder for the reference")
    if output.exists() and not (output / MARK).is_file() and not _empty(output):
        raise UsageError(f"{output} holds other files; name a new folder for the reference")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".reference-") as folder:
        built = Path(folder) / "made"
        built.mkdir()
        _run_doxygen(root, built, version)
        pages = mend(built)
        if output.exists():
            shutil.rmtree(output)
        built.rename(output)
    return pages


def _empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _run_doxygen(root: Path, output: Path, version: str) -> None:
    settings = (root / DOXYFILE).read_text(encoding="utf-8")
    settings += f'\nOUTPUT_DIRECTORY = "{output.resolve()}"\nPROJECT_NUMBER = {version}\n'
    try:
        done = subprocess.run(
            ["doxygen", "-"],
            input=settings,
            cwd=root,
            env={**os.environ, "MALLARD_FILTER": f"'{sys.executable}' '{FILTER}'"},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("doxygen is not installed: apt-get install doxygen") from None
    if done.returncode != 0:
        raise UsageError(f"doxygen stopped with exit status {done.returncode}:\n{done.stderr.rstrip()}")
    sys.stderr.write(done.stderr)
