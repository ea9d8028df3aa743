"""The hardware counters that this process can open by perf_event_open."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Any

from mallard.bench.doctor.finding import Finding, State, System

GROUP = "counters"
SYSTEM_CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
HARDWARE, CACHE = 0, 3
EVENTS = {
    "cycles": (HARDWARE, 0),
    "instructions": (HARDWARE, 1),
    "cache misses": (HARDWARE, 3),
    "branch misses": (HARDWARE, 5),
    "data TLB misses": (CACHE, 3 | 1 << 16),
}
# The first version of the kernel's struct perf_event_attr, with its bits exclude_kernel and exclude_hv.
ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
USER_ONLY = 1 << 5 | 1 << 6
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
ALSO = "times, faults and memory need no counters"


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [judge(system, facts, {name: try_event(*event) for name, event in EVENTS.items()})]


def try_event(kind: int, config: int) -> int:
    """0 if the counter can be opened for this process's user code, else the error's number."""
    number = SYSTEM_CALLS.get(platform.machine())
    if number is None:
        return errno.ENOSYS
    attributes = ATTRIBUTES.pack(kind, ATTRIBUTES.size, config, 0, 0, 0, USER_ONLY, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(ctypes.c_long(number), attributes, 0, -1, ctypes.c_long(-1), ctypes.c_ulong(0))
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def judge(system: System, facts: dict[str, Any], errors: dict[str, int]) -> Finding:
    usable = [name for name, error in errors.items() if error == 0]
    if len(usable) == len(errors):
        return Finding(GROUP, "hardware", State.OK, ", ".join(usable))
    remedy = remedy_for(system, facts, set(errors.values()))
    if usable:
        return Finding(GROUP, "hardware", State.NOTE, f"only {', '.join(usable)}", remedy)
    paranoid = system.read(PARANOID) or "not shown"
    return Finding(GROUP, "hardware", State.MISSING, f"none (perf_event_paranoid {paranoid})", remedy)


def remedy_for(system: System, facts: dict[str, Any], errors: set[int]) -> str:
    paranoid = system.read(PARANOID)
    if errors & {errno.EACCES, errno.EPERM}:
        if paranoid.lstrip("-").isdecimal() and int(paranoid) > 2:
            return f"sudo sysctl kernel.perf_event_paranoid=2 (it is {paranoid})"
        return "allow perf_event_open in the container's seccomp profile, or run outside it"
    if facts["virtual"]:
        return f"give the virtual machine a PMU, or measure on hardware; {ALSO}"
    return f"run a kernel with CONFIG_PERF_EVENTS on a processor it knows; {ALSO}"
