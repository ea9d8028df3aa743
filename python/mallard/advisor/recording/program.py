"""The program that is recorded: its file, its arguments, and why it cannot be recorded.

Programs that would give an empty or wrong recording are refused before they start.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.advisor.recording.elf import RECORDER, ElfFile, Machine, read_elf
from mallard.shared.caller import environment
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

MOST_SCRIPTS = 4  # the kernel's limit on nested script interpreters
LONGEST_FIRST_LINE = 4096
# By the name of the system's: e_machine, the name in messages, the loader of the GNU C library.
RECORDED_MACHINES = {
    "x86_64": (Machine.X86_64, "x86-64", "ld-linux-x86-64.so.2"),
    "aarch64": (Machine.AARCH64, "aarch64", "ld-linux-aarch64.so.1"),
}
MACHINE, MACHINE_NAME, LOADER = RECORDED_MACHINES.get(platform.machine(), RECORDED_MACHINES["x86_64"])
STANDARD_LIBRARIES = ("libc.so", "libstdc++.so", "libc++.so", "libc++abi.so", "ld-linux")
SANITIZER_LIBRARIES = (
    *("libasan", "libtsan", "libmsan", "liblsan", "libhwasan", "libclang_rt.", "libmemprof"),
)
REBUILD = "build it without -fsanitize"
SANITIZED = "was built with a sanitizer, which has its own malloc"


@dataclass(frozen=True)
class Command:
    """`started` is the executed file: a program or a script. `elf` is the program that runs: the interpreter
    of a script, or `started`."""

    started: str
    elf: str
    words: tuple[str, ...]


def resolve_program(name: str, folder: str = "") -> str:
    """The path of the program that a shell in `folder` would start by this name. Raises a UsageError if there
    is none."""
    if "/" in name:
        return _executable(os.path.join(folder, name), name)
    path = shutil.which(name) or shutil.which(name, os.F_OK)
    if path is not None:
        return _executable(path, path)
    here = os.path.isfile(os.path.join(folder, name))
    remedy = f"for the file in this folder give './{name}'" if here else "give its path, or install it"
    raise UsageError(f"'{name}' is not a program in PATH{did_you_mean(name, _programs())}; {remedy}")


def find_command(words: Sequence[str], folder: str = "") -> Command:
    """The program that a shell would start for these words. A script that finds its interpreter with `env` is
    started without `env`, which would not be recorded as the program. Raises a UsageError if it does not
    exist or is not executable.
    """
    command = list(words)
    started = elf = resolve_program(words[0], folder)
    for _ in range(MOST_SCRIPTS):
        script, line = elf, _interpreter_line(elf)
        if not line:
            return Command(started, elf, tuple(command))
        elf, *options = re.split(r"[ \t]", line, maxsplit=1)
        if not _can_execute(elf):
            raise UsageError(
                f"'{script}' is a script for '{elf}', which is missing or not executable; install it, or "
                "correct the first line"
            )
        if os.path.basename(elf) == "env":
            interpreter = _without_env("".join(options), script)
            started = elf = resolve_program(interpreter[0], folder)
            command = [*interpreter, script, *command[1:]]
    raise UsageError(
        f"'{words[0]}' is a script whose interpreters are scripts, nested too deeply; record the program "
        "that they run"
    )


def check_program(path: str) -> list[str]:
    """Notes on the program's own allocators: which calls are recorded. Raises a UsageError with the reason if
    it cannot be recorded."""
    _refuse_elevated_rights(path)
    elf = read_elf(path)
    if elf is None and not os.access(path, os.R_OK):
        return [f"'{path}' cannot be read, so it was not checked"]
    if elf and _is_for_this_machine(elf) and not elf.interpreter and RECORDER in elf.exported | elf.internal:
        return [
            (
                f"'{path}' is statically linked with mallard::recorder: its scopes and pools are recorded, "
                "its calls of malloc are not"
            )
        ]
    own = check_file(path, elf)
    return own + check_libraries(path, _loaded_libraries(path, elf.interpreter) if elf else ())


def reason_for_no_event(path: str) -> str:
    """Why a program that ran with the recorder has no event; empty if its file shows none."""
    elf = read_elf(path)
    if elf and elf.sanitizers:
        return SANITIZED
    return "has its own malloc" if elf and "malloc" in elf.exported | elf.internal else ""


def _can_execute(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _executable(path: str, name: str) -> str:
    if _can_execute(path):
        return path
    if not os.path.exists(path):
        raise UsageError(f"'{name}' does not exist; give the path or the name of a program")
    if os.path.isdir(path):
        raise UsageError(f"'{name}' is a folder; give a program in it")
    raise UsageError(f"'{name}' is not executable; if it is a program: chmod +x {name}")


def _programs() -> list[str]:
    folders = filter(os.path.isdir, os.environ.get("PATH", "").split(os.pathsep))
    return sorted({name for folder in folders for name in os.listdir(folder)})


def _interpreter_line(path: str) -> str:
    """The text behind `#!`; empty if the file is not a script."""
    try:
        with open(path, "rb") as file:
            line = file.readline(LONGEST_FIRST_LINE)
    except OSError:
        return ""
    return os.fsdecode(line[2:].strip(b" \t\r\n")) if line.startswith(b"#!") else ""


def _without_env(arguments: str, script: str) -> list[str]:
    """The interpreter and its arguments, as `env` would start them."""
    words = arguments.split()
    splits = words[:1] == ["-S"]
    words = words[splits:]
    is_plain = words and (splits or len(words) == 1) and not re.match(r"-|.*=", words[0])
    if not is_plain or re.search(r"[\"'\\$]", arguments):
        raise UsageError(
            f"'{script}' starts its interpreter by 'env {arguments}', which is not understood; name the "
            f"interpreter: mallard record -- INTERPRETER {script}"
        )
    return words


def refuse(path: str, reason: str) -> UsageError:
    """The error for a program that cannot be recorded."""
    return UsageError(f"'{path}' cannot be recorded: it {reason}")


def _refuse_elevated_rights(path: str) -> None:
    """Rights that the caller has anyway leave the loader as it is."""
    file = os.stat(path)
    mode = file.st_mode
    remedy = f", and the loader preloads nothing there; record a copy without these rights: cp {path} FILE"
    if mode & stat.S_ISUID and file.st_uid != os.getuid():
        raise refuse(path, f"runs with its owner's rights (setuid){remedy}")
    if mode & stat.S_ISGID and mode & stat.S_IXGRP and file.st_gid != os.getgid():
        raise refuse(path, f"runs with its group's rights (setgid){remedy}")
    try:
        os.getxattr(path, "security.capability")
    except OSError:
        return
    raise refuse(path, f"has capabilities (getcap shows them){remedy}")


def _is_for_this_machine(elf: ElfFile) -> bool:
    return (elf.bits, elf.machine) == (64, MACHINE)


def check_file(path: str, elf: ElfFile | None) -> list[str]:
    """Calls within a program's own file are bound at link time, and it precedes every preloaded library."""
    if elf is None:
        raise refuse(path, "is neither a program (ELF) nor a script that begins with #!")
    if not _is_for_this_machine(elf):
        names = {machine: machine.name.lower().replace("x86_64", "x86-64") for machine in Machine}
        machine = names.get(elf.machine, f"machine {elf.machine} of elf.h")  # type: ignore[call-overload]
        raise refuse(
            path,
            f"is a {elf.bits}-bit program for {machine}; the recorder is for 64-bit programs for "
            f"{MACHINE_NAME}",
        )
    if os.path.basename(path) == LOADER:
        raise refuse(path, "only loads another program, which is to be given itself")
    if not elf.interpreter:
        raise refuse(
            path,
            "is statically linked, so no library can be preloaded; link it without -static, or with "
            "mallard::recorder, which records its scopes and pools",
        )
    if os.path.basename(elf.interpreter) != LOADER:
        raise refuse(path, f"is loaded by '{elf.interpreter}', not by that of the GNU C library")
    if elf.sanitizers:
        raise refuse(path, f"{SANITIZED} ({elf.sanitizers[0]}); {REBUILD}")
    if "malloc" in elf.exported:
        raise refuse(
            path,
            "has its own malloc, linked into it. A preloaded library comes after the program's own functions "
            "and would see nothing; link it with the malloc of the C library",
        )
    notes = []
    if "malloc" in elf.internal:
        notes.append(
            f"'{path}' has its own malloc, hidden in it: only the calls of its libraries are recorded"
        )
    if "_Znwm" in elf.exported | elf.internal:
        notes.append(
            f"'{path}' has its own operator new, linked into it: the memory that it takes from malloc is "
            "recorded; blocks from elsewhere are not"
        )
    return notes


def _loaded_libraries(path: str, loader: str) -> list[str]:
    """The files that the loader would map for the program, including the user's preloaded ones. The loader
    runs no code of the program, and a missing library is not listed."""
    try:
        done = subprocess.run(
            [loader, os.path.abspath(path)],  # it would search for a name without a slash as a library
            env={**environment(), "LD_TRACE_LOADED_OBJECTS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return []
    # "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f58f36ac000)", or a path alone
    return re.findall(r"^\s*(?:.* => )?(.*/.*) \(0x", os.fsdecode(done.stdout), re.MULTILINE)


def check_libraries(program: str, libraries: Iterable[str]) -> list[str]:
    """`check_program` for the libraries that the program loads."""
    notes = []
    for library in libraries:
        name = os.path.basename(library)
        if name.startswith(SANITIZER_LIBRARIES):
            raise refuse(program, f"{SANITIZED} ({name}); {REBUILD}")
        if name.startswith(STANDARD_LIBRARIES):
            continue
        elf = read_elf(library)
        if elf is None:
            continue
        sanitizers = [symbol for symbol in elf.sanitizers if symbol in elf.exported]
        if sanitizers:
            raise refuse(
                program, f"needs {name}, which was built with a sanitizer ({sanitizers[0]}); {REBUILD}"
            )
        if "malloc" in elf.exported:
            function = "malloc"
            limit = "calls of its other functions (such as mallocx or mi_malloc) are not"
        elif "_Znwm" in elf.exported:
            function, limit = "operator new", "memory that it takes from malloc is recorded too"
        else:
            continue
        symbolic = "; its internal calls are not (-Bsymbolic)" if elf.is_symbolic else ""
        notes.append(
            f"{function} comes from {name}: calls are recorded and forwarded to it; {limit}{symbolic}"
        )
    return notes
