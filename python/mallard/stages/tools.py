"""The programs that stages need, under the names that Debian gives them."""

from __future__ import annotations

import os
import shutil
import subprocess

VERSIONS = ("", "-21", "-20", "-19", "-18", "-17", "-16")
PYTHON_REMEDY = "run it by ./mallard test, or pip install 'mallard[test]'"
LIBCXX_PROBE = "#include <version>\n#if __clang_major__ < 16 || !defined(_LIBCPP_VERSION)\n#error\n#endif\n"


def install(packages: str) -> str:
    return f"apt-get install {packages}"


def find_libcxx_compiler() -> str | None:
    """A clang++ (16 or later) that has libc++ beside it."""
    for suffix in VERSIONS:
        clang = shutil.which("clang++" + suffix)
        if clang is None:
            continue
        probe = [clang, "-stdlib=libc++", "-fsyntax-only", "-x", "c++", "-"]
        done = subprocess.run(probe, input=LIBCXX_PROBE, text=True, capture_output=True, check=False)
        if done.returncode == 0:
            return clang
    return None


def compiler() -> str | None:
    """The C++ compiler that a build takes: $CXX, else c++."""
    return shutil.which(os.environ.get("CXX") or "c++")
