"""How much slower programs are in old processes: the sentences of measured rounds, and repeated loads."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from mallard.advisor.aging import (
    Aging,
    LoadPoint,
    Request,
    age_program,
    server_sentence,
    summarize_loads,
)
from mallard.advisor.trial.effect import times_slower
from mallard.advisor.trial.load import LoadResult, server_use
from mallard.advisor.trial.preloading import refuse_unaged
from mallard.advisor.trial.process import Measured
from mallard.advisor.trial.program import (
    HEADER,
    HEADERS_BYTES,
    MAGIC,
    REMAINS,
    Arm,
    Counts,
    History,
    Program,
    RunResult,
    Scope,
    TriedProcess,
    arm_under,
    read_counts,
)
from mallard.advisor.view.aging import aging_json, aging_report
from mallard.cli import parse_command
from mallard.shared.age import levels, read_ages, young
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import linked_into
from mallard.shared.stats import Ratio

YOUNG, OLD = read_ages("young,old")
RESULT = RunResult(0.1, 0.1, 1 << 20, 100, 0, "same", Counts(cpu_ns=1, malloc_file="/lib/libc.so.6"))


class FakeProgram(Program):
    """Each malloc has a time, which an old process multiplies."""

    def __init__(self, seconds, factors, result=RESULT):
        super().__init__([sys.executable], Path("libmallard_trial.so"))
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "factors", factors)
        object.__setattr__(self, "result", result)
        object.__setattr__(self, "random", random.Random(1))

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        malloc = arm.malloc.name if arm.malloc else "glibc"
        factor = 1.0 if arm.age.is_young else self.factors[malloc]
        seconds = self.seconds[malloc] * factor * self.random.uniform(0.995, 1.005)
        counts = replace(self.result.counts, history=History(requests=0 if arm.age.is_young else 1000))
        return replace(self.result, cpu_seconds=seconds, counts=counts)


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    monkeypatch.setattr("mallard.advisor.aging.replace", lambda program, **_: program)


def aged(seconds, factors, tmp_path, **options) -> Aging:
    request = Request(tuple(seconds), (YOUNG, OLD), rounds=5, **options)
    return age_program(
        FakeProgram(seconds, factors), request, tmp_path, lambda _: None, lambda _: lambda *_: None
    )


def test_the_answer_is_a_sentence(tmp_path):
    seconds = {"glibc": 0.2, "mimalloc": 0.1, "jemalloc": 0.1}
    aging = aged(seconds, {"glibc": 2.7, "mimalloc": 1.3, "jemalloc": 1.0}, tmp_path)
    assert aging.headline == (
        "glibc: 2.7 times slower in an old process (2.7 to 2.7); mimalloc 1.30 times slower; jemalloc even; "
        "fastest in an old process: jemalloc."
    )
    assert (aging.rounds, len(aging.rows)) == (5, 6)
    document = json.loads(aging_json(aging))
    assert document["headline"] == aging.headline
    assert document["rows"][1]["slower"]["median"] == pytest.approx(2.7, rel=0.02)


def test_the_table_shows_what_a_history_left(tmp_path):
    """Free chunks are known of glibc alone."""
    aging = aged({"glibc": 0.2, "mimalloc": 0.1}, {"glibc": 2.0, "mimalloc": 1.0}, tmp_path)
    left = History(requests=1000, resident_before=1000, resident_after=6000)
    histories = [History(), replace(left, free_chunks=7), History(), left]
    rows = tuple(map(lambda row, history: replace(row, history=history), aging.rows, histories))
    (section,) = aging_report(replace(aging, rows=rows)).sections
    (table,) = section.blocks
    assert [column.title for column in table.columns][-2:] == ["left", "free chunks"]
    cells = [[cell and cell.value for cell in row.cells[-2:]] for row in table.rows]
    assert cells == [[None, None], [5000, 7], [None, None], [5000, None]]


def test_the_interval_of_even_is_not_inverted(tmp_path):
    """Below 1, the interval of a faster program is that of its speed."""
    aging = aged({"glibc": 0.2}, {"glibc": 0.97}, tmp_path)
    assert aging.headline == "glibc: even in an old process (0.96 to 0.98)."
    faster = aged({"glibc": 0.2}, {"glibc": 0.5}, tmp_path)
    assert faster.headline == "glibc: 2 times faster in an old process (2 to 2)."


def test_the_start_of_a_server_is_not_timed(tmp_path):
    """It would dilute the age: a load of 10 ms after a start of 190 ms."""
    run = replace(RESULT, load=LoadResult(cpu_seconds=0.01))
    program = FakeProgram({"glibc": 0.2}, {"glibc": 1.5}, run)
    request = Request(("glibc",), (YOUNG, OLD), rounds=5)
    aging = age_program(program, request, tmp_path, lambda _: None, lambda _: lambda *_: None)
    assert [row.seconds.median for row in aging.rows] == [0.01, 0.01]


def test_a_program_can_be_too_short(tmp_path):
    aging = aged({"glibc": 0.0005}, {"glibc": 2.0}, tmp_path)
    assert aging.headline == (
        f"{sys.executable} takes 0.5 ms of CPU time, which is too short for an answer; give it more work."
    )


def test_level_mallocs_share_the_first_place(tmp_path):
    seconds = {"glibc": 0.2, "mimalloc": 0.1, "jemalloc": 0.1}
    aging = aged(seconds, dict.fromkeys(seconds, 1.5), tmp_path)
    assert {*aging.fastest(OLD).split(", level with ")} == {"mimalloc", "jemalloc"}


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        ((1.0, 0.96, 1.04), "even"),
        ((1.0, 0.94, 1.06), "not resolved (0.94 to 1.06)"),
        ((1.0, 0.96, 1.06), "not resolved (0.96 to 1.06)"),
        ((1.02, 1.01, 1.04), "even"),
        ((2.7, 2.5, 2.9), "2.7 times slower"),
        ((1.04, 1.02, 1.06), "1.04 times slower"),
        ((1.14, 1.12, 1.15), "1.14 times slower"),
        ((0.5, 0.4, 0.6), "2 times faster"),
        ((1.3, 0.0, float("inf")), "not resolved"),
    ],
)
def test_even_is_an_interval_within_five_percent(ratio, text):
    assert times_slower(Ratio(*ratio, 5)) == text


def points(*milliseconds: float) -> list[LoadPoint]:
    return [LoadPoint(each / 1000, 1 << 20, None, None) for each in milliseconds]


def test_last_loads_are_compared_with_the_first():
    server = summarize_loads(points(90, 10, 10.1, 12, 12, 15, 15.2))
    assert server.compared == 2
    assert server.slower.median == pytest.approx(1.5, abs=0.02)
    assert server_sentence(server).startswith("The server ages: the load is 1.5 times slower after 7 loads (")
    steady = summarize_loads(points(90, *[10, 10.1] * 9))
    assert server_sentence(steady).startswith("The server does not age: the load takes as long after 19")
    unsure = summarize_loads(points(90, 10, 20, 15, 15, 20, 10))
    assert server_sentence(unsure).startswith("Whether the server ages is not resolved (")
    assert "too few" in server_sentence(summarize_loads(points(90, 10, 10)))


def test_churned_loads_are_compared_with_those_before():
    server = summarize_loads(points(90, *[10, 10.1] * 3, *[20, 20.2] * 5), churned=True)
    assert (server.churns, server.compared) == (11, 5)
    assert server_sentence(server).startswith(
        "The server ages: the load is 2 times slower after 11 rounds of"
    )
    assert "too few" in server_sentence(summarize_loads(points(90, *[10] * 6), churned=True))


def test_a_load_can_be_too_short():
    sentence = server_sentence(summarize_loads(points(*[0.01] * 9)))
    assert sentence.startswith("The load takes 0.01 ms of the server's CPU time, which is too short")


WORKER = """
import os, sys, time
if os.fork():
    os.wait()
else:
    os.setsid()
    memory = bytearray(1 << 24)
    print(flush=True)
    sys.stdin.readline()
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    print(flush=True)
    sys.stdin.readline()
"""


def test_the_use_of_a_server_leaves_the_measurer_out():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", WORKER], start_new_session=True, **pipes) as leader:
        leader.stdout.readline()
        before, resident = server_use(leader.pid)
        leader.stdin.write(b"\n")
        leader.stdin.flush()
        leader.stdout.readline()
        after, _ = server_use(leader.pid)
    assert resident >= 1 << 24
    assert after - before >= 0.1
    assert server_use(leader.pid) == (0.0, 0)


def test_reads_what_a_history_left(tmp_path):
    unknown = 2**64 - 1
    remains = REMAINS.pack(0, 1, 10, 2, 300, 4, 3, 96, 1000, 5000, unknown, unknown, 7, 8, 1, 0, 0, 0, 0)
    head = HEADER.pack(MAGIC, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, b"libc.so.6")
    (tmp_path / "report").write_bytes((head + remains).ljust(HEADERS_BYTES, b"\0"))
    counts = read_counts(tmp_path / "report")
    assert (counts.children_cpu_ns, counts.is_replaced, counts.ends_itself) == (8, True, False)
    assert counts.history == History(0, True, 10, 2, 300, 4, 3, 96, 1000, 5000, None, None, 7)
    assert counts.history.added_bytes == 4000


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            Counts(cpu_ns=3 * 10**8, children_cpu_ns=10**8, begin_cpu_ns=10**8, wall_ns=5 * 10**8, faults=7),
            (0.4, 0.5, 7, 0.5),
        ),
        (
            Counts(cpu_ns=3 * 10**8, is_replaced=True, begin_cpu_ns=10**8, begin_wall_ns=10**8),
            (0.9, 1.9, 4, 0),
        ),
        (Counts(begin_cpu_ns=10**8, begin_wall_ns=10**8, faults=0), (0.9, 1.9, 4, 0)),  # it was killed
        (None, (1.0, 2.0, 4, 0)),
    ],
)
def test_times_end_before_the_teardown(tmp_path, monkeypatch, counts, expected):
    monkeypatch.setattr(
        "mallard.advisor.trial.program.measure", lambda *_: Measured(1.0, 2.0, 9000, 4, 0, "output")
    )
    monkeypatch.setattr("mallard.advisor.trial.program.read_counts", lambda _: counts)
    run = Program(["true"], tmp_path / "x").run(Arm(None), Scope("", ()))
    assert (run.cpu_seconds, run.wall_seconds, run.faults, run.start_seconds) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("age", "first", "counts", "is_refused"),
    [
        (levels()["old"], 9, Counts(), True),
        (levels()["old"], 9, Counts(is_replaced=True), False),  # a launcher, whose program is found later
        (levels()["old"], 9, Counts(cpu_ns=1), False),
        (levels()["old"], 0, Counts(), False),  # an effect of the malloc
        (young(), 9, Counts(), False),
    ],
)
def test_refuses_an_aged_run_without_its_end(tmp_path, monkeypatch, age, first, counts, is_refused):
    """Its time has that of the system, which takes the history's memory back."""
    measured = Measured(1.0, 2.0, 9000, 4, 9, "")
    monkeypatch.setattr("mallard.advisor.trial.program.measure", lambda *_: measured)
    monkeypatch.setattr("mallard.advisor.trial.program.read_counts", lambda _: counts)
    program = Program(["true"], tmp_path / "x", first=replace(measured, status=first))
    message = r"--age old: the program ended by SIGKILL without its end being seen"
    with pytest.raises(UsageError, match=message) if is_refused else nullcontext():
        assert program.run(Arm(None, None, age), Scope("", ())).status == 9


def test_peak_memory_excludes_what_the_history_left(tmp_path, monkeypatch):
    left = Counts(cpu_ns=1, history=History(resident_before=1000, resident_after=6000))
    monkeypatch.setattr(
        "mallard.advisor.trial.program.measure", lambda *_: Measured(1.0, 2.0, 9000, 4, 0, "")
    )
    monkeypatch.setattr("mallard.advisor.trial.program.read_counts", lambda _: left)
    assert Program(["true"], tmp_path / "x").run(Arm(None), Scope("", ())).peak_bytes == 4000


def test_unserved_runs_have_no_malloc_functions_in_front(tmp_path):
    program = Program(
        ["true"], Path("/trial.so"), measuring=Path("/measured.so"), recording=Path("/requests")
    )
    plain = program.environment(Arm(None, Path("/je.so"), OLD), Scope("", ()), tmp_path / "report")
    assert plain["LD_PRELOAD"].split(":")[:2] == ["/measured.so", "/je.so"]
    assert (plain["MALLARD_TRIAL_AGE"], plain["MALLARD_TRIAL_HISTORY"]) == (OLD.setting, "/requests")
    assert "MALLARD_TRIAL" not in plain
    served = program.environment(Arm("null", None, YOUNG), Scope("", ()), tmp_path / "report")
    assert served["LD_PRELOAD"].startswith("/trial.so")
    assert "MALLARD_TRIAL_HISTORY" not in served
    switched = program.environment(
        arm_under("glibc:arena_max=1", None, YOUNG), Scope("", ()), tmp_path / "report"
    )
    assert switched["GLIBC_TUNABLES"].split(":")[-1] == "glibc.malloc.arena_max=1"
    assert switched["LD_PRELOAD"] == plain["LD_PRELOAD"].replace("/measured.so:/je.so", "/measured.so")
    second = replace(program, process=TriedProcess("cc1", 2, "cc1"))
    environment = second.environment(Arm(None, None, OLD), Scope("", ()), tmp_path / "report")
    assert environment["LD_PRELOAD"].startswith("/trial.so"), "it counts processes by their first allocation"


def test_a_failed_history_is_an_error():
    with pytest.raises(UsageError, match=r"--age old: .* could not be aged: the program's malloc has"):
        History(failed=2).refuse_failed(levels()["old"])


def test_a_static_program_cannot_be_aged(tmp_path):
    static = tmp_path / "static"
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", "-o", static, tmp_path / "main.c"], check=True)
    program = Program([str(static)], Path("x"))
    with pytest.raises(UsageError, match="it is linked statically, so its heap gets no history"):
        refuse_unaged(program, replace(RESULT, counts=None))
    shutil.copy(shutil.which("true") or "", tmp_path / "setuid")
    os.chmod(tmp_path / "setuid", 0o4755)
    with pytest.raises(UsageError, match=r"other rights than its user \(setuid\)"):
        refuse_unaged(Program([str(tmp_path / "setuid")], Path("x")), replace(RESULT, counts=None))


def test_a_program_with_a_sanitizer_cannot_be_aged(tmp_path):
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    sanitized = tmp_path / "sanitized"
    subprocess.run(["gcc", "-fsanitize=address", "-o", sanitized, tmp_path / "main.c"], check=True)
    own = replace(RESULT, counts=replace(RESULT.counts, malloc_file=str(sanitized)))  # linked statically
    for first in (replace(RESULT, counts=None), own):
        with pytest.raises(UsageError, match="built with a sanitizer, which has its own malloc"):
            refuse_unaged(Program([str(sanitized)], Path("x")), first)


def test_a_hidden_malloc_cannot_be_aged(tmp_path):
    hidden = tmp_path / "hidden"
    hidden.write_bytes(b"\x7fELF" + struct.pack("<60x") + b"<jemalloc>: ")
    program = Program([str(hidden)], Path("x"))
    with pytest.raises(UsageError, match="jemalloc is linked into it under names that"):
        refuse_unaged(program, RESULT)
    own = replace(RESULT, counts=replace(RESULT.counts, malloc_file=str(hidden)))
    refuse_unaged(program, own)


def test_an_unused_malloc_inside_is_no_obstacle(tmp_path):
    source = tmp_path / "main.c"
    source.write_text(
        '#include <stdlib.h>\nconst char text[] = "mimalloc: ";\nint main(void) { return !malloc(9); }\n'
    )
    subprocess.run(["gcc", "-O0", "-o", tmp_path / "both", source], check=True)
    assert linked_into(str(tmp_path / "both")) == "mimalloc"
    refuse_unaged(Program([str(tmp_path / "both")], Path("x")), RESULT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["age"], "PROGRAM is missing"),
        (["age", "--age", "old", "--", "true"], "give two ages or more to compare"),
        (
            ["age", "--age", "young,elder", "--", "true"],
            "'elder' is not an age; allowed are young",
        ),
        (["age", "--loads", "9", "--", "true"], "--loads 9 repeats the load of a server; add --load CMD"),
        (["age", "--load", "x", "--loads", "3", "--", "true"], "a comparison needs 7 loads or more"),
        (["age", "--load", "x", "--churn", "y", "--loads", "9", "--", "true"], "needs 12 loads or more"),
        (
            ["age", "--churn", "y", "--", "true"],
            "--churn CMD ages a server between its loads; add --load CMD",
        ),
        (["age", "--load", "x", "--loads", "9", "--for", "3", "--", "true"], "leave one out"),
        (["age", "--history", "no/such", "--", "true"], "--history no/such is not a file"),
        (["age", "--rounds", "2", "--", "true"], "--rounds 2: an interval needs 3 rounds"),
        (
            ["try", "--scope", "f", "--history", "/dev/null", "--", "true"],
            "--history /dev/null is not a file",
        ),
    ],
)
def test_rejects_bad_input(words, message):
    with pytest.raises(UsageError) as raised:
        parse_command(words)
    assert message in str(raised.value)
