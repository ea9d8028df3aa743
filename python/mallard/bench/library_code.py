"""A hash of the library code that the benchmark measures, which shows if stored figures are outdated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mallard.shared.version import hash_code, source_root

# The runner's code begins here, and includes the code that it measures.
FOLDERS = ("bench", "src")
# It includes every header, so following it would add code that is not measured.
UMBRELLA = "mallard/mallard.hpp"
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"](mallard/[^>"]+)[>"]', re.MULTILINE)


@cache
def fingerprint() -> str:
    """The hash of the source tree's library; empty without a source tree, as in an installed package."""
    return hash_sources(source_root())


def hash_sources(root: Path) -> str:
    """Twelve digits of a hash over the library's files that the runner is built from."""
    return hash_code(root, measured_files(root))


def measured_files(root: Path) -> list[Path]:
    """The library's sources, and its headers that they or the runner include, directly or indirectly."""
    sources = [
        file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in (".hpp", ".cpp")
    ]
    files = {file for file in sources if file.is_relative_to(root / "src")}
    waiting = sources
    while waiting:
        for header in included(waiting.pop(), root):
            if header not in files:
                files.add(header)
                waiting.append(header)
    return sorted(files)


def included(file: Path, root: Path) -> Iterator[Path]:
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        header = root / "include" / name
        if name != UMBRELLA and header.is_file():
            yield header
