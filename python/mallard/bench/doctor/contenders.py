"""The allocators of other projects on this machine, which can be compared with mallard's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mallard.bench.contenders import LIBRARIES, Library
from mallard.bench.doctor.finding import Finding, State, System
from mallard.shared.mallocs import MALLOCS, Malloc, package_name
from mallard.shared.version import bench_command

GROUP = "contenders"
INCLUDE = ("/usr/local/include", "/usr/include")
LIBRARY_FOLDERS = ("/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu*")
BOOST = "boost/"


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [
        *(linked_with(system, library) for library in LIBRARIES.values() if library.package),
        *(preloadable(system, malloc) for malloc in MALLOCS.values()),
    ]


def linked_with(system: System, library: Library) -> Finding:
    """A library whose allocators are built into the runner if it is installed."""
    topic = library.topic
    header = system.any(*(f"{folder}/{library.header}" for folder in INCLUDE))
    linked = not library.file or _library(system, library.file) is not None
    if header is None or not linked:
        remedy = f"apt-get install {library.package}, then {bench_command()} builds it in"
        return Finding(GROUP, topic, State.MISSING, "none", remedy)
    return Finding(GROUP, topic, State.OK, _version(header, library) or str(header))


def preloadable(system: System, malloc: Malloc) -> Finding:
    """A malloc that `mallard bench EXPERIMENT --malloc` can preload."""
    where = _library(system, malloc.library)
    if where is None:
        remedy = f"apt-get install {package_name(malloc.name)}"
        return Finding(GROUP, malloc.name, State.MISSING, "none", remedy)
    return Finding(GROUP, malloc.name, State.OK, str(where))


def _library(system: System, beginning: str) -> Path | None:
    return system.any(*(f"{folder}/{beginning}*" for folder in LIBRARY_FOLDERS))


def _version(header: Path, library: Library) -> str:
    """Boost's version, from its version header; empty for other libraries, or without that header."""
    if not library.header.startswith(BOOST):
        return ""
    root = header.parents[library.header.count("/") - 1]
    try:
        text = (root / "version.hpp").read_text(encoding="utf-8")
    except OSError:
        return ""
    match = re.search(r'BOOST_LIB_VERSION "([\d_]+)"', text)
    return match[1].replace("_", ".") if match else ""
