"""The files of a source tree that no build made."""

from __future__ import annotations

import subprocess
from pathlib import Path

MADE = {".git", "build", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


def own_files(root: Path) -> list[Path]:
    """Paths from the root, sorted: the files that git knows or would add; without git, all that no build
    made."""
    listing = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
        names = [Path(name) for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [name for name in names if not MADE & set(name.parts)]
    return sorted({name for name in names if (root / name).is_file()})
