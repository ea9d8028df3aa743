"""The single header, as one file of a program and as one of two."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from compiler_flags import WERROR
from consumer import run
from source_tree import ROOT

COMPILERS = [name for name in ("g++", "clang++-19", "clang++") if shutil.which(name)][:2]
FLAGS = ("-std=c++20", "-O0", "-pthread", "-Wall", "-Wextra", "-Wpedantic", *WERROR)
DEFINE = "#define MALLARD_IMPLEMENTATION\n"
INCLUDE = "#include <mallard/mallard.hpp>\n"


def readme_program() -> tuple[str, str]:
    """The program and its output."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```cpp\n(.*?  // prints: (.*?\n))```", readme, re.DOTALL)
    assert INCLUDE in match[1]
    return match[1], match[2]


@pytest.mark.parametrize(("compiler", "checked"), list(zip(COMPILERS, (0, 1), strict=False)))
def test_compiles_as_one_file(release: Path, tmp_path: Path, compiler: str, checked: int) -> None:
    source, expected = readme_program()
    program = tmp_path / "readme"
    # Compiler Explorer has the header's text in the main file.
    text = (release / "single/mallard/mallard.hpp").read_text(encoding="utf-8")
    (tmp_path / "readme.cpp").write_text(DEFINE + source.replace(INCLUDE, text), encoding="utf-8")
    run(compiler, *FLAGS, f"-DMALLARD_CHECKED={checked}", tmp_path / "readme.cpp", "-o", program)
    assert run(program) == expected


@pytest.mark.parametrize("compiler", COMPILERS)
def test_compiles_as_two_files(release: Path, tmp_path: Path, compiler: str) -> None:
    source, expected = readme_program()
    (tmp_path / "readme.cpp").write_text(source, encoding="utf-8")
    # A header of the program may have included it before.
    (tmp_path / "library.cpp").write_text(INCLUDE + DEFINE + INCLUDE, encoding="utf-8")
    files = (tmp_path / "readme.cpp", tmp_path / "library.cpp")
    run(compiler, *FLAGS, f"-I{release}/single", *files, "-o", tmp_path / "readme")
    assert run(tmp_path / "readme") == expected
