"""The commands of a stage: progress, silence, and the remains of a hanging command; counts of its tests."""

import os
from itertools import count

import pytest
from advisor_programs import has_ended, wait_until

from dev.check import command
from dev.check.command import SILENT
from dev.check.counts import read_junit

JUNIT = """<testsuite>
<testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c"><error message=""/></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="e" status="notrun"><skipped message="Unable to find executable: tests/e"/></testcase>
</testsuite>"""


def three(counts):
    return counts.passed, counts.failed, counts.skipped


def test_junit_files_are_counted(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT)
    counts = read_junit(report)
    assert three(counts) == (1, 3, 1)
    assert counts.failures == ["b", "c", "e: its program does not exist"]
    assert counts.skips == ["SKIP_REGULAR_EXPRESSION_MATCHED"]


def test_test_programs_count_by_own_file(tmp_path):
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


def test_failure_includes_last_lines(tmp_path):
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


def test_kills_silent_command_with_children(workplace, monkeypatch):
    """By a clock that moves with each look, once the child is there."""
    child, seconds = workplace.root / "child", count(0.0, 1000.0)
    script = "sleep 600 & echo $! > new; mv new child; wait"
    with monkeypatch.context() as patch:
        patch.setattr(command.time, "monotonic", lambda: next(seconds) if child.exists() else 0.0)
        assert workplace.run(["sh", "-c", script], silence_limit=900) == SILENT
    wait_until(lambda: has_ended(int(child.read_text())))
    assert "nothing was printed" in workplace.log.read_text()


def test_a_slow_command_that_prints_goes_on(workplace, monkeypatch):
    """By a clock that moves with each line, it takes many times as long as it may be silent."""
    monkeypatch.setattr(command.time, "monotonic", lambda: workplace.log.read_text().count("\n"))
    script = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.05; done; exit 7"
    assert workplace.run(["sh", "-c", script], silence_limit=900) == 7
    assert workplace.log.read_text().splitlines()[-1] == "9"


def test_orphaned_child_does_not_delay(workplace):
    assert workplace.run(["sh", "-c", "sleep 600 & echo $! > child; echo done"]) == 0
    wait_until(lambda: has_ended(int((workplace.root / "child").read_text())))
    assert workplace.log.read_text().splitlines()[-1] == "done"


def test_waits_for_command_with_closed_output(workplace):
    assert workplace.run(["sh", "-c", "exec >&- 2>&-; sleep 0.5; exit 5"]) == 5


def test_command_environment_extends_callers(workplace):
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


def test_command_progress_scales_to_stage(workplace):
    shares = []
    workplace.show = shares.append
    workplace.run(["echo", "[1/2] a"], part=(0.0, 0.8))
    workplace.run(["echo", "1/2 Test #1: b"], part=(0.8, 1.0))
    assert shares == pytest.approx([0.4, 0.9])
