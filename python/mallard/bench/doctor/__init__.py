"""Finds what this machine can measure, and the remedy for each part that it cannot."""

from __future__ import annotations

from mallard.bench.doctor import contenders, counters, memory, processor, toolchain
from mallard.bench.doctor.finding import Finding, State, System
from mallard.shared import machine

__all__ = ["Finding", "State", "System", "examine"]

PROBES = (processor.examine, memory.examine, counters.examine, toolchain.examine, contenders.examine)


def examine(system: System | None = None) -> list[Finding]:
    facts = machine.facts()
    return [finding for probe in PROBES for finding in probe(system or System(), facts)]
