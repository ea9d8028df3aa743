"""Other mallocs for a whole process: preloaded into the runner, they serve its global allocator.

The name of a strategy under one of them has a suffix, `new-delete@jemalloc`. A name without one means the C
library's malloc. P0089, section 2, mentions trials of several. Besides Debian's, `--malloc` takes the file
of any library that has a malloc: PATH, or NAME=PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mallard import preload
from mallard.errors import UsageError
from mallard.strategy_names import MALLOC_MARK, of_papers

OWN = "glibc"
# Strategies that allocate from the process's malloc directly.
GLOBAL_STRATEGIES = of_papers(1, 2)
MULTIARCH = "usr/lib/*-linux-*"  # below the root
LDCONFIG_SECONDS = 10


@dataclass(frozen=True)
class Malloc:
    name: str
    package: str  # Debian 12's
    library: str  # the beginning of the file's name


MALLOCS = {
    each.name: each
    for each in (
        Malloc("jemalloc", "libjemalloc2", "libjemalloc.so"),
        Malloc("mimalloc", "libmimalloc2.0", "libmimalloc.so"),
        Malloc("tcmalloc", "libtcmalloc-minimal4", "libtcmalloc_minimal.so"),
    )
}
NAMES = (OWN, *MALLOCS)
_given: dict[str, Path] = {}  # the libraries that --malloc gave as files


def is_file(item: str) -> bool:
    """True if an item of --malloc is PATH or NAME=PATH."""
    return "/" in item or "=" in item


def give(item: str) -> str:
    """Makes the library of PATH or NAME=PATH known, and returns its name. The default comes from the file:
    libmimalloc.so.3.3 is mimalloc-3.3.
    """
    named, separator, text = item.rpartition("=")
    path = Path(text).expanduser().absolute()
    name = named.strip() or re.sub(r"^lib(?=.)|\.so$", "", path.name.replace(".so.", "-"))
    _refuse_if_wrong(item, name, path, has_name=bool(separator))
    _given[name] = path
    return name


def selected(text: str, option: str) -> list[str]:
    """The names in a list with commas; files become known by theirs. Refuses unknown names."""
    chosen = []
    for item in (item.strip() for item in text.split(",")):
        if is_file(item):
            chosen.append(give(item))
        elif item in NAMES:
            chosen.append(item)
        else:
            raise UsageError(
                f"{option} '{item}' is no malloc that is known; allowed are {', '.join(NAMES)}, and "
                "NAME=FILE of a library that has a malloc"
            )
    return list(dict.fromkeys(chosen))


def given(names: Iterable[str]) -> dict[str, str]:
    """The names of the files of those that --malloc gave as files."""
    return {name: _given[name].name for name in names if name in _given}


def is_given(strategy: str) -> bool:
    """Whether it is measured under a malloc that was named by its file."""
    return split(strategy)[1] in _given


def _refuse_if_wrong(item: str, name: str, path: Path, *, has_name: bool) -> None:
    said = f"--malloc '{item}'"
    allowed = "give the file of a library that has a malloc, as in --malloc mimalloc3=/opt/libmimalloc.so"
    if not path.is_file():
        raise UsageError(f"{said}: there is no file {path}; {allowed}")
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            raise UsageError(f"{said}: {path} is no shared library; {allowed}")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
        raise UsageError(f"{said}: '{name}' is no name; use letters, digits, dots, plus and minus")
    if name in NAMES or _given.get(name, path) != path:
        another = "another name" if has_name else f"it a name, as in --malloc {name}-2={path}"
        raise UsageError(f"{said}: '{name}' is the name of another malloc; give {another}")


def under(strategy: str, malloc: str) -> str:
    return strategy if malloc == OWN else f"{strategy}{MALLOC_MARK}{malloc}"


def split(strategy: str) -> tuple[str, str]:
    """`new-delete@jemalloc` -> (`new-delete`, `jemalloc`); the second is empty without a suffix."""
    plain, _, malloc = strategy.partition(MALLOC_MARK)
    return plain, malloc


def find_library(malloc: str) -> Path | None:
    """The file to preload: given by --malloc, known to the dynamic linker, or in a usual folder."""
    if malloc in _given:
        return _given[malloc]
    beginning = MALLOCS[malloc].library
    return _best(_known_to_linker(), beginning) or _best(Path("/").glob(f"{MULTIARCH}/*.so*"), beginning)


def is_there(malloc: str) -> bool:
    return malloc == OWN or find_library(malloc) is not None


def library_of(malloc: str) -> Path | None:
    """The file to preload, None for the program's own. A malloc that is missing is never replaced by that."""
    if not is_there(malloc):
        package = MALLOCS[malloc].package
        raise UsageError(
            f"{malloc} is not installed, so nothing can be compared with it; install {package}, or leave it "
            "out of --global"
        )
    return None if malloc == OWN else find_library(malloc)


def environment(strategy: str) -> dict[str, str]:
    """The environment of the process that measures this strategy."""
    _, malloc = split(strategy)
    if not malloc:
        return dict(os.environ)
    users = os.environ.get(preload.VARIABLE, "")
    library = find_library(malloc)
    libraries = preload.preload_list([library], users) if library else f"{MALLOCS[malloc].library}:{users}"
    return {**os.environ, preload.VARIABLE: libraries}


@cache
def _known_to_linker() -> list[Path]:
    """The libraries that ldconfig lists. It needs no rights, but its folder is often not in PATH."""
    program = shutil.which("ldconfig") or shutil.which("ldconfig", path="/sbin:/usr/sbin")
    if program is None:
        return []
    try:
        told = subprocess.run(
            [program, "-p"], capture_output=True, text=True, timeout=LDCONFIG_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [Path(found) for found in re.findall(r"=> (/\S+)$", told.stdout, re.MULTILINE)]


def _best(files: Iterable[Path], beginning: str) -> Path | None:
    """The file with its version in the name. The plain name belongs to a package for development."""
    found = [file for file in files if file.name.startswith(beginning) and file.is_file()]
    return max(found, key=lambda file: (len(file.name), file.name), default=None)
