"""A running process to which the recorder is attached, and why it cannot be recorded."""

from __future__ import annotations

import os
from pathlib import Path

from mallard.advisor.recording.elf import read_elf
from mallard.advisor.recording.program import check_file, check_libraries
from mallard.shared.errors import UsageError

NAMESPACES = ("mnt", "pid")  # the part and the library need the same paths, and the collector the same number
FROM_START = "record it from its start: mallard record -- PROGRAM"
DELETED = " (deleted)"


def check_process(number: int) -> list[str]:
    """Notes on the process's own allocators, as of `check_program`. Raises a UsageError with the reason if it
    cannot be recorded. The collector examines its memory, its threads, and whether it is recorded already.
    """
    process = Path(f"/proc/{number}")
    status = _status(process)
    if not status:
        raise UsageError(f"there is no process {number}; 'ps -e' lists the processes")
    if number in (os.getpid(), os.getppid()):
        raise UsageError(f"process {number} is mallard itself, or started it; give another process to --pid")
    if status["Tgid"] != str(number):
        raise UsageError(f"--pid {number} is a thread; give its process: --pid {status['Tgid']}")
    if reason := _unreachable_reason(process, status) or _namespace_reason(process):
        raise UsageError(f"process {number} {reason}")
    try:
        path = os.readlink(process / "exe")
        lines = (process / "maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []  # the collector reports it
    files = [fields[5] for line in lines if len(fields := line.split(maxsplit=5)) > 5]
    if path.endswith(DELETED):
        raise UsageError(f"process {number}: its file '{path}' was replaced or removed; restart the program")
    libraries = [
        file
        for file in dict.fromkeys(files)
        if ".so" in (name := os.path.basename(file))
        and file != path
        and not file.endswith(DELETED)
        and not name.startswith("libmallard_record")
    ]
    return check_file(path, read_elf(path)) + check_libraries(path, libraries)


def _status(folder: Path) -> dict[str, str]:
    """The status of a process or thread; empty if it is gone."""
    try:
        lines = (folder / "status").read_text(errors="replace").splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _unreachable_reason(process: Path, status: dict[str, str]) -> str:
    users = [int(user) for user in status["Uid"].split()[:2]]
    if users != [os.geteuid()] * 2:
        return (
            f"runs as user {users[1]}, and mallard as user {os.geteuid()}; run mallard as the same user: "
            f"sudo -u '#{users[1]}' mallard record ..."
        )
    if status["TracerPid"] != "0":
        return f"is traced by process {status['TracerPid']} (a debugger or strace); end that first"
    threads = list((process / "task").glob("*"))
    if status["State"][0] in "ZX":
        if len(threads) > 1:
            return (
                f"has ended its first thread, without which the system does not show its memory; {FROM_START}"
            )
        return "has ended (zombie)"
    if status["State"][0] in "Tt":
        return f"is stopped; continue it first: kill -CONT {process.name}"
    if "shstk" in status.get("x86_Thread_features", ""):
        return (
            "uses a shadow stack, in which mallard cannot call functions; start it with "
            "GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK"
        )
    if any(_status(thread).get("Seccomp", "0") != "0" for thread in threads):
        return f"restricts its system calls (seccomp), which the recorder needs; {FROM_START}"
    return ""


def _namespace_reason(process: Path) -> str:
    """Nothing is refused that the system does not show."""
    try:
        for kind in NAMESPACES:
            if os.readlink(process / "ns" / kind) != os.readlink(f"/proc/self/ns/{kind}"):
                return "runs in a container (another namespace); run mallard in the container"
        root = os.readlink(process / "root")
        if root != os.readlink("/proc/self/root"):
            return f"has another root folder ('{root}'); run mallard in it, by chroot"
    except OSError:
        pass
    return ""
