"""Where this program's sources and its builds are, and its version, read from project() in CMakeLists.txt."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from mallard.shared import machine
from mallard.shared.errors import UsageError

COMMENT = re.compile(r"//[^\n]*")
# Of an installed package, which has what the benchmark's runner is built from.
PACKAGED_SOURCES = Path(__file__).resolve().parents[1] / "source"


def is_installed() -> bool:
    """True for a package that was installed, false in a clone."""
    return not os.environ.get("MALLARD_ROOT") and PACKAGED_SOURCES.is_dir()


def bench_command() -> str:
    """The command that measures, and builds what is missing for it."""
    return f"{'' if is_installed() else './'}mallard bench"


def rebuild_remedy(verb: str) -> str:
    """What to do about a native file of the advisor that does not fit or does not run."""
    return "reinstall mallard" if is_installed() else f"build it again: './mallard {verb}'"


def source_root() -> Path:
    """The source tree: $MALLARD_ROOT, set by ./mallard, or the tree that this package contains or is in."""
    if is_installed():
        return PACKAGED_SOURCES
    stated = os.environ.get("MALLARD_ROOT")
    return Path(stated) if stated else Path(__file__).resolve().parents[3]


def build_root() -> Path:
    """The folder with `build/`: the source tree, or, for an installed package, a folder in the user's cache.
    The runner is built for one processor, and machines may share the cache."""
    if not is_installed():
        return source_root()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")).absolute()
    facts = machine.facts()
    place = f"{PACKAGED_SOURCES} {facts['architecture']} {facts['cpu']} {facts['cpu_model']}"
    return cache / "mallard" / hashlib.sha256(place.encode()).hexdigest()[:12]


def hash_code(root: Path, files: Sequence[Path]) -> str:
    """Twelve digits of a hash over files of C++; empty without a file. Comments and blanks change no time, so
    they do not count.
    """
    sum_ = hashlib.sha256()
    for file in files:
        code = "".join(COMMENT.sub("", file.read_text(encoding="utf-8")).split())
        sum_.update(f"{file.relative_to(root).as_posix()}\n{code}\n".encode())
    return sum_.hexdigest()[:12] if files else ""


@cache
def version() -> str:
    build_file = source_root() / "CMakeLists.txt"
    if build_file.is_file():
        text = build_file.read_text(encoding="utf-8")
        match = re.search(r"^\s+VERSION (\d+\.\d+\.\d+)$", text, re.MULTILINE)
        if match:
            return match[1]
    try:
        return metadata.version("mallard")
    except metadata.PackageNotFoundError:
        raise UsageError(
            f"no version found: {build_file} has none and mallard is not installed; "
            "run the program by ./mallard of the source tree, or install it by `pip install .`"
        ) from None
