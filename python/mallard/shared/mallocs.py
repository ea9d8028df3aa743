"""Mallocs that are preloaded into the runner, and serve its global allocator.

A strategy under one of them has a suffix, `new-delete@jemalloc`. A name without a suffix means the C
library's malloc. P0089, section 2, mentions several mallocs. Besides Debian's, `--malloc` takes the file
of any library that has a malloc: PATH, or NAME=PATH.
"""

from __future__ import annotations

import mmap
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mallard.shared import preload
from mallard.shared.errors import UsageError

OWN = "glibc"
MALLOC_MARK = "@"
MULTIARCH = "usr/lib/*-linux-*"  # below the root
SYSTEM_SECONDS = 10  # for a program of the system


@dataclass(frozen=True)
class Malloc:
    name: str
    package: str  # Debian 12's; `package_name` has the name on this machine
    library: str  # the beginning of the file's name
    message: bytes  # the beginning of its messages, in each executable with it


MALLOCS = {
    malloc.name: malloc
    for malloc in (
        Malloc("jemalloc", "libjemalloc2", "libjemalloc.so", b"<jemalloc>: "),
        Malloc("mimalloc", "libmimalloc2.0", "libmimalloc.so", b"mimalloc: "),
        Malloc("tcmalloc", "libtcmalloc-minimal4", "libtcmalloc_minimal.so", b"tcmalloc: "),
    )
}
NAMES = (OWN, *MALLOCS)
# glibc's malloc with tunables, by a name of its own: `glibc:arena_max=1:top_pad=64M`.
SWITCH_MARK = f"{OWN}:"
TUNABLES_VARIABLE = "GLIBC_TUNABLES"
TUNABLES = (
    *("arena_max", "arena_test", "hugetlb", "mmap_max", "mmap_threshold", "mxfast", "tcache_count"),
    *("tcache_max", "tcache_unsorted_limit", "top_pad", "trim_threshold"),
)
_files: dict[str, Path] = {}  # the libraries that --malloc gave as files


@cache
def package_name(malloc: str) -> str:
    """The Debian package of a malloc as this machine's archive names it: libmimalloc2.0 or libmimalloc3.
    archive_name in ./mallard finds the same one.
    """
    package = MALLOCS[malloc].package
    stem = re.sub(r"[\d.]+(t64)?$", "", package)
    names = [name for name in _archive_names(stem) if re.fullmatch(re.escape(stem) + r"\d[\d.]*(t64)?", name)]
    return package if package in names else max(names, key=_version_key, default=package)


def _archive_names(beginning: str) -> list[str]:
    """The packages that apt knows by a name with this beginning; empty without apt or without its lists."""
    return _output("apt-cache", "pkgnames", beginning).split()


def own_name(file: str) -> str:
    """The name of the malloc that a process found in this file, without a preloaded one."""
    name = os.path.basename(file)
    if not name or re.match(r"libc[.-]", name):
        return OWN
    known = next((malloc for malloc in MALLOCS if name.startswith(f"lib{malloc}")), name)
    return f"the program's own {known}"


def linked_into(executable: str) -> str:
    """The malloc inside an executable, found even without its symbols; empty if there is none."""
    try:
        with open(executable, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as contents:
            return next((name for name, malloc in MALLOCS.items() if contents.find(malloc.message) >= 0), "")
    except (OSError, ValueError):  # not readable, or empty
        return ""


def same_file(library: str, other: str) -> bool:
    try:
        return os.path.samefile(library, other)
    except OSError:
        return False


def is_file(item: str) -> bool:
    """True if an item of --malloc is PATH or NAME=PATH."""
    return "/" in item or "=" in item


def register_file(item: str) -> str:
    """Registers the library of PATH or NAME=PATH, and returns its name. The default name is the file's:
    libmimalloc.so.3.3 is mimalloc-3.3.
    """
    named, separator, text = item.rpartition("=")
    path = Path(text).expanduser().absolute()
    name = named.strip() or re.sub(r"^lib(?=.)|\.so$", "", path.name.replace(".so.", "-"))
    _refuse_if_wrong(item, name, path, has_name=bool(separator))
    _files[name] = path
    return name


def is_switch(malloc: str) -> bool:
    return malloc.startswith(SWITCH_MARK)


def tunables(malloc: str) -> str:
    """The value of GLIBC_TUNABLES: `glibc.malloc.arena_max=1`; empty for other names."""
    if not is_switch(malloc):
        return ""
    settings = (part.partition("=") for part in malloc.removeprefix(SWITCH_MARK).split(":"))
    return ":".join(f"glibc.malloc.{name}={_number(value)}" for name, _, value in settings)


def title(malloc: str) -> str:
    """As sentences name it: `glibc with arena_max=1`."""
    if not is_switch(malloc):
        return malloc
    return f"{OWN} with {' and '.join(malloc.removeprefix(SWITCH_MARK).split(':'))}"


def _number(value: str) -> int:
    """`64M` -> 67108864. Raises a ValueError."""
    shift = {"K": 10, "M": 20, "G": 30}.get(value[-1:], 0)
    return int(value[:-1] if shift else value) << shift


def with_tunables(added: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with tunables of glibc. The user's precede, so that ours count."""
    every = ":".join(filter(None, (environment.get(TUNABLES_VARIABLE, ""), added)))
    return {**environment, TUNABLES_VARIABLE: every} if added else {**environment}


def selected(text: str, option: str, *, switches: bool = False) -> list[str]:
    """The names in a comma-separated list. Registers files; refuses unknown names. With `switches`, glibc
    may have tunables.
    """
    chosen = []
    for item in (item.strip() for item in text.split(",")):
        if switches and is_switch(item):
            _refuse_unknown_tunables(item, option)
            chosen.append(item)
        elif is_file(item):
            chosen.append(register_file(item))
        elif item in NAMES:
            chosen.append(item)
        else:
            raise UsageError(
                f"{option} '{item}' is not a known malloc; allowed are {', '.join(NAMES)}, and "
                "NAME=FILE of a library that has a malloc"
            )
    return list(dict.fromkeys(chosen))


def _refuse_unknown_tunables(item: str, option: str) -> None:
    for part in item.removeprefix(SWITCH_MARK).split(":"):
        name, _, value = part.partition("=")
        if name not in TUNABLES or not re.fullmatch(r"[0-9]{1,10}[KMG]?", value):
            raise UsageError(
                f"{option} '{item}': '{part}' is not a setting of glibc's malloc; give NAME=NUMBER, such as "
                f"top_pad=64M, with a name of {', '.join(TUNABLES)}"
            )


def file_names(names: Iterable[str]) -> dict[str, str]:
    """The file names of the mallocs that --malloc named as files."""
    return {name: _files[name].name for name in names if name in _files}


def is_from_file(strategy: str) -> bool:
    """True if the strategy runs under a malloc that --malloc named as a file."""
    return split(strategy)[1] in _files


def _refuse_if_wrong(item: str, name: str, path: Path, *, has_name: bool) -> None:
    prefix = f"--malloc '{item}'"
    allowed = "give the file of a library that has a malloc, as in --malloc mimalloc3=/opt/libmimalloc.so"
    if not path.is_file():
        raise UsageError(f"{prefix}: there is no file {path}; {allowed}")
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            raise UsageError(f"{prefix}: {path} is not a shared library; {allowed}")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
        raise UsageError(f"{prefix}: '{name}' is not a valid name; use letters, digits, dots, plus and minus")
    if name in NAMES or _files.get(name, path) != path:
        another = "another name" if has_name else f"it a name, as in --malloc {name}-2={path}"
        raise UsageError(f"{prefix}: '{name}' is the name of another malloc; give {another}")


def under(strategy: str, malloc: str) -> str:
    return strategy if malloc == OWN else f"{strategy}{MALLOC_MARK}{malloc}"


def split(strategy: str) -> tuple[str, str]:
    """`new-delete@jemalloc` -> (`new-delete`, `jemalloc`); the second is empty without a suffix."""
    plain, _, malloc = strategy.partition(MALLOC_MARK)
    return plain, malloc


def find_library(malloc: str) -> Path | None:
    """The file to preload: from --malloc, the dynamic linker's cache, or a standard folder."""
    if malloc in _files:
        return _files[malloc]
    beginning = MALLOCS[malloc].library
    return _best(_known_to_linker(), beginning) or _best(Path("/").glob(f"{MULTIARCH}/*.so*"), beginning)


def is_available(malloc: str) -> bool:
    return malloc == OWN or is_switch(malloc) or find_library(malloc) is not None


def require_library(malloc: str) -> Path | None:
    """The file to preload, or None for the C library's malloc. Raises a UsageError if it is not installed."""
    if not is_available(malloc):
        package = package_name(malloc)
        raise UsageError(
            f"{malloc} is not installed, so nothing can be compared with it; install {package}, or leave it "
            "out of --global"
        )
    return None if malloc == OWN or is_switch(malloc) else find_library(malloc)


def how_to_use(malloc: str, words: Sequence[str]) -> str:
    """The line to type for a program under this malloc, and the Debian package of the malloc."""
    if malloc == OWN:
        return f"{shlex.join(words)}, with no malloc preloaded"
    if is_switch(malloc):
        return f"{TUNABLES_VARIABLE}={tunables(malloc)} {shlex.join(words)}"
    library = find_library(malloc) or MALLOCS[malloc].library
    package = f"; the library is in Debian's package {package_name(malloc)}" if malloc in MALLOCS else ""
    return f"{preload.VARIABLE}={shlex.quote(str(library))} {shlex.join(words)}{package}"


def environment(strategy: str) -> dict[str, str]:
    """The environment of a process that measures this strategy."""
    _, malloc = split(strategy)
    if not malloc:
        return dict(os.environ)
    users = os.environ.get(preload.VARIABLE, "")
    library = find_library(malloc)
    libraries = preload.preload_list([library], users) if library else f"{MALLOCS[malloc].library}:{users}"
    return {**os.environ, preload.VARIABLE: libraries}


@cache
def _known_to_linker() -> list[Path]:
    """The libraries that ldconfig lists. Its folder is often not in PATH."""
    program = shutil.which("ldconfig") or shutil.which("ldconfig", path="/sbin:/usr/sbin")
    listed = _output(program, "-p") if program else ""
    return [Path(path) for path in re.findall(r"=> (/\S+)$", listed, re.MULTILINE)]


def _output(*words: str) -> str:
    """What a program of the system prints; empty if it cannot run."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, timeout=SYSTEM_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _best(files: Iterable[Path], beginning: str) -> Path | None:
    """The file with the longest version in its name. The plain name is of a development package."""
    candidates = [file for file in files if file.name.startswith(beginning) and file.is_file()]
    return max(candidates, key=lambda file: _version_key(file.name), default=None)


def _version_key(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]
