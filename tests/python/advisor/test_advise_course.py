"""The course of the advice, with made up runs: what is tried, how often, and what is said of odd programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document
from synthetic_study import effect, ground

from mallard.advice import course, tries
from mallard.advice.course import study
from mallard.advice.globals import compare_mallocs
from mallard.advice.plan import SCREENING, Request, plan_for
from mallard.advice.tries import best_two, union
from mallard.advice.verdict import decide
from mallard.cli.advise import check
from mallard.errors import UsageError
from mallard.trial.estimate import EMPTY_INPUT
from mallard.trial.native import NothingRecordedError
from mallard.trial.program import EXCEPT, NULL, Arm, Program, RunResult, Scope
from mallard.trial.report import Counts
from mallard.trial.scope_code import exclude_code
from mallard.trial.strategies import STRATEGIES
from mallard.view.terminal.findings.advice import advice_json

NAMES = ("main", "handle(request const&)", "parse(text)")
MIB = 1 << 20


class FakeProgram(Program):
    """Each run takes 100 ms, less the saving of its strategy or malloc."""

    saved_ms: dict[str, float] = {"monotonic": 30.0, "multipool": 10.0}  # noqa: RUF012
    outputs: tuple[str, ...] = ("same",)
    status = 0
    seconds = 0.1
    runs: list[Arm] = []  # noqa: RUF012
    said: list[str] = []  # noqa: RUF012
    allocating_threads = 1
    cores = 1.0

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        self.runs.append(arm)
        strategy = arm.strategy
        key = strategy if strategy not in (None, NULL) else arm.malloc.name if arm.malloc else ""
        cpu = self.seconds - self.saved_ms.get(key or "", 0.0) / 1e3
        served = Counts(served=900, freed=900, started_again=90, elsewhere=50, servers=1)
        counts = (
            None
            if strategy is None
            else Counts(in_null=900, elsewhere=50, servers=1, seen_excepted=int(scope.has_exceptions))
            if strategy == NULL
            else served
        )
        output = self.outputs[len(self.runs) % len(self.outputs)]
        return RunResult(
            cpu, cpu / self.cores, 10 * MIB, 500, self.status, output, counts, self.allocating_threads
        )


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A function that runs the course on a profile, and counts recordings."""

    def run(program: type[FakeProgram] = FakeProgram, asked: Request | None = None, **changes: Any) -> Any:
        functions = [{"name": name, "object": "/srv/server", "file": "s.cpp", "line": 9} for name in NAMES]
        handle = scope(1, 1, 990, 63_000, 1.0, owned=amount(980, 60_000))
        process = document()["process"] | {"command": ["server"], "events": 1_000_000}
        made = NONE | {"functions": functions, "scopes": [handle], "process": process} | changes
        made["figures"] = made.get("figures", figures(1000, 64_000, 1.0))
        text = json.dumps(document(**made))
        recordings: list[str] = []
        monkeypatch.setattr(course, "record", lambda *words: recordings.append("one") or tmp_path / "t")
        monkeypatch.setattr(course, "ask", lambda words: text)
        monkeypatch.setattr(tries, "ask", lambda words: text)
        monkeypatch.setattr(tries, "locate_scope", lambda trace, name: code_of(name))
        monkeypatch.setattr(course, "fault_nanoseconds", lambda: 200.0)
        program.runs = []
        said: list[str] = []
        found = study(
            program(["server"], Path("x")),
            asked or Request(("glibc",)),
            None,
            tmp_path,
            lambda name: lambda a, b: None,
            said.append,
        )
        program.said = said
        return found, program.runs, recordings

    return run


NONE: dict[str, Any] = {"sites": [], "owners": [], "already_pooled": [], "almost_contained": [], "pairs": []}


def code_of(name: str) -> Scope:
    return Scope(name, (("MALLARD_TRIAL_BY", "stack"), ("MALLARD_TRIAL_CODE", f":{len(name):x}")))


def test_a_scope_is_screened_and_then_measured_with_every_strategy(given):
    found, runs, recordings = given()
    assert decide(found).headline.startswith(
        "Put a monotonic allocator, rewound on return, into handle() (s.cpp:9): 30.0 ms of 100 ms saved"
    )
    assert found.trial.rounds == 21
    assert {arm.strategy for arm in runs} >= {None, NULL, "monotonic", "multipool", "heap", "adaptive-pool"}
    assert recordings == ["one"]


def test_a_program_that_hardly_allocates_runs_once(given):
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    found, runs, _ = given(process=quiet)
    assert decide(found).kind == "nothing"
    assert len(runs) == 1


def test_other_mallocs_are_compared_on_the_heap_of_the_trials(given, monkeypatch):
    monkeypatch.setattr("mallard.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    found, runs, _ = given(asked=Request(("glibc", "mimalloc"), litters=(1000,)))
    of_mallocs = [arm for arm in runs if arm.malloc or (arm.strategy == NULL and arm.litter)]
    assert of_mallocs
    assert {arm.litter for arm in of_mallocs if arm.strategy} == {1000}
    assert found.globals.heap == "littered"
    assert "glibc on a littered heap" in decide(found).headline


@pytest.mark.parametrize(("allocating_threads", "wall"), [(2, True), (1, False)])
def test_mallocs_and_strategies_are_compared_by_one_clock(given, monkeypatch, allocating_threads, wall):
    monkeypatch.setattr("mallard.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    savings = {"monotonic": 30.0, "multipool": 10.0, "mimalloc": 28.0}
    threads = type(
        "Threads",
        (FakeProgram,),
        {"allocating_threads": allocating_threads, "cores": 2.0, "saved_ms": savings},
    )
    found, _, _ = given(program=threads, asked=Request(("glibc", "mimalloc")))
    part = 0.5 if wall else 1.0
    assert found.wall is wall
    assert -found.best.time.median == pytest.approx(0.030 * part)
    assert -found.globals.best.time.median == pytest.approx(0.028 * part)
    assert found.globals.seconds == pytest.approx(0.1 * part)
    assert found.ceiling.program_seconds == pytest.approx(0.1 * part)
    assert found.ceiling.high <= found.ceiling.program_seconds
    assert found.on_top.trial.wall is wall
    said = "Times are wall time, because several threads allocate in the scope."
    assert (said in decide(found).notes) is wall
    assert json.loads(advice_json(found, decide(found)))["wall"] is wall


def test_an_odd_end_under_a_malloc_is_told_with_its_rounds():
    def runs(*statuses: int) -> list[RunResult]:
        return [RunResult(0.1, 0.1, MIB, 9, status, "", None) for status in statuses]

    found = compare_mallocs({"glibc": runs(0, 0, 0), "mimalloc": runs(0, 11, 0), "tcmalloc": runs(0, 0, 0)})
    assert found.failed == {"mimalloc": "ended by SIGSEGV in 1 of 3 rounds"}
    own = compare_mallocs(
        {"glibc": runs(0, 11, 0), "mimalloc": runs(0, 11, 11), "tcmalloc": runs(256, 256, 256)}
    )
    assert not own.same_end
    assert own.failed == {"tcmalloc": "ended with exit status 1"}


def test_without_a_trial_a_program_with_several_cores_has_wall_time(given):
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    several = type("Several", (FakeProgram,), {"cores": 2.0})
    found, _, _ = given(program=several, process=quiet)
    assert found.wall
    assert "Times are wall time, because the program uses several cores." in decide(found).notes
    assert "of 50.0 ms here" in decide(found).headline


def test_the_first_run_is_under_the_malloc_to_compare_with(given, monkeypatch):
    monkeypatch.setattr("mallard.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    found, runs, _ = given(asked=Request(("mimalloc",)), process=quiet)
    assert [arm.malloc for arm in runs] == [Path("/lib/mimalloc.so")]
    assert "against mimalloc on a clean heap" in decide(found).headline


def test_a_program_that_makes_no_call_of_the_allocator(given, monkeypatch):
    def refuse(*_: object) -> None:
        raise NothingRecordedError("nothing was recorded: 'x' ended before its first allocation")

    monkeypatch.setattr(course, "_load_or_record", refuse)
    verdict = decide(given()[0])
    assert verdict.headline.startswith("Nothing worth doing: the program allocates 0 blocks")
    assert verdict.notes == ("Nothing was recorded: 'x' ended before its first allocation.",)


def test_a_program_that_only_the_recorder_ends_is_refused(given, monkeypatch):
    def refuse(*_: object) -> None:
        raise NothingRecordedError("nothing was recorded: 'x' was ended by signal 31 (SIGSYS)")

    monkeypatch.setattr(course, "_load_or_record", refuse)
    with pytest.raises(UsageError, match="; without the recorder the program ended with exit status 0"):
        given()


def test_another_end_with_the_recorder_is_noted(given):
    faulty = document()["process"] | {"command": ["server"], "events": 1_000_000, "exit_status": 11}
    notes = decide(given(process=faulty)[0]).notes
    said = "With the recorder the program ended by SIGSEGV, and without it ended with exit status 0"
    assert any(note.startswith(said) for note in notes)


def test_a_disturbed_recording_is_repeated(given):
    wide = figures(1000, 64_000, 1.0, D=figures()["D"] | {"interval": [0.0, 0.5]})
    _, _, recordings = given(figures=wide)
    assert len(recordings) == course.MOST_RECORDINGS


def test_no_scope_that_contains_its_blocks(given):
    found, _, _ = given(scopes=[])
    assert found.trial is None
    assert decide(found).headline == (
        "No advice: no scope of the program ends most of the blocks that it makes; and no other malloc saves "
        "time, against glibc on a clean heap."
    )


def test_a_scope_that_cannot_be_served_is_no_error(given, monkeypatch):
    def refuse(*_: object) -> None:
        raise UsageError("the code of handle is in no file, so a trial cannot find it again")

    monkeypatch.setattr(tries, "run_campaign", refuse)
    found, _, _ = given()
    assert found.trial is None
    assert any(note.startswith("handle() was not tried: the code of handle") for note in decide(found).notes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"outputs": ("a", "b", "c")}, "The program's output differs from run to run"),
        ({"status": 256}, "The program ended with exit status 1; its standard input is empty, --input FILE"),
        ({"status": 11}, "The program ended by SIGSEGV"),
        ({"seconds": 0.04}, "The program takes 40 ms; with more work, the answer is surer"),
    ],
)
def test_odd_programs_are_told(given, changes, said):
    program = type("Odd", (FakeProgram,), changes | {"saved_ms": {"monotonic": 5.0}})
    found, _, _ = given(program=program)
    assert any(note.startswith(said) for note in found.notes)


def test_programs_that_start_others_and_recordings_of_others_are_told(given):
    process = document()["process"] | {"events": 1_000_000, "forks_not_followed": 3}
    found, _, _ = given(process=process)
    assert any(note.startswith("The program starts other processes.") for note in found.notes)
    assert any(note.startswith("The recording is of 'clang++-16") for note in found.notes)


def test_longer_programs_get_fewer_rounds_and_never_too_few():
    asked = Request(("glibc", "mimalloc", "jemalloc", "tcmalloc"))
    short, second, long = (plan_for(seconds, asked) for seconds in (0.02, 1.0, 60.0))
    assert short.full_rounds == 41
    assert len(short.strategies) == 6
    assert second.full_rounds == 21
    assert second.strategies == ()
    assert (long.full_rounds, long.global_rounds, long.screening_rounds, long.candidates) == (5, 3, 3, 2)
    assert all(plan_for(each, asked).runs * each < 150 for each in (0.002, 0.02, 0.1, 0.2, 0.35, 0.36, 0.5))
    assert second.runs < 230
    assert plan_for(1.0, Request(("glibc",), rounds=33)).full_rounds == 33
    assert plan_for(0.5, Request(("glibc",), quick=True)).full_rounds < 21


def test_a_long_program_gets_every_strategy_briefly_and_the_best_two_in_full(given):
    savings = {"heap": 300.0, "small-object-pool": 200.0, "monotonic": 50.0, "multipool": 40.0}
    slow = type("Slow", (FakeProgram,), {"seconds": 1.0, "saved_ms": savings})
    busy = document()["process"] | {"command": ["server"], "events": 20_000_000}
    found, runs, _ = given(program=slow, process=busy)
    assert {each.strategy for each in found.briefly.trial.effects} == set(STRATEGIES)
    assert [each.strategy for each in found.ground.trial.effects] == ["heap", "small-object-pool"]
    assert decide(found).answer.strategy == "heap"
    best = "the best of them, heap and small-object-pool, all"
    assert f"The program takes long: each strategy had 3 rounds, and {best}." in found.notes
    assert sum(arm.strategy == "adaptive-pool" for arm in runs) == 3
    quick, _, _ = given(program=slow, asked=Request(("glibc",), quick=True), process=busy)
    assert any(note.startswith("As --quick asks: each strategy had 3 rounds") for note in quick.notes)


def test_the_best_two_can_be_advised():
    none = effect("small-object-pool", 50.0, counts=Counts())
    odd, heap, pool = effect("adaptive-pool", 40.0), effect("heap", 30.0), effect("multipool", -2.0)
    assert best_two(ground(none, odd, heap, pool, differing=("adaptive-pool",))) == ("heap", "multipool")
    assert best_two(ground(none)) == SCREENING


def test_the_time_is_told_before_it_passes(given):
    given()
    again, time = FakeProgram.said
    assert (
        again == "server runs many times, in this folder: files that it writes are written again each time."
    )
    assert time.startswith("A run takes 0.1 s; up to ")


def test_what_takes_hours_is_refused_after_one_run(given):
    slow = type("Slow", (FakeProgram,), {"seconds": 540.0})
    with pytest.raises(UsageError, match="a run takes 540 s, so 116 runs would take about 17 hours"):
        given(program=slow)
    assert len(slow.runs) == 1
    hardly = document()["process"] | {"command": ["server"], "events": 100}
    assert given(program=slow, asked=Request(("glibc",), rounds=3), process=hardly)[0]


def test_a_program_that_may_read_a_terminal(given):
    found, _, _ = given(asked=Request(("glibc",), terminal=True))
    assert EMPTY_INPUT in found.notes
    assert EMPTY_INPUT not in given()[0].notes


def test_a_trial_that_fails_costs_nothing_that_was_measured(given, monkeypatch):
    short, full = tries.run_campaign, 21

    def fail(program: Any, scope: Scope, campaign: Any, tick: Any) -> Any:
        if campaign.rounds == full:
            raise UsageError("server ran for more than 600 s; give it less work")
        return short(program, scope, campaign, tick)

    monkeypatch.setattr(tries, "run_campaign", fail)
    found, _, _ = given()
    assert decide(found).answer.strategy == "monotonic"
    assert found.trial.rounds < full
    failed = "Not measured: measuring handle. The reason: server ran for more than 600 s"
    assert any(note.startswith(failed) for note in found.notes)


@pytest.mark.parametrize(("more", "left_out"), [(20.0, True), (0.5, False)])
def test_blocks_that_escape_are_left_out_if_that_saves_more(given, more, left_out):
    class Escaping(FakeProgram):
        def run(self, arm: Any, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            saved = more / 1e3 if EXCEPT in dict(scope.variables) and arm.strategy == "monotonic" else 0.0
            return replace(done, cpu_seconds=done.cpu_seconds - saved)

    site = {"site": 4, **amount(100, 800), "file": "", "instruction": 0x1F}
    nowhere = {"site": 4, **amount(10, 80)}
    stays = {"site": 5, **amount(7, 70), "file": "lib.so", "instruction": 0x2F}
    handle = scope(
        *(1, 1, 990, 63_000, 0.9),
        owned=amount(890, 60_000),
        escape_sites=[site, nowhere],
        alive_sites=[stays, site],
    )
    found, _, _ = given(program=Escaping, scopes=[handle])
    assert [each.code for each in found.chosen.left_out] == ([":1f-20", "lib.so:2f-30"] if left_out else [])
    said = decide(found)
    assert (", but not for the blocks of " in said.headline) is left_out
    assert ("the trial left those global" in dict(said.facts)["memory"]) is left_out


def test_a_scope_with_blocks_left_out_together_with_another():
    less = exclude_code(code_of("a"), [":1-2"], "the cache")
    assert less is not None
    both = union(less, code_of("bc"))
    assert both is not None
    assert dict(both.variables)[EXCEPT] == ":1-2"


def test_two_scopes_as_one():
    both = union(code_of("a"), code_of("bc"))
    assert both is not None
    assert dict(both.variables)["MALLARD_TRIAL_CODE"] == ":1;:2"
    assert union(code_of("a"), Scope("m", (("MALLARD_TRIAL_BY", "mark"),))) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"program": []}, "PROGRAM is missing"),
        ({"scope": " , "}, "--scope is empty"),
        ({"rounds": 2}, "--rounds 2: an interval needs 3 rounds or more"),
        ({"mallocs": "glibd"}, "--global 'glibd' is no malloc that is known"),
        ({"input": Path("no/such")}, "--input no/such is no file"),
    ],
)
def test_bad_input(words, said):
    usual = {
        "program": ["true"],
        "scope": None,
        "rounds": None,
        "mallocs": "glibc",
        "trace": None,
        "input": None,
    }
    with pytest.raises(UsageError, match=said):
        check(type("Arguments", (), usual | words))
