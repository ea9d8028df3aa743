"""The program as `pipx install mallard` gives it: its native programs, and the runner that it builds."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys

import pytest
from source_tree import ROOT

from dev.package.foreign_debian import LIBRARIES
from mallard.bench import described
from mallard.bench.expected_runner import condense, missing_strategies, normalize

ONE_CELL = ("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete,monotonic", "--reps=1")
# Not the profiler, where the loader chooses between a clone with AVX2 and one without.
NATIVE = (
    "bin/mallard-record",
    "lib/libmallard_record.so",
    "lib/libmallard_measured.so",
    "lib/libmallard_trial.so",
)
# Unoptimised code compiles sooner, and no time is judged. The macro is the runner's sign of optimisation.
COMPILER = '#!/bin/sh\nexec c++ "$@" -O0 -D__OPTIMIZE__\n'


@pytest.fixture(scope="module")
def package(site):
    (folder,) = site.glob("lib/python*/site-packages/mallard")
    return folder


@pytest.fixture(scope="module")
def measured(site, package, tmp_path_factory):
    """The folder of two calls of `mallard bench`, and their messages. The runner has no contender but
    std::pmr."""
    folder = tmp_path_factory.mktemp("measured")
    compiler, presets = folder / "c++", package / "source/CMakePresets.json"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    release = '"CMAKE_BUILD_TYPE": "Release", "MALLARD_BENCH": "ON"'
    presets.write_text(presets.read_text().replace(release, f'{release}, "MALLARD_CONTENDERS": "none"'))
    environment = {"PATH": os.environ["PATH"], "CXX": str(compiler), "XDG_CACHE_HOME": f"{folder}/cache"}
    messages = []
    for _ in range(2):
        command = [site / "bin/mallard", *ONE_CELL]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        messages.append(done.stderr)
    return folder, messages


@pytest.fixture(scope="module")
def description(measured):
    (runner,) = measured[0].glob("cache/mallard/*/build/release/bench/mallard-bench")
    return json.loads(subprocess.run([runner, "--describe"], capture_output=True, text=True).stdout)


def test_runs_with_glibc_2_35(wheel):
    show = [sys.executable, "-m", "auditwheel", "show", wheel]
    report = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    tag = f"manylinux_2_35_{platform.machine()}"
    assert f'"{tag}"' in report
    assert wheel.name.endswith(f"-py3-none-{tag}.whl")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names registers of x86-64")
@pytest.mark.parametrize("name", NATIVE)
def test_runs_on_every_processor(package, name):
    disassembly = ["objdump", "--disassemble", package / name]
    code = subprocess.run(disassembly, capture_output=True, text=True, check=True).stdout
    assert "%xmm" in code
    assert re.findall(r"%[yz]mm\d+", code) == []


def test_has_the_licences_of_linked_libraries(package):
    texts = {file.name for file in (package / "licences").iterdir()}
    assert {"GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3", "libgcc-s1", *LIBRARIES} == texts


def test_has_the_version_of_the_tree(call):
    version = (ROOT / "CMakeLists.txt").read_text().split("VERSION")[2].split()[0]
    assert call("mallard", "--version").stdout == f"mallard {version}\n"


def test_builds_the_runner_once(measured):
    first, second = measured[1]
    building = [line for line in first.splitlines() if "building" in line]
    assert len(building) == 1
    assert building[0].startswith("mallard: building mallard-bench with ")
    assert f"(Release) in {measured[0]}/cache/mallard/" in building[0]
    assert "building" not in second


def test_measures_stores_and_shows(measured, call):
    database = str(measured[0] / "mallard.db")
    assert json.loads(call("mallard", "show", "export", "--format", "json", "--db", database).stdout)
    page = measured[0] / "report.html"
    call("mallard", "show", "page", "-o", str(page), "--db", database)
    assert "<html" in page.read_text()
    assert "monotonic" in call("mallard", "show", "table", "p0213:6", "--db", database).stdout


def test_the_runner_is_the_described_one(description):
    expected = normalize(described.EXPERIMENTS, missing_strategies(description))
    assert normalize(condense(description)) == expected
    assert all(description[key] == described.DESCRIPTION[key] for key in described.REGISTRY)
    missing = {entry["name"] for entry in description["missing"]}
    boost = {"Boost.Pool", "Boost.Container", "Boost.Interprocess"}
    assert missing == {*boost, "BDE", "foonathan/memory", "Loki", "mimalloc"}


def test_bench_names_the_missing_compiler(call, tmp_path):
    (tmp_path / "bin").mkdir()
    message = call("mallard", *ONE_CELL, status=2, PATH=f"{tmp_path}/bin").stderr
    assert message.count("\n") == 1
    assert "the benchmark's runner is built on each machine; missing: compiler" in message
    for package in ("g++", "cmake", "ninja-build"):
        assert f"apt-get install {package}" in message


def test_bench_needs_a_cache_to_write(call, tmp_path):
    (tmp_path / "cache").write_text("")
    message = call("mallard", *ONE_CELL, status=2, XDG_CACHE_HOME=f"{tmp_path}/cache").stderr
    assert message.count("\n") == 1
    assert f"cannot build in {tmp_path}/cache/mallard/" in message
    assert "XDG_CACHE_HOME" in message


@pytest.mark.parametrize("verb", ["test", "docs"])
def test_developers_verbs_run_in_a_clone(call, verb):
    assert "runs in a clone" in call("mallard", verb, status=2).stderr


def test_verifies_a_changed_program(call, tmp_path):
    before, after = (shutil.copy("/usr/bin/sort", tmp_path / name) for name in ("before", "after"))
    text = tmp_path / "text"
    text.write_text("".join(f"{number}\n" for number in range(1000)))
    call("mallard", "verify", before, after, "--rounds", "3", "--json", "--", str(text))
