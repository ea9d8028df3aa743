"""Allocators of other projects that this machine has, so that they can be measured beside the library's."""

from __future__ import annotations

import re
from typing import Any

from mallard.doctor.finding import Finding, State, System
from mallard.mallocs import MALLOCS, Malloc

GROUP = "contenders"
INCLUDE = ("/usr/local/include", "/usr/include")
LIBRARIES = ("/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu*")


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [
        boost(system),
        header(system, "foonathan", "foonathan_memory/*/*/memory_pool.hpp", "libfoonathan-memory-dev"),
        header(system, "Loki", "loki/SmallObj.h", "libloki-dev"),
        *(whole_process(system, each) for each in MALLOCS.values()),
    ]


def boost(system: System) -> Finding:
    where = system.any(*(f"{folder}/boost/container/allocator.hpp" for folder in INCLUDE))
    if where is None:
        return Finding(GROUP, "Boost.Container", State.MISSING, "none", "apt-get install libboost-dev")
    text = (where.parents[1] / "version.hpp").read_text(encoding="utf-8")
    version = re.search(r'BOOST_LIB_VERSION "([\d_]+)"', text)
    value = version[1].replace("_", ".") if version else str(where)
    return Finding(GROUP, "Boost.Container", State.OK, value)


def header(system: System, name: str, pattern: str, package: str) -> Finding:
    where = system.any(*(f"{folder}/{pattern}" for folder in INCLUDE))
    if where is None:
        return Finding(GROUP, name, State.MISSING, "none", f"apt-get install {package}")
    return Finding(GROUP, name, State.OK, str(where))


def whole_process(system: System, malloc: Malloc) -> Finding:
    """A malloc that `mallard bench --malloc` can put in the place of the C library's."""
    where = system.any(*(f"{folder}/{malloc.library}*" for folder in LIBRARIES))
    if where is None:
        remedy = f"apt-get install {malloc.package}, which ./mallard bench --malloc {malloc.name} does"
        return Finding(GROUP, malloc.name, State.MISSING, "none", remedy)
    return Finding(GROUP, malloc.name, State.OK, str(where))
