"""The stage `suites`: the test suites of other libraries over mallard's allocators. apt-get and pip download
the sources to build/suite-sources; a suite that cannot be downloaded is skipped."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dev.check.command import Workplace
from dev.check.counts import Counts
from dev.check.stage import Stage, build_and_test

ALLOCATOR = (r"\bstd::allocator\b(?=[<,])", "suites::allocator")
"""The default allocator of a container, and that of tests/suites/allocator.hpp."""


@dataclass(frozen=True)
class Suite:
    name: str
    client: str
    """"binary" and "source" for a Debian package, "sdist" for a Python package."""
    package: str
    version: str
    members: tuple[str, ...]
    """The folders and files of the archive that are unpacked, as patterns of tar."""
    archive: str = ""
    """The path of an archive inside the binary package."""
    edits: tuple[tuple[str, str, str], ...] = ()
    """Files, a regular expression and the text that replaces its matches."""


SUITES = (
    Suite(
        "libstdcxx",
        "binary",
        "gcc-12-source",
        "12.2.0-14+deb12u1",
        ("*/libstdc++-v3/testsuite/20_util/*_resource/*", "*/libstdc++-v3/testsuite/util/testsuite*"),
        archive="usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz",
    ),
    Suite(
        "libcxx",
        "source",
        "llvm-toolchain-19",
        "1:19.1.7-3~deb12u1",
        ("*/libcxx/test/std/utilities/utility/mem.res/*", "*/libcxx/test/support/*"),
    ),
    Suite(
        "robin_map",
        "sdist",
        "nanobind",
        "3.1.0",
        ("*/ext/robin_map/*",),
        edits=(("**/*.h", *ALLOCATOR), ("**/*.cpp", *ALLOCATOR)),
    ),
    Suite(
        "colony",
        "source",
        "plf-colony",
        "7.10-1",
        ("*",),
        edits=(
            ("plf_colony.h", *ALLOCATOR),
            ("plf_colony_test_suite.cpp", "looper != 100;", "looper != 10;"),
        ),
    ),
    Suite(
        "json",
        "source",
        "nlohmann-json3",
        "3.11.2-2",
        ("*/include/*", "*/tests/src/*", "*/tests/thirdparty/doctest/*"),
        edits=(("**/json_fwd.hpp", *ALLOCATOR),),
    ),
)


class SuitesStage(Stage):
    def run(self, workplace: Workplace) -> Counts:
        counts, sources = Counts(), workplace.root / "build/suite-sources"
        for suite in SUITES:
            if not (sources / suite.name).is_dir() and not download(suite, workplace, sources):
                counts.skip(f"{suite.name} skipped: {suite.package} {suite.version} cannot be downloaded")
        if any((sources / suite.name).is_dir() for suite in SUITES):
            counts.add(build_and_test(workplace, self.name, ["suites"]))
        return counts


def download(suite: Suite, workplace: Workplace, sources: Path) -> bool:
    """Unpacks the suite. False if a client fails, because there is no such package here or no network."""
    with tempfile.TemporaryDirectory(dir=make_folder(sources)) as name:
        folder = Path(name)
        if not all(workplace.run(command) == 0 for command in download_commands(suite, folder)):
            return False
        archive = next(folder.glob(suite.archive or "*.tar.*"))
        unpacked = make_folder(folder / "unpacked")
        tar = ["tar", "-xf", str(archive), "-C", str(unpacked), "--wildcards", *suite.members]
        if workplace.run(tar) != 0:
            return False
        for pattern, old, new in suite.edits:
            for file in unpacked.glob(pattern):
                text = file.read_text(encoding="utf-8")
                file.write_text(re.sub(old, new, text), encoding="utf-8")
        unpacked.rename(sources / suite.name)
    return True


def download_commands(suite: Suite, folder: Path) -> list[list[str]]:
    if suite.client == "sdist":
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]
        return [[*pip, "--dest", str(folder), f"{suite.package}=={suite.version}"]]
    apt = ["env", "-C", str(folder), "apt-get", "-q", "-o", "APT::Sandbox::User=root"]
    package = f"{suite.package}={suite.version}"
    if suite.client == "binary":
        return [[*apt, "download", package], ["sh", "-c", 'dpkg-deb -x "$0"/*.deb "$0"', str(folder)]]
    apt += add_sources(folder)
    return [[*apt, "update"], [*apt, "source", "--download-only", "--tar-only", package]]


def add_sources(folder: Path) -> list[str]:
    """Options of apt-get for the source packages of the machine's Debian archives. The machine's own lists do
    not change."""
    targets = ["env", "apt-get", "indextargets", "Created-By: Packages", "Origin: Debian"]
    targets += ["--format", "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"]
    lines = subprocess.run(targets, capture_output=True, text=True, check=False).stdout
    (folder / "sources.list").write_text(lines, encoding="utf-8")
    make_folder(folder / "lists/partial")
    make_folder(folder / "cache/archives/partial")
    options = {
        "Dir::Etc::SourceList": folder / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder / "cache",
    }
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]


def make_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path
