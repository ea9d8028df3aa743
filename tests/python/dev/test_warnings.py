"""Warnings are errors in continuous integration, by the compilers of Debian 12, and nowhere else."""

import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from source_tree import ROOT, files, text

PRESETS = json.loads(text(Path("CMakePresets.json")))["configurePresets"]
PLACES = (
    "cmake/mallard_options.cmake",
    "tests/compile/CMakeLists.txt",
    "tests/equipment/compiler_flags.py",
    "tests/python/dev/test_warnings.py",
)


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLARD_WERROR"}


def configured_commands(folder: Path, environment: dict[str, str]) -> str:
    command = ["cmake", "--preset", "debug", "-B", folder, "-DMALLARD_TESTS=OFF"]
    done = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / "compile_commands.json").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake: apt-get install cmake")
def test_a_preset_heeds_only_the_environment_of_now(tmp_path: Path) -> None:
    assert " -Werror " in configured_commands(tmp_path, {"MALLARD_WERROR": "ON"})
    assert " -Werror " not in configured_commands(tmp_path, {})


def test_no_preset_makes_warnings_errors_by_itself() -> None:
    values = {preset.get("cacheVariables", {}).get("MALLARD_WERROR") for preset in PRESETS}
    assert values == {None, "$penv{MALLARD_WERROR}"}


def test_no_other_file_makes_warnings_errors() -> None:
    sources = files("CMakeLists.txt", "*.cmake", "*.py", "*.json", "*.sh", "*.toml", "*.yaml")
    option = re.compile(r"(?<!-)-Werror\b(?!=)|WARNING_AS_ERROR")
    assert [str(file) for file in sources if option.search(text(file))] == sorted(PLACES)


def test_continuous_integration_asks_for_it_in_debian_12(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci")
    door = tmp_path / "mallard"
    door.write_text('#!/bin/sh\necho "errors: ${MALLARD_WERROR-no}"\n', encoding="utf-8")
    door.chmod(0o755)
    done = subprocess.run(
        [tmp_path / ".ci/run"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    release = platform.freedesktop_os_release()
    pinned = (release["ID"], release.get("VERSION_ID")) == ("debian", "12")
    assert done.stdout.splitlines()[:2] == [f"errors: {'ON' if pinned else 'no'}"] * 2
