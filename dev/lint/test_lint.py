"""The sources, as their tools want them. Other versions of clang-format format differently."""

import shutil
import subprocess
import sys

import pytest
from source_tree import ROOT, files

FORMAT = "clang-format-19"


def check(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy():
    check(sys.executable, "-m", "mypy", "--cache-dir", "build/mypy")


def test_ruff():
    check(sys.executable, "-m", "ruff", "check", "--cache-dir", "build/ruff", ".")


@pytest.mark.skipif(shutil.which(FORMAT) is None, reason=f"clang-format skipped: apt-get install {FORMAT}")
def test_clang_format():
    check(FORMAT, "--dry-run", "--Werror", *files("*.hpp", "*.cpp"))


@pytest.mark.skipif(
    shutil.which("shellcheck") is None, reason="shellcheck skipped: apt-get install shellcheck"
)
def test_shellcheck():
    check("shellcheck", "mallard", ".ci/run")
