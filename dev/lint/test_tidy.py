"""clang-tidy on the library. All public headers are read at once, in one file that includes them."""

import shutil
import subprocess

import pytest
from source_tree import ROOT, files

TIDY = "clang-tidy-19"
FLAGS = ("-std=c++20", "-Wno-everything", "-Iinclude", "-Isrc")


@pytest.mark.skipif(shutil.which(TIDY) is None, reason=f"clang-tidy skipped: apt-get install {TIDY}")
@pytest.mark.parametrize("source", [None, *files("*.cpp", under="src")], ids=str)
def test_clang_tidy(source, tmp_path):
    if source is None:
        source = tmp_path / "every_header.cpp"
        headers = [header.relative_to("include") for header in files("*.hpp", under="include")]
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
    command = [TIDY, "--quiet", "--config-file=.clang-tidy", source, "--", *FLAGS]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
