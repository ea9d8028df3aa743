"""A build for valgrind: memcheck reports the use of memory that no allocator handed out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from compiler_flags import WERROR
from consumer import locked, run
from source_tree import ROOT

PROJECT = Path(__file__).with_name("memcheck")
HEADER = "/usr/include/valgrind/memcheck.h"
REPORTED = 9

if shutil.which("valgrind") is None or not Path(HEADER).exists():
    pytest.skip("no valgrind: apt-get install valgrind", allow_module_level=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The program, built once for all tests."""
    base = tmp_path_factory.getbasetemp()
    build = (base if worker_id == "master" else base.parent) / "memcheck"
    with locked(build.with_suffix(".lock")):
        if not (build / "memcheck").exists():
            flags = " ".join(("-O1 -g -DNDEBUG", *WERROR))
            words = [f"-DMALLARD_ROOT={ROOT}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON"]
            run("cmake", "-S", PROJECT, "-B", build, *words, f"-DCMAKE_CXX_FLAGS_RELEASE={flags}")
            run("cmake", "--build", build)
    return build / "memcheck"


def memcheck(program: Path, case: str) -> subprocess.CompletedProcess[str]:
    words = ["valgrind", "--quiet", f"--error-exitcode={REPORTED}", program, case]
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def test_reports_nothing_without_misuse(program: Path) -> None:
    done = memcheck(program, "nothing")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(program, "nothing")


@pytest.mark.parametrize(
    ("case", "error", "function"),
    [
        ("write after free, multipool", "Invalid write of size 1", "write_after_free"),
        ("write after free, heap", "Invalid write of size 1", "write_after_free"),
        ("read behind, multipool", "Invalid read of size 1", "read_behind"),
        ("read behind, monotonic", "Invalid read of size 1", "read_behind"),
        ("read after rewind", "Invalid read of size 1", "read_after_rewind"),
        ("free twice", "Unaddressable byte.s. found during client check request", "free_twice"),
    ],
)
def test_reports_misuse_in_a_release_build(program: Path, case: str, error: str, function: str) -> None:
    done = memcheck(program, case)
    assert done.returncode == REPORTED, done.stderr
    assert re.search(rf"{error}\n(==\d+== .*\n)*?.*{function}", done.stderr), done.stderr


def test_does_not_link_with_a_library_without_marks(prefix: Path, tmp_path: Path) -> None:
    (archive,) = prefix.rglob("libmallard.a")
    words = ["-std=c++20", "-O1", "-DNDEBUG", "-DMALLARD_VALGRIND=1", f"-I{ROOT / 'include'}"]
    compiler = os.environ.get("CXX") or "c++"
    command = [compiler, *words, PROJECT / "memcheck.cpp", archive, "-pthread", "-o", tmp_path / "memcheck"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "mallard::library_with_valgrind_v" in done.stderr
