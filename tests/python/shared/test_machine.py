"""Facts of the machine that the tests run on, which hold on any."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from mallard.shared import machine


def test_facts_are_plain_and_plausible() -> None:
    facts = machine.facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["cores"] >= facts["cores_allowed"] >= 1
    assert facts["memory_bytes"] > facts["memory_available_bytes"] > 0
    assert facts["load1"] >= 0.0


def test_the_fingerprint_stands_while_load_and_memory_change() -> None:
    facts = machine.facts()
    original = machine.fingerprint(facts)
    assert machine.fingerprint({**facts, "load1": 99.0, "memory_available_bytes": 1}) == original
    assert machine.fingerprint({**facts, "kernel": "another"}) != original


def test_a_busy_process_is_seen_and_named() -> None:
    program = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as busy:
        busy.stdout.readline()
        try:
            work = machine.sample_work(1.0)
        finally:
            busy.kill()
    assert work.cores > 0.2
    assert work.disturbs
    assert work.busiest != ""
    assert work.idlest_cpu in os.sched_getaffinity(0)


def test_fields_of_memory() -> None:
    total = machine.memory("MemTotal")
    assert total > 1 << 20
    assert machine.memory("NoSuchField") is None
