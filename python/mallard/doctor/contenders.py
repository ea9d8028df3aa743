"""The other projects' allocators on this machine, which can be measured beside the library's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mallard.contenders import LIBRARIES, Library
from mallard.doctor.finding import Finding, State, System
from mallard.mallocs import MALLOCS, Malloc

GROUP = "contenders"
INCLUDE = ("/usr/local/include", "/usr/include")
LIBRARY_FOLDERS = ("/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu*")
BOOST = "boost/"


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [
        *(linked_with(system, each) for each in LIBRARIES.values() if each.package),
        *(whole_process(system, each) for each in MALLOCS.values()),
    ]


def linked_with(system: System, library: Library) -> Finding:
    """A library whose allocators are built into the runner if it is installed."""
    topic = library.topic
    header = system.any(*(f"{folder}/{library.header}" for folder in INCLUDE))
    linked = not library.file or _library(system, library.file) is not None
    if header is None or not linked:
        remedy = f"apt-get install {library.package}, then ./mallard bench builds it in"
        return Finding(GROUP, topic, State.MISSING, "none", remedy)
    return Finding(GROUP, topic, State.OK, _version(header, library) or str(header))


def whole_process(system: System, malloc: Malloc) -> Finding:
    """A malloc that `mallard bench EXPERIMENT --malloc` can put in the place of the C library's."""
    where = _library(system, malloc.library)
    if where is None:
        remedy = f"apt-get install {malloc.package}"
        return Finding(GROUP, malloc.name, State.MISSING, "none", remedy)
    return Finding(GROUP, malloc.name, State.OK, str(where))


def _library(system: System, beginning: str) -> Path | None:
    return system.any(*(f"{folder}/{beginning}*" for folder in LIBRARY_FOLDERS))


def _version(header: Path, library: Library) -> str:
    """Boost's version is in a header of its own; empty for other libraries, and if there is none."""
    if not library.header.startswith(BOOST):
        return ""
    root = header.parents[library.header.count("/") - 1]
    try:
        text = (root / "version.hpp").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r'BOOST_LIB_VERSION "([\d_]+)"', text)
    return found[1].replace("_", ".") if found else ""
