"""The facts of this machine, which are stored with every run, and its present load.

`facts()` returns: cpu (its name), cpu_model (family and model by number: some names, as `AMD EPYC`, belong to
several processors), architecture, cores (logical), cores_allowed (to this process), virtual
(runs under a hypervisor), caches (name -> bytes, of the first core), memory_bytes, memory_available_bytes,
kernel, libc, huge_pages (transparent huge page mode), governor (None if the kernel does not show one),
load1. A fact that the system does not report is None, never a guess.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU = Path("/sys/devices/system/cpu")
# The facts that make two runs comparable. Load and free memory change from minute to minute.
STABLE_FACTS = (
    "cpu",
    "cpu_model",
    "architecture",
    "cores",
    "virtual",
    "caches",
    "memory_bytes",
    "kernel",
    "libc",
    "huge_pages",
    "governor",
)
# Cores. Less work by other processes adds no noise beyond the intervals of the repetitions.
BUSY_CORES = 0.2
SAMPLE_SECONDS = 0.4


@dataclass(frozen=True)
class Work:
    """The work of other processes during a sample: cores kept busy, in total and by the busiest process."""

    cores: float
    busiest: str  # "name (process 123)"; empty if none stands out
    idlest_cpu: int  # among the cores allowed to this process

    @property
    def disturbs(self) -> bool:
        return self.cores > BUSY_CORES


def facts() -> dict[str, Any]:
    cpuinfo = _text(Path("/proc/cpuinfo"))
    model = re.search(r"^(?:model name|Processor|cpu model)\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return {
        "cpu": model[1].strip() if model else None,
        "cpu_model": _numbers(cpuinfo),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "cores_allowed": len(allowed_cpus()),
        "virtual": bool(re.search(r"^flags.*\bhypervisor\b", cpuinfo, re.MULTILINE)),
        "caches": _caches(),
        "memory_bytes": memory("MemTotal"),
        "memory_available_bytes": memory("MemAvailable"),
        "kernel": platform.release(),
        "libc": " ".join(part for part in platform.libc_ver() if part) or None,
        "huge_pages": _chosen(Path("/sys/kernel/mm/transparent_hugepage/enabled")),
        "governor": _text(CPU / "cpu0/cpufreq/scaling_governor").strip() or None,
        "load1": load1(),
    }


def fingerprint(known: dict[str, Any]) -> str:
    """A hash of the stable facts, equal for comparable runs."""
    stable = {name: known.get(name) for name in STABLE_FACTS}
    return hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:16]


def load1() -> float:
    """The mean number of running processes in the last minute."""
    return round(os.getloadavg()[0], 2)


def memory(field: str) -> int | None:
    """A field of /proc/meminfo in bytes: MemTotal, MemAvailable ..."""
    match = re.search(rf"^{field}:\s+(\d+) kB$", _text(Path("/proc/meminfo")), re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def allowed_cpus() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def sample_work(seconds: float = SAMPLE_SECONDS) -> Work:
    """Samples the work of other processes.

    The load average is unsuitable: it still shows a build that ended a minute ago.
    """
    cpu_start, process_start = _busy_ticks(), _process_ticks()
    time.sleep(seconds)
    cpu_end, process_end = _busy_ticks(), _process_ticks()
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    busy = {cpu: max(0, end - cpu_start.get(cpu, end)) / ticks for cpu, end in cpu_end.items()}
    used = {
        process: (end - process_start.get(process, end)) / ticks
        for process, end in process_end.items()
        if process[0] != os.getpid()
    }
    busiest = max(used, key=lambda process: used[process], default=None)
    stands_out = busiest is not None and used[busiest] > BUSY_CORES / 2
    return Work(
        cores=round(sum(busy.values()), 2),
        busiest=f"{busiest[1]} (process {busiest[0]})" if busiest and stands_out else "",
        # The last of the idlest, because the first core serves most interrupts.
        idlest_cpu=min(allowed_cpus(), key=lambda cpu: (round(busy.get(cpu, 0.0), 1), -cpu)),
    )


def _numbers(cpuinfo: str) -> str | None:
    """`family 25, model 17`; None if the processor has no such numbers."""
    matches = [
        re.search(rf"^{field}\s*:\s*(\d+)$", cpuinfo, re.MULTILINE) for field in ("cpu family", "model")
    ]
    family, model = matches
    return f"family {family[1]}, model {model[1]}" if family and model else None


def _busy_ticks() -> dict[int, int]:
    """Core -> clock ticks in use since boot."""
    ticks = {}
    for line in _text(Path("/proc/stat")).splitlines():
        match = re.match(r"cpu(\d+) (.*)", line)
        if match:
            counts = [int(count) for count in match[2].split()]
            user, nice, system, _idle, _iowait, irq, softirq, *tail = counts
            ticks[int(match[1])] = user + nice + system + irq + softirq + (tail[0] if tail else 0)
    return ticks


def _process_ticks() -> dict[tuple[int, str], int]:
    """(id, name) of a process -> clock ticks used."""
    used = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            match = re.match(r"\d+ \((.*)\) (.*)", _text(entry / "stat"), re.DOTALL)
            if match:
                fields = match[2].split()
                used[int(entry.name), match[1]] = int(fields[11]) + int(fields[12])
    return used


def _caches() -> dict[str, int]:
    sizes = {}
    for index in sorted((CPU / "cpu0/cache").glob("index*")):
        level, kind = _text(index / "level").strip(), _text(index / "type").strip()
        match = re.fullmatch(r"(\d+)([KMG]?)", _text(index / "size").strip())
        if level and match:
            suffix = {"Data": "d", "Instruction": "i"}.get(kind, "")
            sizes[f"L{level}{suffix}"] = int(match[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match[2]]
    return sizes


def _chosen(path: Path) -> str | None:
    """The word in brackets of a kernel setting, as in `always [madvise] never`."""
    match = re.search(r"\[(\w+)\]", _text(path))
    return match[1] if match else None


def _text(path: Path) -> str:
    """The text of a kernel file; empty if it does not exist, or its process has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
