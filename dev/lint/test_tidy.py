"""clang-tidy on the library, the runner and the advisor.

All public headers are read at once, in one file that includes them. The programs are read by the unity files
of their presets, so that many sources share the cost of a header.
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
FLAGS = ("-std=c++20", WARNINGS, "-Iinclude", "-Isrc")
# The parts of the tree, by the preset whose compile commands have them.
PROGRAMS = {
    "runner": ("bench/runner",),
    "recording": tuple(f"advisor/{part}" for part in ("trace", "recorder", "profiler", "trial")),
}
# The static analyzer takes minutes for a unit of the runner, which instantiates each loop with each strategy.
OMITTED = {"runner": ("--checks=-clang-analyzer-*",), "recording": ()}
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which(TIDY) is None, reason=f"{TIDY} skipped: apt-get install {TIDY}")


def tidy(source: Path, *arguments: str) -> str:
    """The findings, or nothing."""
    command = [TIDY, "--quiet", "--config-file=.clang-tidy", str(source), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def unit_sources(unit: Path) -> set[Path]:
    """The sources that a unity file includes, or the source itself."""
    if not unit.is_relative_to(ROOT / "build"):
        return {unit}
    return set(map(Path, INCLUDED.findall(unit.read_text()))) if unit.is_file() else set()


def units(preset: str) -> list[Path]:
    """The files to read, which have every source of the preset's parts once, without generated sources."""
    subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True, capture_output=True)
    commands = json.loads((ROOT / "build" / preset / "compile_commands.json").read_text())
    remaining = {ROOT / file for part in PROGRAMS[preset] for file in files("*.cpp", under=part)}
    selected = []
    for unit in (Path(command["file"]) for command in commands):
        if remaining & unit_sources(unit):
            remaining -= unit_sources(unit)
            selected.append(unit)
    return selected


@pytest.mark.parametrize("preset", PROGRAMS)
def test_clang_tidy_on_programs(preset):
    arguments = (
        f"-p=build/{preset}",
        "--header-filter=(bench|advisor)/",
        f"--extra-arg={WARNINGS}",
        *OMITTED[preset],
    )
    with ThreadPoolExecutor(2) as threads:
        findings = list(threads.map(lambda unit: tidy(unit, *arguments), units(preset)))
    assert findings, "no source was read"
    assert "".join(findings) == ""


@pytest.mark.parametrize("source", [None, *files("*.cpp", under="src")], ids=str)
def test_clang_tidy(source, tmp_path):
    if source is None:
        source = tmp_path / "every_header.cpp"
        headers = [header.relative_to("include") for header in files("*.hpp", under="include")]
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
    assert tidy(source, "--", *FLAGS) == ""
