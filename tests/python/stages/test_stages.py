"""`mallard test` itself: passed and failed stages, words, and the remains of a hanging or failing command."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from source_tree import ROOT, own_files

from mallard.cli import test as verb
from mallard.command_line.parser import Answer
from mallard.errors import UsageError
from mallard.stages import (
    STAGES,
    Counts,
    NativeStage,
    PythonStage,
    WordStage,
    Workplace,
    command,
    tools,
    words,
)
from mallard.stages import stage as stage_module
from mallard.stages.command import SILENT
from mallard.stages.counts import read_junit
from mallard.view.terminal.stages import StagesView, duration

JUNIT = """<testsuite>
<testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c"><error message=""/></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="e" status="notrun"><skipped message="Unable to find executable: tests/e"/></testcase>
</testsuite>"""


@pytest.fixture
def workplace(tmp_path):
    (tmp_path / "build/test-logs").mkdir(parents=True)
    (tmp_path / "stage.log").write_text("")
    return Workplace(tmp_path, tmp_path / "stage.log", jobs=1)


def three(counts):
    return counts.passed, counts.failed, counts.skipped


def test_junit_files_are_counted(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT)
    counts = read_junit(report)
    assert three(counts) == (1, 3, 1)
    assert counts.failures == ["b", "c", "e: its program is not there"]
    assert counts.skips == ["SKIP_REGULAR_EXPRESSION_MATCHED"]


def test_a_program_of_tests_is_counted_by_its_own_file(tmp_path):
    report, programs = tmp_path / "ctest.xml", tmp_path / "programs"
    programs.mkdir()
    report.write_text(
        "<testsuite>"
        '<testcase name="units.1"/><testcase name="units.2"><failure/></testcase>'
        '<testcase name="crashes.1"><failure/></testcase><testcase name="leaks.1"><failure/></testcase>'
        '<testcase name="no.program"/>'
        "</testsuite>"
    )
    (programs / "units.1.xml").write_text(
        '<testsuites><testsuite><testcase name="a" result="completed"/>'
        '<testcase name="b"/><testcase name="c" result="suppressed"/></testsuite></testsuites>'
    )
    (programs / "units.2.xml").write_text(
        '<testsuites><testcase name="d"><failure/></testcase>'
        '<testcase name="e"><skipped message="no huge pages"/></testcase></testsuites>'
    )
    (programs / "leaks.1.xml").write_text('<testsuites><testcase name="f"/></testsuites>')
    counts = read_junit(report, programs)
    assert three(counts) == (4, 3, 2)
    assert counts.failures == ["d", "crashes.1", "leaks.1: its tests passed, its program failed"]
    assert counts.skips == ["no huge pages"]


def test_a_failure_ends_with_its_last_lines(tmp_path):
    report, programs = tmp_path / "ctest.xml", tmp_path / "programs"
    programs.mkdir()
    long = "\n".join(f"line {number}" for number in range(100))
    report.write_text(
        '<testsuite><testcase name="units.1"><failure/><system-out>all tests</system-out></testcase>'
        f'<testcase name="crashes.1"><failure message=""/><system-out>{long}</system-out></testcase>'
        "</testsuite>"
    )
    (programs / "units.1.xml").write_text(
        '<testsuites><testcase classname="heap" name="grows">'
        '<failure message="short">1 is not\n2</failure></testcase>'
        '<testcase classname="heap" name="shrinks"/></testsuites>'
    )
    grows, crash = read_junit(report, programs).failures
    assert grows == "heap.grows\n| 1 is not\n| 2"
    assert crash.splitlines()[:2] == ["crashes.1", "| line 60"]
    assert crash.splitlines()[-1] == "| line 99"


# ---- commands -----------------------------------------------------------------------------------------


def test_output_goes_to_the_log(workplace):
    assert workplace.run(["sh", "-c", "echo heard; echo too >&2; exit 3"]) == 3
    assert workplace.log.read_text().splitlines()[1:] == ["heard", "too"]


def test_a_silent_command_is_ended_with_its_children(workplace):
    assert workplace.run(["sh", "-c", "sleep 600 & echo $! > child; wait"], silence_limit=0.5) == SILENT
    assert ended(int((workplace.root / "child").read_text()))
    assert "nothing was printed" in workplace.log.read_text()


def test_a_slow_command_that_prints_goes_on(workplace, monkeypatch):
    """By a clock that moves with each line, it takes many times as long as it may be silent."""
    monkeypatch.setattr(command.time, "monotonic", lambda: workplace.log.read_text().count("\n"))
    script = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.05; done; exit 7"
    assert workplace.run(["sh", "-c", script], silence_limit=900) == 7
    assert workplace.log.read_text().splitlines()[-1] == "9"


def test_a_child_left_behind_delays_nothing(workplace):
    assert workplace.run(["sh", "-c", "sleep 600 & echo $! > child; echo done"]) == 0
    assert ended(int((workplace.root / "child").read_text()))
    assert workplace.log.read_text().splitlines()[-1] == "done"


def test_a_command_that_closes_its_output_is_waited_for(workplace):
    assert workplace.run(["sh", "-c", "exec >&- 2>&-; sleep 0.5; exit 5"]) == 5


def ended(process):
    """Ended processes may stay for a moment until they are waited for by their adoptive parent."""
    while True:
        try:
            with open(f"/proc/{process}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)


def test_the_environment_of_a_command_adds_to_the_callers(workplace):
    script = 'test "$EXTRA" = yes && test -n "$PATH"'
    assert workplace.run(["sh", "-c", script], environment={"EXTRA": "yes"}) == 0
    assert "EXTRA" not in os.environ


LINES = [
    ("[35/140] Building CXX object tests/unit/reuse/order_test.cpp.o", 0.25),
    ("[ 20%] Building CXX object CMakeFiles/mallard.dir/pages.cpp.o", 0.2),
    ("a line\n 3/12 Test  #5: units.1 ......   Passed    0.53 sec\n", 0.25),
    ("tests/python/test_run.py .......... [ 45%]", 0.45),
    ("[1/4] one\n[2/4] two\n", 0.5),
    ("include/mallard/a.hpp:3: warning: [1/2 of it", None),
    ("[0/0] nothing to do", 0.0),
]


@pytest.mark.parametrize(("text", "share"), LINES)
def test_progress_is_read_from_the_output(workplace, text, share):
    shares = []
    workplace.show = shares.append
    workplace.show_step(text, (0.0, 1.0))
    assert shares == ([] if share is None else [pytest.approx(share)])


def test_a_command_is_a_part_of_its_stage(workplace):
    shares = []
    workplace.show = shares.append
    workplace.run(["echo", "[1/2] a"], part=(0.0, 0.8))
    workplace.run(["echo", "1/2 Test #1: b"], part=(0.8, 1.0))
    assert shares == pytest.approx([0.4, 0.9])


# ---- stages -------------------------------------------------------------------------------------------


def python_stage(workplace, text):
    folder = workplace.root / "tests/sample"
    folder.mkdir(parents=True)
    (folder / "test_sample.py").write_text(text)
    return PythonStage("sample", "", 1).run(workplace)


def test_a_python_stage_counts_its_tests(workplace):
    source = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip('why')\n"
    counts = python_stage(workplace, source)
    assert three(counts) == (1, 1, 1)
    assert counts.failures[0].startswith("tests.sample.test_sample.test_b\n| ")
    assert counts.skips == ["why"]


def test_a_python_stage_without_tests_fails(workplace):
    counts = python_stage(workplace, "")
    assert three(counts) == (0, 1, 0)
    assert counts.failures[0].startswith("pytest ended with exit status 5\n| ")


def test_a_native_stage_that_is_not_configured_fails(workplace, monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    counts = NativeStage("debug", "", 1).run(workplace)
    assert counts.failed == 1
    assert counts.failures[0].startswith("cmake ended with exit status 1\n| ")


def test_a_missing_compiler_is_a_skip_with_its_remedy(workplace, monkeypatch):
    monkeypatch.setattr(tools, "find_libcxx_compiler", lambda: None)
    counts = NativeStage("libcxx", "", 1).run(workplace)
    assert three(counts) == (0, 0, 1)
    assert counts.skips == ["libcxx skipped: apt-get install clang-19 libc++-19-dev libc++abi-19-dev"]


def test_addresses_that_cannot_be_fixed_skip_tsan(workplace, monkeypatch):
    monkeypatch.setattr(stage_module, "configure", lambda *_: True)
    monkeypatch.setattr(stage_module, "fixed_addresses", lambda: None)
    counts = NativeStage("tsan", "", 1).run(workplace)
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


# ---- words --------------------------------------------------------------------------------------------

POOL_TEST = "TEST(pool, grows) {}\nTYPED_TEST(typed_pool, trims) {}\n"
CTEST = {
    "tests": [
        {"name": "unit.1", "properties": [{"name": "LABELS", "value": ["tests/unit/local/pool_test.cpp"]}]},
        {"name": "contract", "properties": [{"name": "LABELS", "value": ["tests/contract/basics.cpp"]}]},
    ]
}


@pytest.fixture
def tests(workplace):
    files = {
        "unit/local/pool_test.cpp": POOL_TEST,
        "unit/local/heap_test.cpp": "TEST(heap, is_no_pool) {}\nTEST(heap, merges) { bytes_of_slot(); }\n",
        "trace/reader_test.cpp": "TEST(reader, reads) {}",
        "python/test_table.py": "def test_pool(): pass\ndef test_heap(): pass\n",
        "wheel/test_pool.py": "def test_pool(): pass\n",
        "equipment/pool.cpp": "void pool();",
    }
    for name, text in files.items():
        path = workplace.root / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return workplace


def test_a_word_is_looked_for_in_names_first(tests):
    found = {str(each.file): each.whole for each in words.mentions(tests.root, "pool")}
    assert found == {
        "tests/python/test_table.py": False,
        "tests/unit/local/heap_test.cpp": False,
        "tests/unit/local/pool_test.cpp": True,
    }


def test_a_word_that_names_nothing_is_looked_for_in_the_text(tests):
    (found,) = words.mentions(tests.root, "bytes_of_slot")
    assert (str(found.file), found.suites, found.whole) == ("tests/unit/local/heap_test.cpp", {"heap"}, True)
    assert words.mentions(tests.root, "bytes_of") == []


def test_a_word_runs_its_programs_and_files(tests, monkeypatch):
    called = []
    listing = subprocess.CompletedProcess([], 0, json.dumps(CTEST), "")
    monkeypatch.setattr(words, "configure", lambda *_: True)
    monkeypatch.setattr(words.subprocess, "run", lambda *_, **__: listing)
    monkeypatch.setattr(words, "build_and_test", lambda *given: called.append(given[1:]) or Counts(passed=2))
    monkeypatch.setattr(words, "run_pytest", lambda *given: called.append(given[1:]) or Counts(passed=1))
    assert WordStage("pool", "", 1).run(tests).passed == 3
    filters = "*pool*:pool[./]*:*/pool[./]*:typed_pool[./]*:*/typed_pool[./]*"
    assert called == [
        ("asan", ["unit"], r"^(unit)(\.|$)", {"GTEST_FILTER": filters}),
        ("pool", ["tests/python/test_table.py", "-k", "pool"], "load"),
    ]


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
    text = ""
    cost = 1

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
    assert {"asan", "python", "e2e"} <= {stage.name for stage in usual}
    assert {"libcxx", "no-exceptions", "tidy", "python-full"} <= {stage.name for stage in rest}


def test_stages_are_named_or_chosen_but_not_both():
    with pytest.raises(UsageError, match="name none beside them"):
        verb.run(parse("lint", "--full"))


def test_every_folder_of_python_tests_is_a_stage():
    folders = {
        file.parent.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")
    }
    assert folders <= {stage.name for stage in STAGES}


def test_the_rest_takes_its_cost_at_the_pace_so_far():
    view = StagesView({"first": 100, "second": 300})
    assert view.seconds_left("first", 0.01, 1000.0) == pytest.approx(399)
    assert view.seconds_left("first", 0.5, 100.0) == pytest.approx(700)
    view.done = 100
    assert view.seconds_left("second", 0.0, 200.0) == pytest.approx(600)
    assert view.seconds_left("second", 1.0, 800.0) == 0


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
