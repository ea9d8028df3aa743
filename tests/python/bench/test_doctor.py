"""The doctor on simulated machines: each has a folder as its root."""

import argparse
import errno
import json
import sys

import pytest

from mallard.bench.contenders import LIBRARIES
from mallard.bench.doctor import (
    Finding,
    State,
    System,
    contenders,
    counters,
    examine,
    memory,
    processor,
    toolchain,
)
from mallard.bench.doctor.finding import size
from mallard.bench.view.doctor import doctor_report
from mallard.cli.verbs import doctor as verb
from mallard.shared import machine, mallocs

FACTS = {
    "cpu": "Some Processor",
    "architecture": "x86_64",
    "cores": 4,
    "cores_allowed": 4,
    "virtual": False,
    "caches": {"L1d": 32768},
    "memory_bytes": 8 * 2**30,
    "memory_available_bytes": 4 * 2**30,
    "huge_pages": "madvise",
    "governor": "performance",
}


@pytest.fixture
def system(tmp_path):
    def make(**files):
        for name, text in files.items():
            path = tmp_path / PATHS[name]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return System(tmp_path)

    return make


PATHS = {
    "smt": "sys/devices/system/cpu/smt/active",
    "no_turbo": "sys/devices/system/cpu/intel_pstate/no_turbo",
    "boost": "sys/devices/system/cpu/cpufreq/boost",
    "clock": "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "group": "proc/self/cgroup",
    "cpu_max": "sys/fs/cgroup/box/cpu.max",
    "meminfo": "proc/meminfo",
    "page": "sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
    "reserved": "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
    "layout": "proc/sys/kernel/randomize_va_space",
    "paranoid": "proc/sys/kernel/perf_event_paranoid",
    "boost_pool": "usr/include/boost/pool/pool.hpp",
    "boost_container": "usr/include/boost/container/adaptive_pool.hpp",
    "boost_version": "usr/include/boost/version.hpp",
    "loki_header": "usr/include/loki/SmallObj.h",
    "foonathan_header": "usr/include/foonathan_memory/foonathan/memory/memory_pool.hpp",
    "foonathan_library": "usr/lib/x86_64-linux-gnu/libfoonathan_memory.so",
    "jemalloc": "usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
}


@pytest.mark.parametrize(
    ("files", "probe", "state", "value"),
    [
        ({"smt": "1\n"}, "smt", State.NOTE, "on: two threads share a core"),
        ({"smt": "0\n"}, "smt", State.OK, "off"),
        ({}, "smt", State.OK, "off"),
        ({"clock": "tsc\n"}, "clock", State.OK, "tsc"),
        ({"clock": "hpet\n"}, "clock", State.NOTE, "hpet"),
        ({"group": "0::/box\n", "cpu_max": "150000 100000\n"}, "quota", State.NOTE, "1.5 cores"),
        ({"group": "0::/box\n", "cpu_max": "max 100000\n"}, "quota", State.OK, "none"),
        ({"group": "1:cpu:/\n"}, "quota", State.OK, "none"),
    ],
)
def test_the_processor(system, files, probe, state, value):
    finding = getattr(processor, probe)(system(**files))
    assert finding.state is state
    assert finding.value.startswith(value)


@pytest.mark.parametrize(
    ("files", "state", "remedy"),
    [
        ({"no_turbo": "0"}, State.NOTE, "echo 1"),
        ({"no_turbo": "1"}, State.OK, ""),
        ({"boost": "1"}, State.NOTE, "echo 0"),
        ({"boost": "0"}, State.OK, ""),
        ({}, State.NOTE, "switch it off in the firmware"),
    ],
)
def test_reports_turbo_for_both_drivers(system, files, state, remedy):
    finding = processor.turbo(system(**files), FACTS)
    assert finding.state is state
    assert finding.remedy.startswith(remedy)


def test_governor_finding_names_the_command(system):
    finding = processor.governor(system(), FACTS | {"governor": "powersave"})
    assert finding.state is State.NOTE
    assert "cpupower frequency-set -g performance" in finding.remedy
    assert processor.governor(system(), FACTS).state is State.OK


def test_virtual_machine_defers_to_host(system):
    finding = processor.governor(system(), FACTS | {"governor": None, "virtual": True})
    assert finding.remedy == processor.HOST_DECIDES


def test_load_names_the_culprit(monkeypatch):
    monkeypatch.setattr(machine, "sample_work", lambda: machine.Work(1.4, "cc1plus (process 7)", 0))
    finding = processor.load()
    assert finding.state is State.NOTE
    assert finding.remedy.endswith("cc1plus (process 7)")


def test_little_memory_points_at_the_buffer_option():
    finding = memory.amount(FACTS | {"memory_available_bytes": 2**30})
    assert finding.state is State.NOTE
    assert "--buffer none" in finding.remedy


@pytest.mark.parametrize(
    ("meminfo", "state", "value"),
    [
        ("SwapTotal: 1024 kB\nSwapFree: 0 kB\n", State.NOTE, "1 MiB of 1 MiB in use"),
        ("SwapTotal: 1024 kB\nSwapFree: 1024 kB\n", State.OK, "1 MiB, unused"),
        ("SwapTotal: 0 kB\nSwapFree: 0 kB\n", State.OK, "none"),
    ],
)
def test_swap(system, meminfo, state, value):
    finding = memory.swap(system(meminfo=meminfo))
    assert (finding.state, finding.value) == (state, value)


@pytest.mark.parametrize(
    ("mode", "state"),
    [("always", State.OK), ("madvise", State.OK), ("never", State.NOTE), (None, State.MISSING)],
)
def test_huge_pages(system, mode, state):
    finding = memory.huge_pages(system(page="2097152\n"), FACTS | {"huge_pages": mode})
    assert finding.state is state
    assert ("2 MiB each" in finding.value) == (state is State.OK)


def test_reserved_pages_are_counted(system):
    assert memory.reserved(system(reserved="16\n")).value == "16 of 2 MiB"
    assert memory.reserved(system(reserved="0\n")).value.startswith("none")


def test_notes_fixed_address_layout(system):
    assert memory.randomisation(system(layout="0\n")).state is State.NOTE
    assert memory.randomisation(system(layout="2\n")).state is State.OK


def test_counters_report_all_some_or_none(system):
    names = list(counters.EVENTS)
    every = counters.judge(system(), FACTS, dict.fromkeys(names, 0))
    some = counters.judge(system(), FACTS, dict.fromkeys(names, errno.ENOENT) | {"cycles": 0})
    none = counters.judge(system(paranoid="2\n"), FACTS, dict.fromkeys(names, errno.ENOENT))
    assert (every.state, some.state, none.state) == (State.OK, State.NOTE, State.MISSING)
    assert some.value == "only cycles"
    assert none.value.startswith("none")


def test_restricted_counters_name_the_setting(system):
    finding = counters.judge(system(paranoid="4\n"), FACTS, dict.fromkeys(counters.EVENTS, errno.EACCES))
    assert finding.remedy.startswith("sudo sysctl kernel.perf_event_paranoid=2")


def test_impossible_counters_return_error_number():
    assert counters.try_event(99, 0) in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOSYS, errno.EINVAL)


def test_finds_contenders_in_package_folders(system):
    machine = system(
        boost_pool="",
        boost_container="",
        boost_version='#define BOOST_LIB_VERSION "1_81"\n',
        loki_header="",
        foonathan_header="",
        foonathan_library="",
        jemalloc="",
    )
    findings = {finding.topic: finding for finding in contenders.examine(machine, FACTS)}
    assert findings["Boost.Pool"].value == "1.81"
    assert findings["foonathan/memory"].value.endswith("memory_pool.hpp")
    assert findings["jemalloc"].state is State.OK
    assert findings["mimalloc"].state is findings["mimalloc's heaps"].state is State.MISSING
    assert findings["mimalloc"].remedy.startswith("apt-get install libmimalloc2.0")
    assert findings["mimalloc's heaps"].remedy.startswith("apt-get install libmimalloc-dev, then")


@pytest.mark.parametrize("topic", ["Boost.Container", "Loki"])
def test_headers_without_library_are_missing(system, topic):
    machine = system(boost_container="", loki_header="")
    findings = {finding.topic: finding for finding in contenders.examine(machine, FACTS)}
    assert findings[topic].state is State.MISSING


def test_boost_without_version_shows_path(system):
    findings = {finding.topic: finding for finding in contenders.examine(system(boost_pool=""), FACTS)}
    assert findings["Boost.Pool"].value.endswith("boost/pool/pool.hpp")


def test_checks_every_optional_contender(system):
    topics = [finding.topic for finding in contenders.examine(system(), FACTS)]
    assert set(mallocs.MALLOCS) <= set(topics)
    assert {library.topic for library in LIBRARIES.values() if library.package} <= set(topics)


def write_compiler(folder, name, macros):
    path = folder / name
    defined = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{defined}END\n")
    path.chmod(0o755)


CLANG = {"__GNUC__": 4, "__clang_major__": 15, "__clang_minor__": 0, "__clang_patchlevel__": 7}
GNU = {"__GNUC__": 13, "__GNUC_MINOR__": 2, "__GNUC_PATCHLEVEL__": 1}


def test_identifies_compilers_by_macros(tmp_path, monkeypatch):
    write_compiler(tmp_path, "g++-13", GNU)
    write_compiler(tmp_path, "clang++", CLANG)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert "13.2.1" in toolchain.family("g++", "").value
    monkeypatch.setenv("CXX", "g++-13")
    assert toolchain.chosen_compiler() == Finding("tools", "compiler", State.OK, "g++-13 is g++ 13.2.1")
    monkeypatch.setenv("CXX", "clang++")
    assert toolchain.chosen_compiler().value == "clang++ is clang++ 15.0.7, which is too old"


def test_reports_missing_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert toolchain.chosen_compiler().state is State.MISSING


def test_findings_that_fail_have_a_remedy():
    with pytest.raises(ValueError, match="remedy"):
        Finding("group", "topic", State.NOTE, "value")
    findings = examine()
    groups = {finding.group for finding in findings}
    assert groups == {"processor", "memory", "counters", "tools", "contenders"}
    assert len({finding.topic for finding in findings}) == len(findings) > 25


def test_the_verb_prints_each_form(monkeypatch, capsys, tmp_path):
    findings = [
        Finding("memory", "swap", State.OK, "none"),
        Finding("memory", "memory", State.NOTE, "a [little]", "end other programs"),
    ]
    assert doctor_report([*findings, *findings]).answer.text == "2 ok, 2 notes, 0 missing"
    monkeypatch.setattr(verb, "examine", lambda: findings)
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    assert verb.run(parser.parse_args([])) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[:2] == ["1 ok, 1 note, 0 missing", "memory"]
    assert lines[-2].split() == ["note", "memory", "a", "[little]"]
    assert lines[-1] == "remedy: end other programs"
    monkeypatch.setattr(sys, "argv", ["mallard", "doctor", "--markdown"])
    assert verb.run(parser.parse_args(["--markdown"])) == 0
    text = capsys.readouterr().out
    assert "    mallard doctor --markdown" in text
    assert "| note | memory | a [little]<br>remedy: end other programs |" in text
    assert verb.run(parser.parse_args(["--html", str(tmp_path / "page.html")])) == 0
    assert capsys.readouterr().out.endswith("open it in a browser\n")
    assert "a [little]<br>remedy: end other programs" in (tmp_path / "page.html").read_text()
    assert verb.run(parser.parse_args(["--json"])) == 0
    assert json.loads(capsys.readouterr().out)["findings"][1]["remedy"] == "end other programs"


@pytest.mark.parametrize(("count", "text"), [(512, "512 bytes"), (1024, "1 KiB"), (3 * 2**29, "1.5 GiB")])
def test_sizes_have_units(count, text):
    assert size(count) == text
