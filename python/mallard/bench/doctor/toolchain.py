"""Compilers and their tools."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from typing import Any

from mallard.bench.doctor.finding import Finding, State, System
from mallard.shared import compilers as tools

GROUP = "tools"
# clang++ also defines g++'s macros, so it is checked first.
VERSION_MACROS = {
    "clang++": ("__clang_major__", "__clang_minor__", "__clang_patchlevel__"),
    "g++": ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"),
}
OLDEST = {"g++": 12, "clang++": 16}
OLDEST_CMAKE = (3, 21)
CHOOSE = "set CXX to g++ 12 or later or clang++ 16 or later (apt-get install g++)"


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [
        chosen_compiler(),
        family("g++", "apt-get install g++"),
        family("clang++", "apt-get install clang-19"),
        libcxx(),
        cmake(),
        program("build tool", ("ninja", "make"), "apt-get install ninja-build"),
        program("git", ("git",), "apt-get install git, so that results carry the commit"),
        Finding(GROUP, "python", State.OK, sys.version.split()[0]),
        Finding(GROUP, "sqlite", State.OK, sqlite3.sqlite_version),
    ]


def output(*command: str) -> str:
    """The output of a program; empty if it cannot be run or fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def identify(compiler: str) -> tuple[str, str] | None:
    """("g++", "12.2.0"), from the macros that the compiler defines."""
    defined = output(compiler, "-dM", "-E", "-x", "c++", os.devnull)
    macros = dict(re.findall(r"^#define (\w+) (\d+)$", defined, re.MULTILINE))
    for name, version in VERSION_MACROS.items():
        if version[0] in macros:
            return name, ".".join(macros[part] for part in version)
    return None


def chosen_compiler() -> Finding:
    requested = os.environ.get("CXX") or "c++"
    path = shutil.which(requested)
    known = identify(path) if path else None
    if known is None:
        return Finding(GROUP, "compiler", State.MISSING, f"{requested} is not a C++ compiler", CHOOSE)
    name, version = known
    value = f"{requested} is {name} {version}"
    if int(version.split(".")[0]) < OLDEST[name]:
        return Finding(GROUP, "compiler", State.MISSING, f"{value}, which is too old", CHOOSE)
    return Finding(GROUP, "compiler", State.OK, value)


def family(name: str, remedy: str) -> Finding:
    """All compilers of a family, with and without a version suffix."""
    versions = set()
    pattern = re.compile(rf"{re.escape(name)}(-\d+)?")
    for folder in os.get_exec_path():
        try:
            programs = os.listdir(folder)
        except OSError:
            continue
        for entry in programs:
            known = identify(os.path.join(folder, entry)) if pattern.fullmatch(entry) else None
            if known:
                versions.add(known[1])
    if not versions:
        return Finding(GROUP, name, State.MISSING, "none", remedy)
    ordered = sorted(versions, key=lambda version: [int(part) for part in version.split(".")])
    return Finding(GROUP, name, State.OK, ", ".join(ordered))


def libcxx() -> Finding:
    compiler = tools.find_libcxx_compiler()
    if compiler is None:
        remedy = "apt-get install clang-19 libc++-19-dev libc++abi-19-dev"
        return Finding(GROUP, "libc++", State.MISSING, "none with a clang++ of 16 or later", remedy)
    return Finding(GROUP, "libc++", State.OK, f"with {os.path.basename(compiler)}")


def cmake() -> Finding:
    match = re.search(r"version (\d+)\.(\d+)\S*", output("cmake", "--version"))
    if match is None:
        return Finding(GROUP, "cmake", State.MISSING, "none", "apt-get install cmake")
    value = match[0].removeprefix("version ")
    if (int(match[1]), int(match[2])) < OLDEST_CMAKE:
        return Finding(GROUP, "cmake", State.MISSING, f"{value}, which is too old", "pipx install cmake")
    return Finding(GROUP, "cmake", State.OK, value)


def program(topic: str, names: tuple[str, ...], remedy: str) -> Finding:
    for name in names:
        printed = re.search(r"\d+(\.\d+)+", output(name, "--version"))
        if printed:
            return Finding(GROUP, topic, State.OK, f"{name} {printed[0]}")
    return Finding(GROUP, topic, State.MISSING, "none", remedy)
