"""clang-tidy on the library and the advisor.

All public headers are read at once, in one file that includes them, and the sources by the unity files of a
build, so that many of them share the cost of a header. The runner is left out: it has each loop with each
strategy, which takes clang-tidy minutes a file.
"""

import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from source_tree import ROOT, files

TIDY = "clang-tidy-19"
WARNINGS = "-Wno-everything"
# Else the analyser follows no path of a function that the unity file does not have itself. Its deep mode
# takes five times as long, and found nothing more.
ANALYSER = ("-analyzer-opt-analyze-headers", "-analyzer-config", "mode=shallow")
ANALYSE_INCLUDED = [f"--extra-arg={word}" for option in ANALYSER for word in ("-Xclang", option)]
FLAGS = ("-std=c++20", WARNINGS, "-Iinclude", "-Isrc")
BUILD = ROOT / "build/tidy"
# Contracts are checked without NDEBUG.
CONFIGURE = ("cmake", "--preset", "advisor", "-B", BUILD, "-DCMAKE_CXX_FLAGS_RELEASE=-O1")
FOLDERS = (
    "src/mallard",
    *(f"advisor/{part}" for part in ("trace", "recorder", "collector", "profiler", "trial")),
)
# Of other systems and options: the build has another source in their place.
OTHER_SOURCES = (
    "advisor/recorder/system/newer_glibc.cpp",
    "src/mallard/core/failure_quiet.cpp",
    "src/mallard/platform/memory_plain.cpp",
    "src/mallard/platform/protection_plain.cpp",
    "src/mallard/platform/threads_none.cpp",
)
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which(TIDY) is None, reason=f"{TIDY} skipped: apt-get install {TIDY}")


def tidy(source: Path, *arguments: str) -> str:
    """The findings, or nothing."""
    command = [TIDY, "--quiet", "--config-file=.clang-tidy", str(source), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def unit_sources(unit: Path) -> set[Path]:
    """The sources that a unity file includes, or the source itself."""
    if not unit.is_relative_to(BUILD):
        return {unit}
    return set(map(Path, INCLUDED.findall(unit.read_text()))) if unit.is_file() else set()


def sources() -> set[Path]:
    """Those that this system can compile."""
    found = (file for folder in FOLDERS for file in files("*.cpp", under=folder))
    return {ROOT / file for file in found if not file.stem.endswith("_windows")}


def build_units() -> list[Path]:
    """The files to read, which have every source of the build once; the longest first."""
    subprocess.run(CONFIGURE, cwd=ROOT, check=True, capture_output=True)
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    remaining = sources()
    selected = {}
    for unit in (Path(command["file"]) for command in commands):
        if own := remaining & unit_sources(unit):
            remaining -= own
            selected[unit] = sum(source.stat().st_size for source in own)
    return sorted(selected, key=selected.__getitem__, reverse=True)


def test_clang_tidy_on_the_build():
    def findings(unit: Path) -> str:
        folders = {source.relative_to(ROOT).parts[0] for source in unit_sources(unit)}
        options = [f"-p={BUILD}", f"--extra-arg={WARNINGS}"]
        if "advisor" in folders:  # with some of the library's, or without
            return tidy(unit, *options, "--header-filter=(advisor|src/mallard)/")
        return tidy(unit, *options, "--header-filter=(include|src)/mallard/", *ANALYSE_INCLUDED)

    units = build_units()
    with ThreadPoolExecutor(2) as threads:
        assert "".join(threads.map(findings, units)) == ""
    read = {source for unit in units for source in unit_sources(unit)}
    assert sources() - read == {ROOT / source for source in OTHER_SOURCES}


@pytest.mark.parametrize("source", [None, *OTHER_SOURCES], ids=str)
def test_clang_tidy(source, tmp_path):
    if source is None:
        source = tmp_path / "every_header.cpp"
        headers = [header.relative_to("include") for header in files("*.hpp", under="include")]
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
    assert tidy(source, "--", *FLAGS) == ""
