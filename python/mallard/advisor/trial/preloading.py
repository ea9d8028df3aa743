"""Whether a library can be preloaded into a program, and its malloc be aged or replaced."""

from __future__ import annotations

import math
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mallard.advisor.recording.elf import SANITIZERS, read_elf
from mallard.advisor.trial.program import Program, RunResult
from mallard.shared import caller, preload
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import linked_into

SANITIZED = "it was built with a sanitizer, which has its own malloc"


STARTS = 15  # of a program with each library


def measure_starts(libraries: Mapping[str, Path]) -> dict[str, float]:
    """By name, the CPU time by which a library makes the start of `true` longer: the least of several starts,
    because other processes only add to it."""
    true = shutil.which("true")
    if true is None or not libraries:
        return {}
    least = dict.fromkeys(("", *libraries), math.inf)
    for _ in range(STARTS):
        for name in least:
            variables = caller.environment()
            if name:
                variables |= {preload.VARIABLE: preload.preload_list([libraries[name]])}
            least[name] = min(least[name], _start_seconds(true, variables))
    return {name: max(0.0, least[name] - least[""]) for name in libraries}


def _start_seconds(program: str, variables: Mapping[str, str]) -> float:
    process = os.posix_spawn(program, [program], variables)
    _, _, usage = os.wait4(process, 0)
    return usage.ru_utime + usage.ru_stime


def refuse_unaged(program: Program, first: RunResult) -> None:
    """Raises a UsageError for a program into which no library can be preloaded, or whose malloc is out of
    reach of one."""
    path = shutil.which(program.words[0]) or program.words[0]
    if first.counts is None:
        raise UsageError(
            f"{program.words[0]} cannot be aged: {_unaged_reason(path)}, so its heap gets no history"
        )
    is_own = brings_malloc(path, first)
    if is_own and _has_sanitizer(path):
        raise UsageError(f"{program.words[0]} cannot be aged: {SANITIZED}, so its heap gets no history")
    linked = linked_into(os.path.realpath(path))
    if linked and not is_own and not _imports_malloc(path):
        raise UsageError(
            f"{program.words[0]} cannot be aged: {linked} is linked into it under names that a library "
            "cannot reach, so its heap gets no history, and no other malloc can be preloaded"
        )


def _unaged_reason(path: str) -> str:
    with suppress(OSError):
        if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
            return "it has other rights than its user (setuid), and the loader preloads nothing into it"
        if (elf := read_elf(path)) and elf.bits == 64 and not elf.interpreter:
            return "it is linked statically"
        if _has_sanitizer(path):
            return SANITIZED
    return "it ended, or became another program, before a preloaded library began"


def _has_sanitizer(path: str) -> bool:
    elf = read_elf(path)
    return elf is not None and bool(SANITIZERS & (elf.exported | elf.internal | elf.imported))


def _imports_malloc(path: str) -> bool:
    """True if the program calls the malloc of a shared library. CPython 3.13 does, and contains a mimalloc
    that serves builds without the global lock only."""
    elf = read_elf(path)
    return elf is not None and "malloc" in elf.imported


def brings_malloc(path: str, first: RunResult) -> bool:
    """True if the malloc in use is the executable's own, which no preloaded one replaces."""
    assert first.counts
    malloc = first.counts.malloc_file
    return bool(malloc) and os.path.realpath(path).endswith(malloc.removeprefix("./"))
