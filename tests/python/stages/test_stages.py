"""`mallard test` itself: passed and failed stages, and the remains of a hanging or failing command."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mallard.cli import test as verb
from mallard.command_line.parser import Answer
from mallard.errors import UsageError
from mallard.stages import STAGES, Outcome, Workplace, command, native, python_tests, tools
from mallard.stages.command import SILENT
from mallard.stages.outcome import Failure, read_junit
from mallard.stages.sources import own_files

JUNIT = """<testsuite>
<testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c"><error message=""/></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="e" status="notrun"><skipped message="Unable to find executable: tests/e"/></testcase>
</testsuite>"""


@pytest.fixture
def workplace(tmp_path):
    return Workplace(tmp_path, tmp_path / "stage.log", jobs=1)


def test_junit_files_are_counted(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT)
    outcome = read_junit(report)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (1, 3, 1)
    assert outcome.notes == ["e: its program is not there"]


def test_a_program_of_tests_is_counted_by_its_own_account(tmp_path):
    report, accounts = tmp_path / "ctest.xml", tmp_path / "accounts"
    accounts.mkdir()
    report.write_text(
        "<testsuite>"
        '<testcase name="units.1"/><testcase name="units.2"><failure/></testcase>'
        '<testcase name="crashes.1"><failure/></testcase><testcase name="leaks.1"><failure/></testcase>'
        '<testcase name="no.program"/>'
        "</testsuite>"
    )
    (accounts / "units.1.xml").write_text(
        '<testsuites><testsuite><testcase name="a" result="completed"/>'
        '<testcase name="b"/><testcase name="c" result="suppressed"/></testsuite></testsuites>'
    )
    (accounts / "units.2.xml").write_text(
        '<testsuites><testcase name="d"><failure/></testcase>'
        '<testcase name="e"><skipped/></testcase></testsuites>'
    )
    (accounts / "leaks.1.xml").write_text('<testsuites><testcase name="f"/></testsuites>')
    outcome = read_junit(report, accounts)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (4, 3, 2)
    assert outcome.notes == ["leaks.1: its tests passed, its program failed"]


def test_a_failure_has_its_name_and_its_last_words(tmp_path):
    report, accounts = tmp_path / "ctest.xml", tmp_path / "accounts"
    accounts.mkdir()
    long = "\n".join(f"line {number}" for number in range(100))
    report.write_text(
        '<testsuite><testcase name="units.1"><failure/><system-out>all tests</system-out></testcase>'
        f'<testcase name="crashes.1"><failure message=""/><system-out>{long}</system-out></testcase>'
        "</testsuite>"
    )
    (accounts / "units.1.xml").write_text(
        '<testsuites><testcase classname="heap" name="grows">'
        '<failure message="short">1 is not\n2</failure></testcase>'
        '<testcase classname="heap" name="shrinks"/></testsuites>'
    )
    grows, crash = read_junit(report, accounts).failures
    assert (grows.name, grows.lines) == ("heap.grows", ("1 is not", "2"))
    assert crash.name == "crashes.1"
    assert (crash.lines[0], crash.lines[-1]) == ("line 60", "line 99")


def test_output_goes_to_the_log(workplace):
    assert workplace.run(["sh", "-c", "echo heard; echo too >&2; exit 3"]) == 3
    log = workplace.log.read_text()
    assert "heard" in log
    assert "too" in log


def test_a_silent_command_is_ended_with_its_children(workplace):
    assert workplace.run(["sh", "-c", "sleep 600 & echo $! > child; wait"], silence_limit=0.5) == SILENT
    child = int((workplace.root / "child").read_text())
    assert gone(child)
    assert "nothing was printed" in workplace.log.read_text()


def test_a_slow_command_that_is_heard_of_goes_on(workplace, monkeypatch):
    """By a clock that moves with each line, it takes many times as long as it may be silent."""
    monkeypatch.setattr(command.time, "monotonic", lambda: workplace.log.read_text().count("\n"))
    words = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.05; done; exit 7"]
    assert workplace.run(words, silence_limit=2) == 7
    assert workplace.log.read_text().splitlines()[-1] == "9"


def test_a_child_that_is_left_behind_holds_nothing_up(workplace):
    assert workplace.run(["sh", "-c", "sleep 600 & echo $! > child; echo done"]) == 0
    assert gone(int((workplace.root / "child").read_text()))
    assert workplace.log.read_text().splitlines()[-1] == "done"


def test_a_command_that_closes_its_output_is_waited_for(workplace):
    assert workplace.run(["sh", "-c", "exec >&- 2>&-; sleep 0.5; exit 5"]) == 5


def gone(process):
    """Ended processes may stay for a moment until they are waited for by their adoptive parent."""
    for _ in range(100):
        try:
            with open(f"/proc/{process}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def python_stage(workplace, name, text):
    folder = workplace.root / "tests" / name
    folder.mkdir(parents=True)
    (folder / f"test_{name}.py").write_text(text)
    (workplace.build / "test-logs").mkdir(parents=True)
    return python_tests.PythonStage(name, "", 1).run(workplace)


def test_a_python_stage_counts_its_tests(workplace):
    source = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip('why')\n"
    outcome = python_stage(workplace, "sample", source)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (1, 1, 1)


def test_a_python_stage_without_tests_fails(workplace):
    outcome = python_stage(workplace, "sample", "")
    assert (outcome.passed, outcome.failed) == (0, 1)
    assert outcome.notes == ["no tests found"]


def test_a_stage_whose_program_is_missing_is_skipped_and_says_what_to_install(workplace):
    outcome = python_tests.PythonStage("e2e", "", 1, any_of=("no-such-program",), package="some-package").run(
        workplace
    )
    assert (outcome.passed, outcome.failed, outcome.skipped) == (0, 0, 1)
    assert "apt-get install some-package" in outcome.notes[0]


def test_a_native_stage_that_cannot_be_configured_fails(workplace):
    outcome = native.NativeStage("debug", "", 1).run(workplace)
    assert outcome.failed == 1
    assert outcome.notes == ["cmake could not configure it"]


def test_a_build_directory_made_by_another_compiler_is_made_anew(tmp_path):
    cache, files = tmp_path / "CMakeCache.txt", tmp_path / "CMakeFiles"
    cache.write_text("CMAKE_CXX_COMPILER:STRING=/usr/bin/g++\n")
    files.mkdir()
    native.configure_command(tmp_path, "asan", "/usr/bin/g++")
    assert cache.exists()
    assert files.exists()
    command = native.configure_command(tmp_path, "asan", "/usr/bin/clang++")
    assert command == ["cmake", "--preset", "asan", "-DCMAKE_CXX_COMPILER=/usr/bin/clang++"]
    assert not cache.exists()
    assert not files.exists()


def test_the_compiler_is_the_one_that_was_asked_for(monkeypatch):
    monkeypatch.setenv("CXX", sys.executable)
    assert tools.compiler() == sys.executable
    assert native.NativeStage("asan", "", 1, tools=("clang",)).compiler(Outcome()) == sys.executable
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert tools.compiler() is None


@pytest.mark.parametrize("clang", ["/usr/bin/clang++", None])
def test_a_stage_that_takes_long_is_compiled_by_clang_where_there_is_one(monkeypatch, clang):
    monkeypatch.setattr(native.tools, "find_asan_compiler", lambda: clang)
    monkeypatch.setattr(native.tools, "compiler", lambda: "/usr/bin/c++")
    monkeypatch.delenv("CXX", raising=False)
    outcome = Outcome()
    assert native.NativeStage("asan", "", 1, tools=("clang",)).compiler(outcome) == (clang or "/usr/bin/c++")
    assert native.NativeStage("tsan", "", 1).compiler(outcome) == "/usr/bin/c++"
    assert len(outcome.notes) == (0 if clang else 1)
    assert all("apt-get install clang-19" in note for note in outcome.notes)


@pytest.mark.parametrize("meets", [True, False])
def test_a_clang_is_found_by_what_it_can_do(monkeypatch, tmp_path, meets):
    (tmp_path / "clang++-17").write_text(
        f"#!/bin/sh\ncase $1 in -fsanitize=address) exit {int(not meets)} ;; esac; exit 1\n"
    )
    (tmp_path / "clang++-17").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.find_asan_compiler() == (str(tmp_path / "clang++-17") if meets else None)
    assert tools.find_libcxx_compiler() is None


def parse(*words):
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.parse_args(words)


def test_an_unknown_stage_names_those_allowed():
    with pytest.raises(UsageError, match=r"unknown stage 'lent' \(did you mean lint\?\); allowed are lint,"):
        verb.check(parse("lent"))


def test_stages_are_listed():
    with pytest.raises(Answer) as answer:
        verb.check(parse("--list"))
    told = str(answer.value)
    assert re.findall(r"^  (\S+)", told, re.MULTILINE) == [stage.name for stage in STAGES]
    assert told.count("(full)") == sum(stage.full for stage in STAGES)


def test_a_folder_that_is_no_source_tree_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    with pytest.raises(UsageError, match="no source tree"):
        verb.run(parse("lint"))


class MadeUpStage:
    text = ""
    cost = 1

    def __init__(self, name, outcome, output="", full=False):
        self.name, self.outcome, self.output, self.full = name, outcome, output, full

    def run(self, workplace):
        workplace.say(self.output)
        return self.outcome


@pytest.fixture
def tree(tmp_path, monkeypatch):
    (tmp_path / "CMakePresets.json").write_text("{}")
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    return tmp_path


def test_the_last_line_is_the_sum_and_a_failure_shows_its_log(tree, monkeypatch, capsys):
    stages = (
        MadeUpStage("first", Outcome(passed=3, skipped=1, notes=["clang-tidy skipped: apt-get install it"])),
        MadeUpStage("second", Outcome(passed=1, failed=2), "what [went] wrong"),
    )
    monkeypatch.setattr(verb, "STAGES", stages)
    assert verb.run(parse()) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "4 passed, 2 failed, 1 skipped"
    assert lines[0].startswith("passed  first")
    assert lines[1].strip() == "clang-tidy skipped: apt-get install it"
    assert lines[2].startswith("FAILED  second")
    assert any("what [went] wrong" in line for line in lines)
    assert (tree / "build/test-logs/second.log").read_text().startswith("what [went] wrong")


def test_a_named_failure_stands_for_the_end_of_the_log(tree, monkeypatch, capsys):
    failed = Outcome(failed=1, failures=[Failure("heap.grows", ("1 is [not] 2",))])
    monkeypatch.setattr(verb, "STAGES", (MadeUpStage("only", failed, "the last line of all"),))
    assert verb.run(parse("only")) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:3] == ["heap.grows", "| 1 is [not] 2"]
    assert not any("the last line of all" in line for line in lines)


def test_success_is_exit_status_0(tree, monkeypatch, capsys):
    monkeypatch.setattr(verb, "STAGES", (MadeUpStage("only", Outcome(passed=2)),))
    assert verb.run(parse("only")) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"


def test_stages_run_in_their_order_whatever_the_order_of_the_words():
    assert [stage.name for stage in verb.choose(parse("python", "lint"))] == ["lint", "python"]


def test_full_is_the_usual_run_and_the_rest():
    usual, full, rest = verb.choose(parse()), verb.choose(parse("--full")), verb.choose(parse("--rest"))
    assert full == list(STAGES)
    assert [stage for stage in full if stage in usual or stage in rest] == full
    assert not set(usual) & set(rest)
    assert {"asan", "python", "e2e"} <= {stage.name for stage in usual}
    assert {"libcxx", "no-exceptions", "tidy"} <= {stage.name for stage in rest}


def test_stages_are_named_or_chosen_but_not_both():
    with pytest.raises(UsageError, match="name none beside them"):
        verb.run(parse("lint", "--full"))


def test_environment_given_to_a_command_adds_to_the_callers(workplace):
    words = ["sh", "-c", 'test "$EXTRA" = yes && test -n "$PATH"']
    assert workplace.run(words, environment={"EXTRA": "yes"}) == 0
    assert "EXTRA" not in os.environ


@pytest.mark.skipif(shutil.which("git") is None, reason="no git: apt-get install git")
def test_own_files_are_the_same_with_and_without_git(tmp_path, monkeypatch):
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
