"""The browsable reference: Doxygen over the headers and the examples of a source tree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mallard.shared.errors import UsageError

DOXYFILE = Path("docs/site/Doxyfile")
FILTER = Path(__file__).with_name("doxygen_input.py")


def run_doxygen(root: Path, output: Path, version: str) -> None:
    """Puts the reference into `output`, a folder. Doxygen's warnings go to standard error."""
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
