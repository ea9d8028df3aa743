"""The library's version, sources and headers, as CMakeLists.txt and the folder include/ list them."""

from __future__ import annotations

import re
from pathlib import Path

VERSION = re.compile(r"^ +VERSION (\d+\.\d+\.\d+)$", re.MULTILINE)
SOURCE = re.compile(r"^(?: +|set\(\w+ )(src/mallard/[\w/]+\.cpp)\)?$", re.MULTILINE)
PLATFORM = re.compile(r"\$\{MALLARD_PLATFORM_\w+\}")


def library_version(root: Path) -> str:
    """The version in project() of CMakeLists.txt. meson.build reads the same line. Raises a LookupError."""
    match = VERSION.search(_lists(root))
    if match is None:
        raise LookupError(f"{root / 'CMakeLists.txt'} has no line '  VERSION X.Y.Z'; restore it in project()")
    return match[1]


def library_sources(root: Path, platform: str = "posix") -> list[Path]:
    """The sources of the target mallard, from the root. meson.build reads the same lines."""
    return [Path(name) for name in SOURCE.findall(PLATFORM.sub(platform, _lists(root)))]


def _lists(root: Path) -> str:
    return (root / "CMakeLists.txt").read_text(encoding="utf-8")
