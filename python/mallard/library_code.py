"""The code of the library that the benchmark measures, as a hash, so that figures know if they are older."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from mallard.version import source_root

FOLDERS = ("include", "src")
COMMENT = re.compile(r"//[^\n]*")


@cache
def fingerprint() -> str:
    """The hash of the source tree's library; empty if there is none, as beside an installed package."""
    return fingerprint_of(source_root())


def fingerprint_of(root: Path) -> str:
    """Twelve digits of a hash over files and their code. Comments and blanks change no time, so they do not
    count.
    """
    files = sorted(
        file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in (".hpp", ".cpp")
    )
    if not files:
        return ""
    sum_ = hashlib.sha256()
    for file in files:
        code = "".join(COMMENT.sub("", file.read_text(encoding="utf-8")).split())
        sum_.update(f"{file.relative_to(root).as_posix()}\n{code}\n".encode())
    return sum_.hexdigest()[:12]
