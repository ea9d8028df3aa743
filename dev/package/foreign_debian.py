"""Debian for aarch64 in a folder, to cross-compile with and to emulate: packages from this machine's archive.

apt-get keeps its state in that folder. It needs no rights, and the machine's own packages do not change.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dev.package.command import require_program, run

MACHINE = "aarch64"
ARCHITECTURE = "arm64"  # Debian's name of it
COMPILER = "aarch64-linux-gnu-g++"
COMPILER_PACKAGE = "g++-aarch64-linux-gnu"
LIBRARIES = ("libdw-dev", "libelf-dev", "libzstd-dev", "liblzma-dev", "libbz2-dev", "zlib1g-dev")
STAMP = "unpacked-packages"


def unpack_debian(folder: Path, packages: Sequence[str] = ()) -> None:
    """Unpacks the libraries that the advisor is linked with, the compiler's own, and more packages, with all
    that they depend on. Raises a UsageError if a tool is missing or fails.
    """
    require_program(COMPILER, COMPILER_PACKAGE)
    require_program("apt-get", "apt")
    version = subprocess.run([COMPILER, "-dumpversion"], capture_output=True, text=True, check=True).stdout
    names = sorted({*LIBRARIES, f"libstdc++-{version.partition('.')[0].strip()}-dev", *packages})
    stamp = folder / STAMP
    if stamp.is_file() and set(names) <= set(stamp.read_text(encoding="utf-8").split()):
        return
    shutil.rmtree(folder, ignore_errors=True)
    state = folder / "var/lib/apt"
    archives = folder / "var/cache/apt/archives"
    for path in (state / "lists/partial", archives / "partial"):
        path.mkdir(parents=True)
    status = state / "status"
    status.touch()
    settings = {
        "APT::Architecture": ARCHITECTURE,
        "APT::Architectures": ARCHITECTURE,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "true",
        "Dir::Cache": archives.parent,
        "Dir::State": state,
        "Dir::State::status": status,
    }
    options = [f"-o{name}={value}" for name, value in settings.items()]
    run(["apt-get", "update", *options])
    run(["apt-get", "install", "--download-only", "--yes", *options, *names])
    for name in ("bin", "lib", "sbin"):
        (folder / "usr" / name).mkdir(parents=True)
        (folder / name).symlink_to(f"usr/{name}")
    for package in sorted(archives.glob("*.deb")):
        run(["dpkg-deb", "--extract", package, folder])
        package.unlink()
    _make_links_relative(folder)
    stamp.write_text("\n".join(names) + "\n", encoding="utf-8")


def cross_definitions(folder: Path) -> dict[str, str]:
    """The definitions by which CMake compiles for the system in the folder."""
    return {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": MACHINE,
        "CMAKE_CXX_COMPILER": COMPILER,
        "CMAKE_SYSROOT": str(folder),
        "CMAKE_FIND_ROOT_PATH_MODE_PROGRAM": "NEVER",
    }


def cross_environment(folder: Path) -> dict[str, str]:
    """The variables by which pkg-config finds the libraries of the folder."""
    return {
        "PKG_CONFIG_LIBDIR": f"{folder}/usr/lib/{MACHINE}-linux-gnu/pkgconfig",
        "PKG_CONFIG_SYSROOT_DIR": str(folder),
    }


def _make_links_relative(folder: Path) -> None:
    """The linker follows the links of libraries in this machine's root."""
    for link in (folder / f"usr/lib/{MACHINE}-linux-gnu").iterdir():
        if link.is_symlink() and os.readlink(link).startswith("/"):
            target = os.path.relpath(f"{folder}{os.readlink(link)}", link.parent)
            link.unlink()
            link.symlink_to(target)
