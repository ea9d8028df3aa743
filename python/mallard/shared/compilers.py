"""Finds the programs of the stages."""

from __future__ import annotations

import os
import shutil
import subprocess

VERSIONS = ("", "-21", "-20", "-19", "-18", "-17", "-16")
CLANG_STAGES = ("asan", "runner", "no-exceptions")


def install(packages: str) -> str:
    return f"apt-get install {packages}"


def find_libcxx_compiler() -> str | None:
    """A clang++ with libc++."""
    return find_clang("-stdlib=libc++", "defined(_LIBCPP_VERSION)")


def find_asan_compiler() -> str | None:
    """A clang++ with AddressSanitizer's runtime."""
    return find_clang("-fsanitize=address", "__has_include(<sanitizer/asan_interface.h>)")


def find_clang(option: str, condition: str) -> str | None:
    """A clang++ of 16 or later for which the preprocessor condition holds under the option."""
    program = f"#include <version>\n#if __clang_major__ < 16 || !{condition}\n#error\n#endif\n"
    for suffix in VERSIONS:
        clang = shutil.which("clang++" + suffix)
        if clang is None:
            continue
        probe = [clang, option, "-fsyntax-only", "-x", "c++", "-"]
        done = subprocess.run(probe, input=program, text=True, capture_output=True, check=False)
        if done.returncode == 0:
            return clang
    return None


def compiler_for(preset: str) -> str | None:
    """$CXX, or c++. The longest stages prefer a clang++."""
    if preset == "libcxx":
        return find_libcxx_compiler()
    own = os.environ.get("CXX")
    clang = find_asan_compiler() if preset in CLANG_STAGES and not own else None
    return clang or shutil.which(own or "c++")
