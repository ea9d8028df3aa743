"""Memory: its size, its pages, and the kernel's handling of both."""

from __future__ import annotations

import re
from typing import Any

from mallard.bench.doctor.finding import Finding, State, System, size

GROUP = "memory"
# The warm buffer of the monotonic strategies, and as much again for the data structures.
COMFORTABLE_BYTES = 2 * 2**30
TRANSPARENT = "/sys/kernel/mm/transparent_hugepage"


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [amount(facts), swap(system), huge_pages(system, facts), reserved(system), randomisation(system)]


def amount(facts: dict[str, Any]) -> Finding:
    total, available = facts["memory_bytes"], facts["memory_available_bytes"]
    if total is None or available is None:
        return Finding(GROUP, "memory", State.NOTE, "not shown by the kernel", "mount /proc")
    value = f"{size(total)}, {size(available)} of it available"
    if available < COMFORTABLE_BYTES:
        remedy = "end other programs, or measure with --buffer none: the full warm buffer alone takes 1 GiB"
        return Finding(GROUP, "memory", State.NOTE, value, remedy)
    return Finding(GROUP, "memory", State.OK, value)


def swap(system: System) -> Finding:
    fields = dict(re.findall(r"^(Swap\w+):\s+(\d+) kB$", system.read("/proc/meminfo"), re.MULTILINE))
    total = int(fields.get("SwapTotal", 0)) * 1024
    used = total - int(fields.get("SwapFree", 0)) * 1024
    if used > 0:
        remedy = "sudo swapoff -a && sudo swapon -a, once free memory exceeds the swap in use"
        return Finding(GROUP, "swap", State.NOTE, f"{size(used)} of {size(total)} in use", remedy)
    return Finding(GROUP, "swap", State.OK, f"{size(total)}, unused" if total else "none")


def huge_pages(system: System, facts: dict[str, Any]) -> Finding:
    mode = facts["huge_pages"]
    allow = f"echo madvise | sudo tee {TRANSPARENT}/enabled"
    if mode is None:
        remedy = "run a kernel built with CONFIG_TRANSPARENT_HUGEPAGE"
        return Finding(GROUP, "huge pages", State.MISSING, "none in this kernel", remedy)
    if mode == "never":
        return Finding(GROUP, "huge pages", State.NOTE, "transparent ones are switched off", allow)
    page = system.read(f"{TRANSPARENT}/hpage_pmd_size")
    value = f"transparent, {mode}" + (f", {size(int(page))} each" if page else "")
    return Finding(GROUP, "huge pages", State.OK, value)


def reserved(system: System) -> Finding:
    counts = []
    for folder in sorted(system.path("/sys/kernel/mm/hugepages").glob("hugepages-*kB")):
        count = (folder / "nr_hugepages").read_text(encoding="utf-8").strip()
        page = int(folder.name.removeprefix("hugepages-").removesuffix("kB")) * 1024
        if count != "0":
            counts.append(f"{count} of {size(page)}")
    value = ", ".join(counts) or "none (hugetlb; nothing here needs them)"
    return Finding(GROUP, "reserved pages", State.OK, value)


def randomisation(system: System) -> Finding:
    if system.read("/proc/sys/kernel/randomize_va_space") in ("1", "2"):
        value = "on: every repetition has a different layout, as it should"
        return Finding(GROUP, "address layout", State.OK, value)
    remedy = "sudo sysctl kernel.randomize_va_space=2, so that repetitions average over layouts"
    return Finding(GROUP, "address layout", State.NOTE, "not random: every run measures one layout", remedy)
