"""Debian's sources of a program, changed so that an allocator of a build serves it.

apt-get source -> foreign/NAME/allocator.patch -> CMakeLists.txt -> build/case_studies/programs/NAME.BUILD
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness import building
from harness.catalogue import NULL, OF_MALLARD
from harness.places import BUILD, STUDIES, sha256

BUILDS = (NULL, *OF_MALLARD)
SOURCES = BUILD / "sources"
LIST = "deb-src http://deb.debian.org/debian bookworm main\n"


@dataclass(frozen=True)
class Patch:
    name: str  # of the program
    package: str
    source: str  # Debian's source package
    scopes: tuple[str, ...]  # of local advice that the patch follows

    @property
    def file(self) -> Path:
        return STUDIES / "foreign" / self.name / "allocator.patch"

    def follows(self, scope: str | None) -> bool:
        """Whether the change is the one that advice on this scope asks for."""
        return (scope or "").partition("(")[0] in self.scopes


def binary(patch: Patch, build: str) -> Path:
    return BUILD / "programs" / f"{patch.name}.{build}"


def build(patches: list[Patch]) -> None:
    """Fetches what is not there, and compiles every build. Needs dpkg-dev, and the library's -dev package."""
    for patch in patches:
        version = _version(patch)
        wanted = f"{version} {sha256(patch.file)}"
        if _stamp(patch).is_file() and _stamp(patch).read_text(encoding="ascii") == wanted:
            continue
        folder = SOURCES / patch.name
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(patch, version, folder)
        _run(["patch", "-p1", "-i", str(patch.file)], folder)
        _stamp(patch).write_text(wanted, encoding="ascii")
    building.configure()
    building.build_targets([f"{patch.name}.{name}" for patch in patches for name in BUILDS])


def _stamp(patch: Patch) -> Path:
    return SOURCES / f"{patch.name}.patched"


def source_version(patch: Patch) -> str:
    """Of the unpacked sources."""
    first = (SOURCES / patch.name / "debian" / "changelog").read_text(encoding="utf-8").partition(")")[0]
    return first.partition("(")[2]


def _version(patch: Patch) -> str:
    """Of the sources of the installed program."""
    return _run(["dpkg-query", "-W", "-f", "${source:Version}", patch.package], STUDIES)


def _unpack(patch: Patch, version: str, folder: Path) -> None:
    """Neither the machine's list of sources nor its package lists are changed. The archive does not serve the
    sources of each security update; then its own version is built."""
    lists, archives = SOURCES / "lists", SOURCES / "archives" / patch.name
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(archives, ignore_errors=True)
    archives.mkdir(parents=True)
    sources = SOURCES / "sources.list"
    sources.write_text(LIST, encoding="ascii")
    options = [
        *("-o", f"Dir::Etc::SourceList={sources}"),
        *("-o", "Dir::Etc::SourceParts=/dev/null"),
        *("-o", f"Dir::State::Lists={lists}"),
    ]
    download = ["apt-get", *options, "source", "--download-only"]
    _run(["apt-get", *options, "update"], archives)
    try:
        _run([*download, f"{patch.source}={version}"], archives)
    except building.BuildError:
        _run([*download, patch.source], archives)
    (description,) = archives.glob("*.dsc")
    _run(["dpkg-source", "-x", str(description), str(folder)], archives)
    if source_version(patch) != version:
        print(f"{patch.name} is built from {patch.source} {source_version(patch)}; {version} is installed")


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise building.BuildError(f"{' '.join(command)} failed: {done.stderr.strip()[-400:]}")
    return done.stdout
