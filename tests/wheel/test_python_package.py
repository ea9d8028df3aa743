"""The program as `pip install .` gives it: outside the tree, with its native runner inside the package."""

import json
import os
import subprocess
import sys

import pytest
from source_tree import ROOT

from mallard.bench import described
from mallard.bench.expected_runner import condense, missing_strategies, normalize


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The wheel's content alone, on a machine with no contender but std::pmr; its dependencies come from the
    environment of the tests."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    pip += ["--config-settings", "cmake.define.MALLARD_CONTENDERS=none", str(ROOT)]
    environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0)))}
    done = subprocess.run(pip, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def program(site, tmp_path):
    def call(*words, fails=False):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLARD_")}
        done = subprocess.run(
            [site / "bin/mallard", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(site)},
        )
        assert (done.returncode == 2) if fails else (done.returncode == 0), done.stderr
        return done.stderr if fails else done.stdout

    return call


def test_it_brings_its_runner(site, program):
    describe = [site / "mallard/bin/mallard-bench", "--describe"]
    assert json.loads(subprocess.run(describe, capture_output=True, text=True).stdout)["format"] == 1


def test_its_version_is_the_trees(program):
    version = (ROOT / "CMakeLists.txt").read_text().split("VERSION")[2].split()[0]
    assert program("--version") == f"mallard {version}\n"


def test_it_measures_stores_and_shows(program, tmp_path):
    program(
        "bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete,monotonic", "--reps", "1"
    )
    assert (tmp_path / "mallard.db").is_file()
    exported = json.loads(program("show", "export", "--format", "json"))
    assert exported
    program("show", "page", "-o", "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()
    assert "monotonic" in program("show", "table", "p0213:6")


def test_it_knows_that_the_tests_need_the_tree(program):
    assert "runs in a clone" in program("test", fails=True)


def test_its_runner_is_the_one_that_the_package_describes(site):
    told = subprocess.run([site / "mallard/bin/mallard-bench", "--describe"], capture_output=True, text=True)
    description = json.loads(told.stdout)
    expected = normalize(described.EXPERIMENTS, missing_strategies(description))
    assert normalize(condense(description)) == expected
    assert all(description[key] == described.DESCRIPTION[key] for key in described.REGISTRY)
    missing = {each["name"] for each in description["missing"]}
    boost = {"Boost.Pool", "Boost.Container", "Boost.Interprocess"}
    assert missing == {*boost, "foonathan/memory", "Loki", "mimalloc"}
