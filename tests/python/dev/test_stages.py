"""`mallard test` itself: stages that pass, fail and are skipped, and the verb."""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from source_tree import ROOT, own_files

from dev.check import STAGES, Counts, NativeStage, PythonStage, times, verb
from dev.check import stage as stage_module
from dev.check.command import STOPPED
from dev.check.view import StagesView, duration
from mallard.cli.parser import Answer
from mallard.shared import compilers as tools
from mallard.shared.errors import UsageError


def three(counts):
    return counts.passed, counts.failed, counts.skipped


def python_stage(workplace, text):
    folder = workplace.root / "tests/sample"
    folder.mkdir(parents=True)
    (folder / "test_sample.py").write_text(text)
    return PythonStage("sample", "").run(workplace)


def test_a_python_stage_counts_its_tests(workplace):
    source = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip('why')\n"
    counts = python_stage(workplace, source)
    assert three(counts) == (1, 1, 1)
    assert counts.failures[0].startswith("tests.sample.test_sample.test_b\n| ")
    assert counts.skips == ["why"]


def test_a_python_stage_without_tests_fails(workplace):
    counts = stage_module.check_status(workplace, 5, Counts(), "pytest")
    assert three(counts) == (0, 1, 0)
    assert counts.failures == ["pytest ended with exit status 5"]


def test_failed_build_ends_stage_with_its_output(workplace, monkeypatch):
    cmake = workplace.root / "bin/cmake"
    cmake.parent.mkdir()
    cmake.write_text("#!/bin/sh\necho 'error: no such header'; exit 1\n")
    cmake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cmake.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests/equipment"), prepend=os.pathsep)
    shutil.copy(ROOT / "conftest.py", workplace.root)
    source = (
        "import pathlib, advisor_programs, pytest\n"
        f"advisor_programs.ROOT = pathlib.Path({str(workplace.root)!r})\n"
        "@pytest.mark.parametrize('number', range(40))\n"
        "def test_a(number): advisor_programs.programs_of_advisor()\n"
    )
    workplace.jobs = 2  # processes of xdist
    counts = python_stage(workplace, source)
    assert 1 <= counts.failed <= workplace.jobs
    assert counts.passed == 0
    assert "advisor_programs.BuildError: the advisor was not built:" in counts.failures[0]
    assert "error: no such header" in counts.failures[0]
    assert "INTERNALERROR" not in workplace.log.read_text()


def test_a_native_stage_that_is_not_configured_fails(workplace, monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    counts = NativeStage("debug", "").run(workplace)
    assert counts.failed == 1
    assert counts.failures[0].startswith("cmake ended with exit status 1\n| ")


def test_a_missing_compiler_is_a_skip_with_its_remedy(workplace, monkeypatch):
    monkeypatch.setattr(tools, "find_libcxx_compiler", lambda: None)
    counts = NativeStage("libcxx", "").run(workplace)
    assert three(counts) == (0, 0, 1)
    assert counts.skips == ["libcxx skipped: apt-get install clang-19 libc++-19-dev libc++abi-19-dev"]


@pytest.mark.parametrize(("until", "last"), [("configure", "--preset"), ("build", "--build")])
def test_native_stage_ends_after_a_step(workplace, monkeypatch, until, last):
    commands = []
    monkeypatch.setattr(workplace, "run", lambda command, **_: commands.append(command) or 0)
    monkeypatch.setattr(tools, "compiler_for", lambda _: "/usr/bin/g++")
    workplace.until = until
    assert three(NativeStage("debug", "").run(workplace)) == (1, 0, 0)
    assert [command[0] for command in commands] == ["cmake"] * len(commands)
    assert commands[-1][1] == last


def test_addresses_that_cannot_be_fixed_skip_tsan(workplace, monkeypatch):
    monkeypatch.setattr(stage_module, "configure", lambda *_: True)
    monkeypatch.setattr(stage_module, "fixed_addresses", lambda: None)
    counts = NativeStage("tsan", "").run(workplace)
    assert counts.skips == ["tsan skipped: sysctl vm.mmap_rnd_bits=28"]


def test_the_build_of_another_compiler_is_removed(workplace, monkeypatch):
    commands = []
    monkeypatch.setattr(workplace, "run", lambda command, **_: commands.append(command) or 0)
    monkeypatch.setattr(tools, "compiler_for", lambda _: "/usr/bin/g++")
    directory = workplace.root / "build/debug"
    directory.mkdir()
    for compiler, kept in (("/usr/bin/g++", True), ("/usr/bin/clang++", False)):
        (directory / "CMakeCache.txt").write_text(f"CMAKE_CXX_COMPILER:STRING={compiler}\n")
        assert stage_module.configure(workplace, "debug", Counts())
        assert directory.exists() is kept
    assert commands == [["cmake", "--preset", "debug", "-DCMAKE_CXX_COMPILER=/usr/bin/g++"]] * 2


def test_the_compiler_is_the_one_asked_for(monkeypatch):
    monkeypatch.setenv("CXX", sys.executable)
    assert tools.compiler_for("asan") == tools.compiler_for("tsan") == sys.executable
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert tools.compiler_for("asan") is None


@pytest.mark.parametrize("clang", ["/usr/bin/clang++", None])
def test_long_stages_are_compiled_by_clang(monkeypatch, clang):
    monkeypatch.setattr(tools, "find_asan_compiler", lambda: clang)
    monkeypatch.setattr(tools.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.delenv("CXX", raising=False)
    assert tools.compiler_for("asan") == (clang or "/usr/bin/c++")
    assert tools.compiler_for("tsan") == "/usr/bin/c++"


@pytest.mark.parametrize("works", [True, False])
def test_a_clang_is_found_by_its_abilities(monkeypatch, tmp_path, works):
    (tmp_path / "clang++-17").write_text(
        f"#!/bin/sh\ncase $1 in -fsanitize=address) exit {int(not works)} ;; esac; exit 1\n"
    )
    (tmp_path / "clang++-17").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.find_asan_compiler() == (str(tmp_path / "clang++-17") if works else None)
    assert tools.find_libcxx_compiler() is None


# ---- the verb -----------------------------------------------------------------------------------------


def parse(*words):
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.parse_args(words)


def test_an_unknown_word_names_what_is_allowed(monkeypatch):
    monkeypatch.setattr(verb, "tree", lambda: ROOT)
    unknown = "li" + "nnt"
    with pytest.raises(
        UsageError, match=r"unknown stage '\w+' \(did you mean lint\?\), and no test mentions it"
    ):
        verb.check(parse(unknown))
    for word in ("a-b", "", "x y", "(", "not"):
        with pytest.raises(
            UsageError, match=r"allowed are lint, .* or a word of the tests, such as multipool"
        ):
            verb.check(parse(word))
    verb.check(parse("multipool"))


def test_stages_are_listed():
    with pytest.raises(Answer) as answer:
        verb.check(parse("--list"))
    text = str(answer.value)
    assert re.findall(r"^  (\S+)", text, re.MULTILINE) == [stage.name for stage in STAGES]
    assert text.count("(full)") == sum(stage.full for stage in STAGES)


def test_a_folder_that_is_no_source_tree_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    with pytest.raises(UsageError, match="no source tree"):
        verb.run(parse("lint"))


class SyntheticStage:
    text, in_other_systems = "", False

    def __init__(self, name, counts, output=""):
        self.name, self.counts, self.output, self.full = name, counts, output, False

    def run(self, workplace):
        workplace.say(self.output)
        return self.counts


@pytest.fixture
def tree(tmp_path, monkeypatch):
    (tmp_path / "CMakePresets.json").write_text("{}")
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    return tmp_path


def test_the_last_line_is_the_sum(tree, monkeypatch, capsys):
    failed = Counts(passed=1)
    failed.fail("heap.grows", "1 is [not] 2")
    stages = (
        SyntheticStage(
            "first", Counts(passed=3, skipped=1, skips=["clang-tidy skipped: apt-get install it"])
        ),
        SyntheticStage("second", failed, "what went wrong"),
    )
    monkeypatch.setattr(verb, "STAGES", stages)
    assert verb.run(parse()) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "4 passed, 1 failed, 1 skipped"
    assert lines[0].startswith("passed  first")
    assert lines[1].strip() == "clang-tidy skipped: apt-get install it"
    assert lines[2].startswith("FAILED  second")
    assert [line.strip() for line in lines[3:5]] == ["heap.grows", "| 1 is [not] 2"]
    assert (tree / "build/test-logs/second.log").read_text() == "what went wrong\n"
    entries = json.loads((tree / "build/test-logs/times.json").read_text())
    assert [entries[name]["failed"] for name in ("first", "second")] == [0, 1]
    assert entries["first"].keys() >= {"wall", "user", "system", "machine"}


def test_stored_times_forecast_the_stages(tree):
    stages = (SyntheticStage("known", Counts()), SyntheticStage("new", Counts()))
    (tree / times.STORED).parent.mkdir(parents=True)
    times.store(
        tree / times.STORED, stages[0], {"wall": 12.34, "user": 20.0, "system": 1.0}, Counts(passed=1)
    )
    assert times.forecasts(tree, stages) == {"known": 12.3, "new": times.UNKNOWN_SECONDS}


def test_success_is_exit_status_0(tree, monkeypatch, capsys):
    monkeypatch.setattr(verb, "STAGES", (SyntheticStage("only", Counts(passed=2)),))
    assert verb.run(parse("only")) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"


def test_stages_run_in_their_order():
    assert [stage.name for stage in verb.choose(parse("python", "lint"))] == ["lint", "python"]


def test_full_is_the_usual_run_and_the_rest():
    usual, full, rest = verb.choose(parse()), verb.choose(parse("--full")), verb.choose(parse("--rest"))
    assert full == list(STAGES)
    assert [stage for stage in full if stage in usual or stage in rest] == full
    assert not set(usual) & set(rest)
    assert {"asan", "python", "recording"} <= {stage.name for stage in usual}
    assert {"libcxx", "runner", "tidy", "e2e"} <= {stage.name for stage in rest}


def test_stages_are_named_or_chosen_but_not_both():
    with pytest.raises(UsageError, match="leave the names out"):
        verb.run(parse("lint", "--full"))


def test_every_folder_of_python_tests_is_a_stage():
    folders = {
        file.parent.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")
    }
    assert folders <= {stage.name for stage in STAGES}


def test_the_rest_takes_its_cost_at_the_pace_so_far():
    first, second = (SyntheticStage(name, Counts()) for name in ("first", "second"))
    view = StagesView({"first": 100, "second": 300})
    view.running = {first: 0.01}
    assert view.remaining_seconds(1000.0) == pytest.approx(399)
    view.running = {first: 0.5}
    assert view.remaining_seconds(100.0) == pytest.approx(700)
    view.running[second] = 0.25
    assert view.remaining_seconds(100.0) == pytest.approx(220)
    view.done, view.running = 100, {second: 0.0}
    assert view.remaining_seconds(200.0) == pytest.approx(600)
    view.running = {second: 1.0}
    assert view.remaining_seconds(800.0) == 0


def test_every_stage_is_in_one_lane():
    lanes = verb.side_by_side(STAGES)
    assert len(lanes) == 3
    assert all(isinstance(stage, PythonStage) for lane in lanes[1:] for stage in lane)
    assert sorted((stage for lane in lanes for stage in lane), key=STAGES.index) == list(STAGES)
    assert all(lane == sorted(lane, key=STAGES.index) for lane in lanes)
    assert verb.side_by_side(STAGES[:3]) == [list(STAGES[:3])]


class NativeOne(SyntheticStage):
    def __init__(self, name, act):
        super().__init__(name, Counts(passed=1))
        self.full, self.act = True, act

    def run(self, workplace):
        self.act(workplace)
        return self.counts


class PythonOne(NativeOne, PythonStage):
    __hash__ = object.__hash__
    __setattr__ = object.__setattr__


def test_until_leaves_python_stages_and_times_out(tree, monkeypatch, capsys):
    steps = []
    stages = [kind(kind.__name__, lambda place: steps.append(place.until)) for kind in (NativeOne, PythonOne)]
    monkeypatch.setattr(verb, "STAGES", stages)
    assert verb.run(parse("--rest", "--until", "configure")) == 0
    assert steps == ["configure"]
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"
    assert not (tree / "build/test-logs/times.json").exists()


def test_until_needs_a_stage_that_compiles(monkeypatch):
    monkeypatch.setattr(verb, "tree", lambda: ROOT)
    verb.check(parse("--until", "build", "lint", "asan"))
    with pytest.raises(UsageError, match="--until build is for stages that compile; name one, such as asan"):
        verb.check(parse("--until", "build", "lint"))


def test_lanes_run_side_by_side(tree, monkeypatch, capsys):
    both = threading.Barrier(2)
    stages = [kind(kind.__name__, lambda _: both.wait(60)) for kind in (NativeOne, PythonOne)]
    monkeypatch.setattr(verb, "STAGES", stages)
    assert verb.run(parse("--rest")) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"
    assert len(json.loads((tree / "build/test-logs/times.json").read_text())) == 2


def test_an_interrupt_ends_the_commands_of_both_lanes(tree, monkeypatch):
    started, statuses = threading.Event(), []

    def interrupt(_):
        started.wait(60)
        raise KeyboardInterrupt

    def sleep(workplace):
        started.set()
        statuses.append(workplace.run(["sleep", "100000"]))

    monkeypatch.setattr(verb, "STAGES", (NativeOne("long", sleep), PythonOne("ended", interrupt)))
    with pytest.raises(KeyboardInterrupt):
        verb.run(parse("--rest"))
    assert statuses == [STOPPED]


def test_the_processor_time_of_a_command_is_counted(workplace):
    command = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(5_000_000))'])"
    assert workplace.run([sys.executable, "-c", command]) == 0
    assert workplace.user > 0


def test_durations_are_minutes_and_seconds():
    texts = [duration(seconds) for seconds in (0.4, 59, 60, 125)]
    assert texts == ["0 s", "59 s", "1 min 00 s", "2 min 05 s"]


@pytest.mark.skipif(shutil.which("git") is None, reason="no git: apt-get install git")
def test_own_files_are_the_same_without_git(tmp_path, monkeypatch):
    for name in ("a.cpp", "folder/b.hpp", "build/made.cpp", "folder/__pycache__/c.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("/build/\n__pycache__/\n")
    expected = [Path(".gitignore"), Path("a.cpp"), Path("folder/b.hpp")]
    assert own_files(tmp_path) == expected
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert own_files(tmp_path) == expected
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_files(tmp_path) == expected


def test_a_limit_that_only_root_may_read_is_no_error(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError

    bits = tmp_path / "mmap_rnd_bits"
    monkeypatch.setattr(stage_module, "RANDOM_BITS", bits)
    assert stage_module.fixed_addresses() == []  # no such limit
    bits.write_text("28\n")
    assert stage_module.fixed_addresses() == []
    monkeypatch.setattr(Path, "read_text", refuse)
    assert stage_module.fixed_addresses() in (["setarch", platform.machine(), "--addr-no-randomize"], None)
