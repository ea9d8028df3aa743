"""The README's program prints the README's output, and the documents' figures come from the stored rows."""

import os
import platform
import re
import shutil
import subprocess
import sys

import pytest
from compiler_flags import WERROR
from consumer import run
from source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def compilers():
    """The one that the front door takes, and every clang++ that is supported and here."""
    names = [os.environ.get("CXX") or "c++", *(f"clang++-{version}" for version in range(16, 23))]
    return [name for name in names if shutil.which(name)]


# One tenth above what g++ 12 makes of it. With std::pmr in place of mallard it is 6,980.
MOST_PROGRAM_BYTES = 30_900


def readme_program():
    """The source and its output."""
    match = re.search(r"```cpp\n(.*?  // prints: (.*?\n))```", README, re.DOTALL)
    return match[1], match[2]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the limit is for x86_64")
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++: apt-get install g++")
def test_the_program_links_what_it_needs(prefix, tmp_path):
    """Code and data, those without initial value too."""
    source = tmp_path / "readme.cpp"
    source.write_text(readme_program()[0], encoding="utf-8")
    (library,) = prefix.rglob("libmallard.a")
    options = ["-std=c++20", "-O2", "-DNDEBUG", f"-I{prefix / 'include'}"]
    run("g++", *options, source, library, "-o", tmp_path / "readme")
    text, data, bss = run("size", tmp_path / "readme").splitlines()[1].split()[:3]
    assert int(text) + int(data) + int(bss) <= MOST_PROGRAM_BYTES


@pytest.mark.parametrize("compiler", compilers())
def test_the_program_prints_the_shown_output(compiler, prefix, tmp_path):
    program, output = readme_program()
    source = tmp_path / "readme.cpp"
    source.write_text(program, encoding="utf-8")
    (library,) = prefix.rglob("libmallard.a")
    flags = ["-std=c++20", "-Wall", "-Wextra", *WERROR, f"-I{prefix / 'include'}"]
    command = [compiler, *flags, source, library, "-o", tmp_path / "readme"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    shown = subprocess.run([tmp_path / "readme"], capture_output=True, text=True, check=True).stdout
    assert shown == output


def test_the_figures_match_the_stored_rows():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "refresh.py", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
