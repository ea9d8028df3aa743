"""Debian for aarch64 in a folder, with Python, and its programs in qemu-user.

proot executes programs of another processor by qemu-user, which needs no right of the kernel.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from source_tree import ROOT

from dev.package.foreign_debian import COMPILER, COMPILER_PACKAGE, unpack_debian
from mallard.shared.errors import UsageError

SYSTEM = ROOT / "build/arm64-python"
PACKAGES = ("binutils", "coreutils", "dash", "grep", "python3", "python3-rich")
TOOLS = {COMPILER: COMPILER_PACKAGE, "qemu-aarch64": "qemu-user", "proot": "proot"}


def install_system() -> None:
    """Skips the test if a tool or the archive is missing."""
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing: apt-get install {package}")
    try:
        unpack_debian(SYSTEM, PACKAGES)
    except UsageError as error:
        pytest.skip(f"there is no Debian for arm64: {error}")


def emulate(*command: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program for aarch64 in a folder, and all programs that it starts."""
    places = ("/proc", "/dev", "/tmp", ROOT, folder)
    binds = [word for place in places for word in ("-b", place)]
    words = ["proot", "-q", "qemu-aarch64", "-r", SYSTEM, *binds, "-w", folder, *command]
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def compile_program(source: str, program: Path, *options: str) -> Path:
    """Compiles a source of the tree for the system."""
    command = [COMPILER, "-std=c++20", *options, f"--sysroot={SYSTEM}", ROOT / source, "-o", program]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program
