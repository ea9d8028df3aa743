"""The processor: its name, the steadiness of its clock frequency, and its other users."""

from __future__ import annotations

from typing import Any

from mallard.bench.doctor.finding import Finding, State, System, size
from mallard.shared import machine

GROUP = "processor"
CPU = "/sys/devices/system/cpu"
HOST_DECIDES = "nothing to change in a virtual machine, where the host decides: take more --reps"
STEADY_CLOCKS = {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"}


def examine(system: System, facts: dict[str, Any]) -> list[Finding]:
    return [
        cpu(facts),
        cores(facts),
        caches(facts),
        virtualisation(facts),
        smt(system),
        governor(system, facts),
        turbo(system, facts),
        clock(system),
        quota(system),
        load(),
    ]


def cpu(facts: dict[str, Any]) -> Finding:
    if facts["cpu"] is None:
        remedy = "name it when you publish results"
        return Finding(GROUP, "cpu", State.NOTE, "the kernel does not name it", remedy)
    return Finding(GROUP, "cpu", State.OK, f"{facts['cpu']}, {facts['architecture']}")


def cores(facts: dict[str, Any]) -> Finding:
    value = f"{facts['cores']}, of which this process may use {facts['cores_allowed']}"
    if facts["cores_allowed"] == 1:
        remedy = "allow a second one (taskset, or the container's cpuset), to which the system can turn"
        return Finding(GROUP, "cores", State.NOTE, value, remedy)
    return Finding(GROUP, "cores", State.OK, value)


def caches(facts: dict[str, Any]) -> Finding:
    if not facts["caches"]:
        remedy = "nothing to change: only the report cannot show the caches with the times"
        return Finding(GROUP, "caches", State.NOTE, "not shown by the kernel", remedy)
    value = ", ".join(f"{name} {size(bytes_)}" for name, bytes_ in facts["caches"].items())
    return Finding(GROUP, "caches", State.OK, value)


def virtualisation(facts: dict[str, Any]) -> Finding:
    if facts["virtual"]:
        remedy = "measure on hardware of your own if you can; expect wider intervals here"
        return Finding(GROUP, "virtualisation", State.NOTE, "a virtual machine", remedy)
    return Finding(GROUP, "virtualisation", State.OK, "none")


def smt(system: System) -> Finding:
    if system.read(f"{CPU}/smt/active") == "1":
        remedy = f"echo off | sudo tee {CPU}/smt/control, so that no other thread shares the measured core"
        return Finding(GROUP, "smt", State.NOTE, "on: two threads share a core", remedy)
    return Finding(GROUP, "smt", State.OK, "off")


def governor(system: System, facts: dict[str, Any]) -> Finding:
    current = facts["governor"]
    if current is None:
        remedy = HOST_DECIDES if facts["virtual"] else "load the processor's cpufreq driver, if it has one"
        return Finding(GROUP, "governor", State.NOTE, "not shown by the kernel", remedy)
    if current != "performance":
        driver = system.read(f"{CPU}/cpu0/cpufreq/scaling_driver")
        remedy = "sudo cpupower frequency-set -g performance"
        return Finding(GROUP, "governor", State.NOTE, f"{current} ({driver or 'unknown driver'})", remedy)
    return Finding(GROUP, "governor", State.OK, current)


def turbo(system: System, facts: dict[str, Any]) -> Finding:
    intel, generic = system.read(f"{CPU}/intel_pstate/no_turbo"), system.read(f"{CPU}/cpufreq/boost")
    if not intel and not generic:
        remedy = HOST_DECIDES if facts["virtual"] else "switch it off in the firmware, if it is there"
        return Finding(GROUP, "turbo", State.NOTE, "not shown by the kernel", remedy)
    if intel == "0":
        remedy = f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo"
    elif not intel and generic == "1":
        remedy = f"echo 0 | sudo tee {CPU}/cpufreq/boost"
    else:
        return Finding(GROUP, "turbo", State.OK, "off")
    return Finding(GROUP, "turbo", State.NOTE, "on: the frequency follows temperature and load", remedy)


def clock(system: System) -> Finding:
    source = system.read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    if not source:
        remedy = "nothing to change: the clocks work, and only their source is unknown"
        return Finding(GROUP, "clock", State.NOTE, "source not shown by the kernel", remedy)
    if source not in STEADY_CLOCKS:
        remedy = "boot with clocksource=tsc: reading this one is slow and coarse"
        return Finding(GROUP, "clock", State.NOTE, source, remedy)
    return Finding(GROUP, "clock", State.OK, source)


def quota(system: System) -> Finding:
    """A container's share of the processor, in both versions of control groups."""
    groups = dict(line.split(":", 2)[1:] for line in system.read("/proc/self/cgroup").splitlines())
    unified = f"/sys/fs/cgroup{groups.get('', '').rstrip('/')}"
    older = f"/sys/fs/cgroup/cpu{groups.get('cpu', groups.get('cpu,cpuacct', '')).rstrip('/')}"
    limit = system.read(f"{unified}/cpu.max").split()
    limit = limit or [system.read(f"{older}/cpu.cfs_{name}_us") for name in ("quota", "period")]
    if limit[0].isdecimal():
        value = f"{int(limit[0]) / int(limit[1]):.3g} cores: the kernel stops programs that use more"
        return Finding(GROUP, "cpu quota", State.NOTE, value, "start the container without a CPU limit")
    return Finding(GROUP, "cpu quota", State.OK, "none")


def load() -> Finding:
    work = machine.sample_work()
    value = f"{work.cores:.2f} cores busy now, {machine.load1():.2f} on average in the last minute"
    if work.disturbs:
        culprit = f"stop or wait for {work.busiest}" if work.busiest else "stop other work, or wait"
        return Finding(GROUP, "load", State.NOTE, value, culprit)
    return Finding(GROUP, "load", State.OK, value)
