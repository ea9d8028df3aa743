"""A small clone with the real front door, and a PATH that holds a test's tools and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT

# The tools of the smallest Debian.
ESSENTIAL = """cat cksum cp dirname echo env find flock id mkdir mv nproc
readlink rm sed sh sleep stat tail touch tr true uname"""
# In place of the command-line program: tells its arguments.
PROGRAM = """import json, os, sys
print(json.dumps({"words": sys.argv[1:], "root": os.environ["MALLARD_ROOT"], "folder": os.getcwd()}))
"""
PROJECT = '[project]\nname = "mallard"\ndependencies = []\n[project.optional-dependencies]\ntest = []\n'


def heed_signals() -> None:
    """As a terminal starts a program: a shell cannot trap signals that nohup ignores."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Clone:
    def __init__(self, root: Path, programs: Path, new: bool = True) -> None:
        self.root, self.programs = root, programs
        if new:
            self.make_tree()
            self.make_programs()

    def make_tree(self) -> None:
        root = self.root
        (root / "python/mallard").mkdir(parents=True)
        shutil.copy(ROOT / "mallard", root / "mallard")
        (root / "pyproject.toml").write_text(PROJECT)
        (root / "CMakePresets.json").write_text("{}")
        (root / "CMakeLists.txt").write_text("")
        for folder in ("cmake", "include", "src", "bench", "trace", "recorder", "advisor", "trial"):
            (root / folder).mkdir()
            (root / folder / "file").write_text("")
        # The program as it is, which tells the needs of a command; only its work is made up.
        for entry in (ROOT / "python/mallard").iterdir():
            if entry.name not in ("__main__.py", "__pycache__"):
                (root / "python/mallard" / entry.name).symlink_to(entry)
        (root / "python/mallard/__main__.py").write_text(PROGRAM)

    def make_programs(self) -> None:
        self.programs.mkdir()
        for name in ESSENTIAL.split():
            path = shutil.which(name)
            assert path, name
            (self.programs / name).symlink_to(path)
        # The system's Python, not the environment that these tests run in.
        base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
        self.program("python3", f'exec "{base}" "$@"')

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def native_tools(self) -> None:
        """Stand-ins for a compiler and for cmake, which notes its calls in build/cmake-calls."""
        self.program("c++", "echo '#define __GNUC__ 12'")
        self.program("ninja", "exit 0")
        self.program(
            "cmake",
            """case $1 in
--version) echo 'cmake version 3.21.0'; exit ;;
--preset) mkdir -p "build/$2" ;;
--build) mkdir -p "build/$3/bench"; [ ! -e broken ] || { echo 'error: broken'; exit 1; } ;;
esac
echo "$*" >>build/cmake-calls""",
        )

    def libraries(self, *names: str) -> None:
        """The system's folders of libraries are replaced by one that holds these."""
        folder = self.root.parent / "lib"
        folder.mkdir()
        for name in names:
            (folder / name).write_text("")
        door = self.root / "mallard"
        there = "/usr/local/lib /usr/lib /usr/lib64 /usr/lib/*-linux-gnu*"
        assert there in door.read_text()
        door.write_text(door.read_text().replace(there, f'"{folder}"'))

    def cmake_calls(self) -> list[str]:
        calls = self.root / "build/cmake-calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def environment(self, **variables: str) -> dict[str, str]:
        network = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {**network, "PATH": str(self.programs), "HOME": str(self.root.parent), **variables}

    def start(self, *words: str, door: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(door or self.root / "mallard"), *words],
            cwd=self.root.parent,
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=heed_signals,
        )

    def call(self, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, **how)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def told(self, *words: str, **how: Any) -> dict[str, object]:
        """The program's arguments in a call that succeeds."""
        done = self.call(*words, **how)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone as it comes: nothing is set up."""
    (tmp_path / "a folder").mkdir()
    return Clone(tmp_path / "a folder" / "tree", tmp_path / "programs")


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Where a clone was set up, and a copy of it. Setting one up takes seconds; copying it back does not."""
    place, copy = tmp_path_factory.mktemp("a folder"), tmp_path_factory.mktemp("original")
    Clone(place / "tree", place / "programs").told("doctor")
    shutil.copytree(place, copy, symlinks=True, dirs_exist_ok=True)
    return place, copy


def restore(place: Path, copy: Path, environment: bool) -> Clone:
    """Puts a clone back into the state in which its first call left it, with its environment or around it."""
    kept = place if environment else place / "tree/build/venv"
    for folder in (place, place / "tree", place / "tree/build"):
        for entry in folder.iterdir() if folder.is_dir() else ():
            if kept.is_relative_to(entry):
                continue
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    left_out = None if environment else shutil.ignore_patterns("venv")
    shutil.copytree(copy, place, symlinks=True, dirs_exist_ok=True, ignore=left_out)
    return Clone(place / "tree", place / "programs", new=False)


@pytest.fixture
def ready(original: tuple[Path, Path]) -> Clone:
    """A clone that is set up. Its environment is the same for all tests, which leave it as it is."""
    return restore(*original, environment=False)


@pytest.fixture
def spoilable(original: tuple[Path, Path]) -> Iterator[Clone]:
    """A clone that is set up, for tests that change its environment."""
    yield restore(*original, environment=True)
    restore(*original, environment=True)
