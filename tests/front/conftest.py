"""A small clone with the real front door, and a PATH that holds a test's tools and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from advisor_programs import LONGEST
from source_tree import ROOT

# The tools of the smallest Debian.
ESSENTIAL = """cat cksum cp dirname echo env find flock id mkdir mv nproc
readlink rm sed sh sleep sort stat tail touch tr true uname"""
# Replaces the command-line program, and prints its arguments.
PROGRAM = """import json, os, sys
print(json.dumps({"words": sys.argv[1:], "root": os.environ["MALLARD_ROOT"], "folder": os.getcwd()}))
"""
# In place of pip, which takes seconds to import: an error for the folder of a package that is not there.
PIP = """import os, sys
words = sys.argv[1:]
if words[0] == "install":
    print(*words[:-1], open(words[-1]).read())
missing = [line.strip() for line in open(words[-1]) if line[0] == "." and not os.path.exists(line.strip())] \\
    if words[0] == "install" else []
sys.exit(f"ERROR: no such folder: {missing}" if missing else 0)
"""
ADVISOR = [f"advisor/{name}" for name in ("trace", "recorder", "collector", "trial", "profiler")]
PROJECT = """[project]
name = "mallard"
dependencies = []
[project.optional-dependencies]
parquet = []
test = []
"""


def heed_signals() -> None:
    """As a terminal starts a program: a shell cannot trap signals that nohup ignores."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def base_python() -> Path:
    """The system's Python, not the environment that these tests run in."""
    return Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"


def make_template(folder: Path) -> Path:
    """A Python environment with a fake pip."""
    subprocess.run([base_python(), "-m", "venv", "--without-pip", folder], check=True)
    pip = next(folder.glob("lib/python*/site-packages")) / "pip"
    pip.mkdir()
    (pip / "__init__.py").write_text("")
    (pip / "__main__.py").write_text(PIP)
    return folder


class Clone:
    """`template` is copied for each Python environment; without it venv makes one with the real pip."""

    def __init__(self, root: Path, programs: Path, template: Path | None = None, new: bool = True) -> None:
        self.root, self.programs, self.template = root, programs, template
        if new:
            self.make_tree()
            self.make_programs()

    def make_tree(self) -> None:
        root = self.root
        (root / "python/mallard").mkdir(parents=True)
        self.libraries("libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4")
        (root / "pyproject.toml").write_text(PROJECT)
        (root / ".ci").mkdir()
        (root / ".ci/requirements.txt").write_text("a-package==1 --hash=sha256:0\n")
        (root / "CMakePresets.json").write_text("{}")
        for folder in ("cmake", "history", "include", "src", "bench/runner", *ADVISOR):
            (root / folder).mkdir(parents=True)
            (root / folder / "file").write_text("")
        (root / "history/ages.def").symlink_to(ROOT / "history/ages.def")  # read by the program
        for file in ("CMakeLists.txt", "advisor/CMakeLists.txt"):
            (root / file).write_text("")
        # The unchanged program, which prints the needs of a command; only its work is faked.
        for entry in (ROOT / "python/mallard").iterdir():
            if entry.name not in ("__main__.py", "__pycache__"):
                (root / "python/mallard" / entry.name).symlink_to(entry)
        (root / "dev").symlink_to(ROOT / "dev")
        (root / "python/mallard/__main__.py").write_text(PROGRAM)

    def make_programs(self) -> None:
        self.programs.mkdir()
        for name in ESSENTIAL.split():
            path = shutil.which(name)
            assert path, name
            (self.programs / name).symlink_to(path)
        copy = (
            f'case "$*" in "-m venv "*) exec cp -a "{self.template}" "$3" ;; esac\n' if self.template else ""
        )
        self.program("python3", f'{copy}exec "{base_python()}" "$@"')

    @property
    def python(self) -> str:
        """The script of python3."""
        return (self.programs / "python3").read_text().partition("\n")[2]

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def native_tools(self) -> None:
        """Stand-ins for a compiler and for cmake, which notes its calls in build/cmake-calls."""
        self.program(
            "c++",
            "case $* in -print-file-name=*) echo \"$0\" ;; *) echo '#define __GNUC__ 12' ;; esac",
        )
        self.program("ninja", "exit 0")
        for name in ("git", "pkg-config"):
            self.program(name, "exit 0")
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
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in names:
            (folder / name).write_text("")
        door = (ROOT / "mallard").read_text()
        folders = "/usr/local/lib /usr/lib /usr/lib64 /usr/lib/*-linux-gnu*"
        assert folders in door
        (self.root / "mallard").write_text(door.replace(folders, f'"{folder}"'))
        (self.root / "mallard").chmod(0o755)

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

    def call(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=LONGEST)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def arguments(self, *words: str, **options: Any) -> dict[str, object]:
        """The program's arguments in a call that succeeds."""
        done = self.call(*words, **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template") / "venv")


@pytest.fixture
def bare(tmp_path: Path) -> Clone:
    """A clone as it comes: nothing is set up."""
    (tmp_path / "a folder").mkdir()
    return Clone(tmp_path / "a folder" / "tree", tmp_path / "programs")


@pytest.fixture
def clone(tmp_path: Path, template: Path) -> Clone:
    """A clone as it comes, whose Python environment is made at once."""
    (tmp_path / "a folder").mkdir()
    return Clone(tmp_path / "a folder" / "tree", tmp_path / "programs", template)


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory, template: Path) -> tuple[Path, Path]:
    """A clone that is set up, and a copy of it: the environment belongs to its path."""
    place, copy = tmp_path_factory.mktemp("a folder"), tmp_path_factory.mktemp("original")
    Clone(place / "tree", place / "programs", template).arguments("doctor")
    shutil.copytree(place, copy, symlinks=True, dirs_exist_ok=True)
    return place, copy


@pytest.fixture
def ready(original: tuple[Path, Path], template: Path) -> Clone:
    """A clone that is set up."""
    place, copy = original
    shutil.rmtree(place)
    shutil.copytree(copy, place, symlinks=True)
    return Clone(place / "tree", place / "programs", template, new=False)
