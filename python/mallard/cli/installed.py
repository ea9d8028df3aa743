"""Builds the benchmark's runner of an installed package, from the package's sources and for this machine. The
advisor's programs come with the package. In a clone the front door builds both.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

from mallard.bench.doctor import toolchain
from mallard.bench.doctor.finding import State
from mallard.bench.runner import COMPILERS, NAME, WITH
from mallard.cli import native_build
from mallard.cli.needs import Needs
from mallard.shared.compilers import find_clang
from mallard.shared.errors import UsageError
from mallard.shared.native_file import SURVEY_RUNNER
from mallard.shared.version import PACKAGED_SOURCES, build_root, version

# Folders that change with the installed packages, which may have contenders.
PACKAGES = ("usr/include", "usr/local/include", "usr/local/lib", "usr/lib/*-linux-gnu*")


def build_runners(needs: Needs) -> None:
    """Builds what is missing or older than the package. Raises a UsageError that says what to install."""
    presets = [preset for preset in needs.presets if preset in (*COMPILERS.values(), WITH)]
    if not presets:
        return
    check_tools()
    compilers = {preset: find_compiler(preset) for preset in presets}
    root = build_root()
    try:
        make_tree(root)
        lock = (root / "build/setup.lock").open("a")
    except OSError as error:
        raise UsageError(
            f"cannot build in {root}: {error.strerror}; allow it, or name another folder in XDG_CACHE_HOME"
        ) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for preset, compiler in compilers.items():
            build(root, preset, SURVEY_RUNNER.name if needs.survey else NAME, compiler, needs.prefixes)


def check_tools() -> None:
    tools = (
        toolchain.chosen_compiler(),
        toolchain.cmake(),
        toolchain.program("build tool", ("ninja", "make"), "apt-get install ninja-build"),
    )
    missing = [f"{tool.topic} ({tool.value}): {tool.remedy}" for tool in tools if tool.state is State.MISSING]
    if missing:
        raise UsageError(f"the benchmark's runner is built on each machine; missing: {'; '.join(missing)}")


def find_compiler(preset: str) -> str:
    if preset == COMPILERS["clang++"]:
        path = find_clang("-stdlib=libstdc++", "defined(__GLIBCXX__)")
        if path is None:
            raise UsageError(
                "--compiler clang++: no clang++ 16 or later with libstdc++; apt-get install clang-19 g++"
            )
        return path
    return str(shutil.which(os.environ.get("CXX") or "c++"))


def make_tree(root: Path) -> None:
    """The package's folder may be read-only, so the builds are next to links to its sources."""
    (root / "build").mkdir(parents=True, exist_ok=True)
    for entry in PACKAGED_SOURCES.iterdir():
        link = root / entry.name
        if not link.is_symlink():
            link.symlink_to(entry)


def build(root: Path, preset: str, target: str, compiler: str, prefixes: str) -> None:
    name, number = toolchain.identify(compiler) or ("", "")
    log = root / "build/setup.log"
    changes = [path.stat().st_mtime_ns for pattern in PACKAGES for path in sorted(Path("/").glob(pattern))]
    if prefixes:
        os.environ["MALLARD_WITH"] = prefixes  # read by the preset release-with
    status = native_build.build(
        root,
        log,
        preset,
        target,
        (compiler, f"{name} {number}"),
        f"{version()} {compiler} {number} {changes} {prefixes}".rstrip(),
        [entry.name for entry in PACKAGED_SOURCES.iterdir()],
    )
    if status != 0:
        raise UsageError(f"the runner could not be built by {compiler}; the output is in {log}")
