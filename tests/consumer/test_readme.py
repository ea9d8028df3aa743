"""The README's program prints the README's output, and the documents' figures come from the stored rows."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def compilers():
    """The one that the front door takes, and every clang++ that is supported and here."""
    names = [os.environ.get("CXX") or "c++", *(f"clang++-{version}" for version in range(16, 23))]
    return [name for name in names if shutil.which(name)]


@pytest.mark.parametrize("compiler", compilers())
def test_the_program_prints_the_shown_output(compiler, prefix, tmp_path):
    program = re.search(r"```cpp\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    assert program is not None
    source = tmp_path / "readme.cpp"
    source.write_text(program[1], encoding="utf-8")
    (library,) = prefix.rglob("libmallard.a")
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{prefix / 'include'}"]
    command = [compiler, *flags, source, library, "-o", tmp_path / "readme"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    shown = subprocess.run([tmp_path / "readme"], capture_output=True, text=True, check=True).stdout
    assert shown == program[2]


def test_the_figures_match_the_stored_rows():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "refresh.py", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
