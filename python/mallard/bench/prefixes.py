"""Libraries that --with names by the prefix that each was installed to: `bde=/opt/bde`.

They have no package. The runner with them is built apart from that of other commands. A new library is a
LIBRARY in the runner's list with a header and without a package.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mallard.bench.contenders import GROUPS, LIBRARIES, Library
from mallard.shared.errors import UsageError

LIBRARY_FOLDERS = ("lib", "lib64", "lib/*-linux-*")
BY_PREFIX = {library.word: library for library in LIBRARIES.values() if library.by_prefix}
ALLOWED = ", ".join(f"{word}=PREFIX" for word in BY_PREFIX)


def selected_prefixes(text: str | None) -> dict[str, Path]:
    """The prefixes in a comma-separated list, by the word of the library. Raises a UsageError for one that
    lacks the library."""
    prefixes: dict[str, Path] = {}
    for item in text.split(",") if text is not None else ():
        word, equals, prefix = item.strip().partition("=")
        if word not in BY_PREFIX or not equals or not prefix:
            raise UsageError(f"--with '{item}' does not name a library and its prefix; allowed are {ALLOWED}")
        if word in prefixes:
            raise UsageError(f"--with '{text}': {word} has two prefixes; give one")
        prefixes[word] = _checked(item, Path(prefix).expanduser().absolute(), BY_PREFIX[word])
    return prefixes


def _checked(item: str, prefix: Path, library: Library) -> Path:
    remedy = f"give the prefix that {library.name} was installed to, with the folders include and lib"
    if ";" in str(prefix):
        raise UsageError(
            f"--with '{item}': CMake takes no path with a semicolon; install {library.name} elsewhere"
        )
    if not prefix.is_dir():
        raise UsageError(f"--with '{item}': there is no directory {prefix}; {remedy}")
    if not (prefix / "include" / library.header).is_file():
        raise UsageError(f"--with '{item}': {prefix}/include has no {library.header}; {remedy}")
    if not any(file for folder in LIBRARY_FOLDERS for file in prefix.glob(f"{folder}/{library.file}*")):
        raise UsageError(
            f"--with '{item}': {prefix}/lib has no {library.file}a or {library.file}so; {remedy}"
        )
    return prefix


def for_cmake(prefixes: dict[str, Path]) -> str:
    """The value of MALLARD_WITH."""
    return ";".join(f"{word}={prefix}" for word, prefix in prefixes.items())


def contenders_of(words: Iterable[str]) -> set[str]:
    """The strategies of the libraries with these words."""
    return {name for word in words for name in GROUPS[word]}
