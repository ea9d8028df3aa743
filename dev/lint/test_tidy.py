"""clang-tidy on the library and the advisor.

All public headers are read at once, in one file that includes them, and the advisor's programs by the unity
files of their preset, so that many sources share the cost of a header. The runner is left out: it has each
loop with each strategy, which takes clang-tidy minutes a file.
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
PRESET = "recording"
ADVISOR = tuple(f"advisor/{part}" for part in ("trace", "recorder", "profiler", "trial"))
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


def units() -> list[Path]:
    """The files to read, which have every source of the advisor once."""
    subprocess.run(["cmake", "--preset", PRESET], cwd=ROOT, check=True, capture_output=True)
    commands = json.loads((ROOT / "build" / PRESET / "compile_commands.json").read_text())
    remaining = {ROOT / file for part in ADVISOR for file in files("*.cpp", under=part)}
    selected = []
    for unit in (Path(command["file"]) for command in commands):
        if remaining & unit_sources(unit):
            remaining -= unit_sources(unit)
            selected.append(unit)
    return selected


def test_clang_tidy_on_the_advisor():
    arguments = (f"-p=build/{PRESET}", "--header-filter=advisor/", f"--extra-arg={WARNINGS}")
    with ThreadPoolExecutor(2) as threads:
        findings = list(threads.map(lambda unit: tidy(unit, *arguments), units()))
    assert findings, "no source was read"
    assert "".join(findings) == ""


def library_sources() -> list[Path]:
    """Those that this system can compile."""
    return [file for file in files("*.cpp", under="src") if not file.stem.endswith("_windows")]


@pytest.mark.parametrize("source", [None, *library_sources()], ids=str)
def test_clang_tidy(source, tmp_path):
    if source is None:
        source = tmp_path / "every_header.cpp"
        headers = [header.relative_to("include") for header in files("*.hpp", under="include")]
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
    assert tidy(source, "--", *FLAGS) == ""
