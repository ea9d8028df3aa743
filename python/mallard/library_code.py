"""The code of the library that the benchmark measures, as a hash, so that figures know if they are older."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mallard.version import source_root

# The runner's code begins here, and includes the code that it measures.
FOLDERS = ("bench", "src")
# It includes everything, so it does not tell the measured code.
UMBRELLA = "mallard/mallard.hpp"
COMMENT = re.compile(r"//[^\n]*")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"](mallard/[^>"]+)[>"]', re.MULTILINE)


@cache
def fingerprint() -> str:
    """The hash of the source tree's library; empty if there is none, as beside an installed package."""
    return fingerprint_of(source_root())


def fingerprint_of(root: Path) -> str:
    """Twelve digits of a hash over the library's files that the runner is built from. Comments and blanks
    change no time, so they do not count.
    """
    sum_ = hashlib.sha256()
    files = measured_files(root)
    for file in files:
        code = "".join(COMMENT.sub("", file.read_text(encoding="utf-8")).split())
        sum_.update(f"{file.relative_to(root).as_posix()}\n{code}\n".encode())
    return sum_.hexdigest()[:12] if files else ""


def measured_files(root: Path) -> list[Path]:
    """The library's sources, and each header of it that they or the runner include, also through another."""
    sources = [
        file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in (".hpp", ".cpp")
    ]
    found = {file for file in sources if file.is_relative_to(root / "src")}
    waiting = sources
    while waiting:
        for header in included(waiting.pop(), root):
            if header not in found:
                found.add(header)
                waiting.append(header)
    return sorted(found)


def included(file: Path, root: Path) -> Iterator[Path]:
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        header = root / "include" / name
        if name != UMBRELLA and header.is_file():
            yield header
