"""The steps of the advice with fake runs: the trials, their number, and the notes about unusual programs."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_program import MIB, FakeProgram, stack_scope, with_launcher
from profile_rows import amount, figures, scope
from synthetic_profile import document
from synthetic_study import baseline, effect

from mallard.advisor.advice import runner
from mallard.advisor.advice.global_mallocs import compare_mallocs
from mallard.advisor.advice.plan import SCREENING, Request, plan_for
from mallard.advisor.advice.runner import best_two, union
from mallard.advisor.advice.verdict import decide
from mallard.advisor.trial.campaign import EMPTY_INPUT
from mallard.advisor.trial.further_rounds import SURE
from mallard.advisor.trial.load import LoadResult
from mallard.advisor.trial.process import NothingRecordedError, RecordingDiffersError
from mallard.advisor.trial.program import (
    EXCEPT,
    KEPT,
    KILLED,
    NULL,
    STRATEGIES,
    Arm,
    Counts,
    RunResult,
    Scope,
)
from mallard.advisor.trial.rounds import interleaved
from mallard.advisor.trial.scope_code import exclude_code
from mallard.advisor.view.advice import advice_json
from mallard.cli.verbs.advise import check
from mallard.shared.age import levels, young
from mallard.shared.errors import UsageError


def test_screens_then_measures_every_strategy(advise):
    case, runs, recordings = advise()
    assert decide(case).headline.startswith(
        "Put a monotonic allocator, rewound on return, into handle() (s.cpp:9): 30.0 % saved, "
        "30.0 ms of 100 ms"
    )
    assert case.trial.rounds == 21
    assert {arm.strategy for arm in runs} >= {None, NULL, "monotonic", "multipool", "heap", "adaptive-pool"}
    assert recordings == ["one"]


@pytest.mark.parametrize("trace", [None, Path("earlier.trace")])
def test_only_its_own_recording_gives_rules(advise, trace):
    _, _, recordings = advise(request=Request(("glibc",), trace=trace))
    assert len(recordings) == (0 if trace else 1)
    assert set(FakeProgram.learnt) == {trace is None}


def test_rejects_the_recording_of_another_program(advise):
    class Another(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            result = super().run(arm, scope)
            is_asked = "MALLARD_TRIAL_RECORDED" in dict(scope.variables)
            return replace(result, counts=None) if is_asked else result

    with pytest.raises(UsageError, match=r"is a recording of .*, and 'server' runs another program or build"):
        advise(Another, Request(("glibc",), trace=Path("earlier.trace")))


def test_program_that_hardly_allocates_runs_once(advise):
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    case, runs, _ = advise(process=quiet)
    assert decide(case).kind == "nothing"
    assert [arm.strategy for arm in runs] == [None, NULL]  # the second finds the program's own malloc


OLD = levels()["old"]


def test_mallocs_run_on_the_heap_of_trials(advise, monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    case, runs, _ = advise(request=Request(("glibc", "mimalloc"), ages=(OLD,)))
    of_mallocs = [arm for arm in runs if arm.malloc or (arm.age == OLD)]
    assert of_mallocs
    assert {arm.age for arm in of_mallocs} == {OLD}
    assert case.globals.heap == "an old heap"
    assert decide(case).notes[-1] == "Measured on this program, against glibc on an old heap."


class Switched(FakeProgram):
    saved_ms = FakeProgram.saved_ms | {"glibc.malloc.arena_max=1": 60.0}


def test_tunables_of_glibc_are_tried_for_a_reason(advise):
    threads = document()["process"] | {"command": ["server"], "events": 1_000_000, "threads": 4}
    case, runs, _ = advise(Switched, Request(("glibc",), switches=True), process=threads)
    tried = {arm.tunables for arm in runs} - {""}
    names = ("arena_max=1", "hugetlb=1", "tcache_count=1000")
    assert tried == {f"glibc.malloc.{name}" for name in names}, "it has few faults"
    verdict = decide(case)
    assert verdict.headline.startswith("Use glibc with arena_max=1 instead of glibc: 60.0 % saved")
    assert ("to use it", "GLIBC_TUNABLES=glibc.malloc.arena_max=1 server") in verdict.facts
    _, runs, _ = advise(Switched, Request(("glibc",)), process=threads)
    assert {arm.tunables for arm in runs} == {""}


@pytest.mark.parametrize(("count", "wall"), [(2, True), (1, False)])
def test_mallocs_and_strategies_share_one_clock(advise, monkeypatch, count, wall):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    savings = {"monotonic": 30.0, "multipool": 10.0, "mimalloc": 28.0}
    threads = type(
        "Threads", (FakeProgram,), {"allocating_threads": count, "cores": 2.0, "saved_ms": savings}
    )
    case, _, _ = advise(program=threads, request=Request(("glibc", "mimalloc")))
    part = 0.5 if wall else 1.0
    assert case.wall is wall
    assert -case.best.time.median == pytest.approx(0.030 * part)
    assert -case.globals.best.time.median == pytest.approx(0.028 * part)
    assert case.globals.seconds == pytest.approx(0.1 * part)
    assert case.ceiling.program_seconds == pytest.approx(0.1 * part)
    assert case.ceiling.high <= case.ceiling.program_seconds
    assert case.on_top.trial.wall is wall
    note = "Times are wall time, because several threads allocate in the scope."
    assert (note in decide(case).notes) is wall
    assert json.loads(advice_json(case, decide(case)))["wall"] is wall


def slow(*arms: str) -> type[FakeProgram]:
    """A program that takes ten times as long under these arms."""
    return type("Slow", (FakeProgram,), {"saved_ms": FakeProgram.saved_ms | dict.fromkeys(arms, -900.0)})


def test_slow_arms_are_tried_in_two_runs(advise, monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    case, runs, _ = advise(slow("monotonic", "mimalloc"), Request(("glibc", "mimalloc")))
    assert case.best.strategy == "multipool"
    assert [arm.strategy for arm in runs].count("monotonic") == 2
    assert sum(arm.malloc is not None for arm in runs) == 2
    assert [note for note in decide(case).notes if "given up" in note] == [
        "Mimalloc: given up after 2 runs: 10 times slower.",
        "Monotonic in handle(): given up after 2 runs: 10 times slower.",
    ]


def test_scope_is_given_up_with_its_strategies(advise):
    case, runs, _ = advise(slow(*STRATEGIES))
    assert case.trial is None
    tried = Counter(arm.strategy for arm in runs)
    assert {tried[strategy] for strategy in STRATEGIES} <= {0, 2}
    verdict = decide(case)
    assert verdict.headline.startswith("Nothing that was tried is worth a change")
    assert "Monotonic in handle(): given up after 2 runs: 10 times slower." in verdict.notes


def test_reports_rounds_with_unexpected_ends():
    def runs(*statuses: int) -> list[RunResult]:
        return [RunResult(0.1, 0.1, MIB, 9, status, "", None) for status in statuses]

    ends = {"glibc": runs(0, 0, 0), "mimalloc": runs(0, 11, 0), "tcmalloc": runs(0, 0, 0)}
    arms = {name: iter(ends[name]).__next__ for name in ends}
    compared = compare_mallocs(interleaved(arms, "glibc", 3, 1, lambda *_: None), 3)
    assert compared.failed == {"mimalloc": "ended by SIGSEGV in 1 of 3 rounds"}


@pytest.mark.parametrize("place", [1, 4, 40])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"output": "other"}, "printed another output than the first run; .* give --ignore-output"),
        ({"status": 256}, "ended with exit status 1, and the first run ended with exit status 0"),
    ],
)
def test_differing_runs_have_no_answer(advise, place, change, message):
    """A program that leaves something behind: its later runs differ, under every arm."""

    class Stateful(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return replace(done, **change) if len(self.runs) > place else done

    with pytest.raises(
        UsageError, match=f"^there is no answer, because the program's runs differ: .* {message}"
    ):
        advise(program=Stateful)
    assert len(Stateful.runs) < place + 30


def test_distinguishes_state_from_the_recorder(advise, monkeypatch):
    """After a recording that differs, a later run decides."""

    def differ(*_: object) -> None:
        raise RecordingDiffersError("with the recorder")

    monkeypatch.setattr(runner, "_load_or_record", differ)
    with pytest.raises(UsageError, match=r"^with the recorder"):
        advise()
    outputs = type("Stateful", (FakeProgram,), {"outputs": ("later", "first")})
    with pytest.raises(
        UsageError, match="the run after the recording printed another output than the first run"
    ):
        advise(program=outputs)


def test_several_cores_mean_wall_time_without_trial(advise):
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    several = type("Several", (FakeProgram,), {"cores": 2.0})
    case, _, _ = advise(program=several, process=quiet)
    assert case.wall
    assert "Times are wall time, because the program uses several cores." in decide(case).notes
    assert "of 50.0 ms here" in decide(case).headline


def test_program_is_compared_with_its_own_malloc(advise, monkeypatch, tmp_path):
    """The library that it brings is not preloaded again."""
    library = tmp_path / "libjemalloc.so.2"
    library.touch()

    class Jemalloc(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return replace(done, counts=done.counts and replace(done.counts, malloc_file=str(library)))

    def find_library(name: str) -> Path:
        return library if name == "jemalloc" else Path(f"/lib/{name}")

    for module in ("mallard.shared.mallocs", "mallard.advisor.trial.program"):
        monkeypatch.setattr(f"{module}.find_library", find_library)
    case, runs, _ = advise(Jemalloc, Request(("glibc", "jemalloc", "mimalloc")))
    own = "the program's own jemalloc"
    assert case.base == case.globals.base == case.baseline.malloc == own
    assert [effect.malloc for effect in case.globals.effects] == ["mimalloc"]
    assert library not in {arm.malloc for arm in runs}
    assert decide(case).notes[-1].endswith(f"against {own} on a young heap.")
    assert f"jemalloc was not preloaded: it is {own}." in case.notes


def test_first_run_uses_the_base_malloc(advise, monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    quiet = document()["process"] | {"command": ["server"], "events": 100}
    case, runs, _ = advise(request=Request(("mimalloc",)), process=quiet)
    assert [arm.malloc for arm in runs] == [Path("/lib/mimalloc.so")]
    assert "against mimalloc on a young heap" in decide(case).headline


def test_program_without_allocations_is_answered(advise, monkeypatch):
    def refuse(*_: object) -> None:
        raise NothingRecordedError("nothing was recorded: 'x' ended before its first allocation", 0)

    monkeypatch.setattr(runner, "_load_or_record", refuse)
    verdict = decide(advise()[0])
    assert verdict.headline.startswith("Nothing worth doing: the program allocates 0 blocks")
    assert verdict.notes == ("Nothing was recorded: 'x' ended before its first allocation.",)


@pytest.mark.parametrize("events", [100, 1_000_000])
def test_malloc_inside_the_program_is_unmeasured(advise, monkeypatch, events):
    """Nothing replaces it, so that few blocks prove nothing."""
    monkeypatch.setattr(runner, "linked_into", {"/opt/llvm/bin/clang++-16": "jemalloc"}.__getitem__)
    process = document()["process"] | {"events": events, "executable": "/opt/llvm/bin/clang++-16"}
    verdict = decide(advise(process=process, scopes=[])[0])
    assert verdict.kind == "unmeasured"
    assert verdict.headline.startswith(
        "Nothing could be measured: the program has its own jemalloc linked into it"
    )
    assert verdict.facts == ()


def test_rejects_programs_that_the_recorder_ends(advise, monkeypatch):
    def refuse(*_: object) -> None:
        raise NothingRecordedError("nothing was recorded: 'x' was killed by SIGSYS", 128 + 31)

    monkeypatch.setattr(runner, "_load_or_record", refuse)
    with pytest.raises(UsageError, match="; without the recorder the program ended with exit status 0"):
        advise()


def test_notes_a_different_end_under_recorder(advise):
    faulty = document()["process"] | {"command": ["server"], "events": 1_000_000, "exit_status": 11}
    notes = decide(advise(process=faulty)[0]).notes
    message = "With the recorder the program ended by SIGSEGV, and without it ended with exit status 0"
    assert any(note.startswith(message) for note in notes)


def test_disturbed_recording_is_repeated(advise):
    wide = figures(1000, 64_000, 1.0, D=figures()["D"] | {"interval": [0.0, 0.5]})
    _, _, recordings = advise(figures=wide)
    assert len(recordings) == runner.MOST_RECORDINGS


def test_no_advice_without_a_containing_scope(advise):
    case, _, _ = advise(scopes=[])
    assert case.trial is None
    assert decide(case).headline == (
        "No advice: no scope of the program ends most of the blocks that it makes; and no other malloc saves "
        "time."
    )


def test_unservable_scope_is_skipped_with_reason(advise, monkeypatch):
    def refuse(*_: object) -> None:
        raise UsageError("the code of handle is in no file, so a trial cannot find it again")

    monkeypatch.setattr(runner, "run_campaign", refuse)
    case, _, _ = advise()
    assert case.trial is None
    assert any(note.startswith("handle() was not tried: the code of handle") for note in decide(case).notes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"outputs": ("",)}, "The program's output was not compared, as --ignore-output or --load asks."),
        ({"status": 256}, "The program ended with exit status 1; its standard input is empty, --input FILE"),
        ({"status": 11}, "The program ended by SIGSEGV"),
        ({"seconds": 0.04}, "The program takes 40 ms; with more work, the answer is surer"),
    ],
)
def test_notes_unusual_programs(advise, changes, message):
    program = type("Odd", (FakeProgram,), changes | {"saved_ms": {"monotonic": 5.0}})
    case, _, _ = advise(program=program)
    assert any(note.startswith(message) for note in decide(case).notes)


def test_notes_child_processes_and_foreign_recordings(advise):
    process = document()["process"] | {"events": 1_000_000, "forks_not_followed": 3}
    case, _, _ = advise(process=process)
    assert any(note.startswith("The program starts other processes.") for note in case.notes)
    assert any(note.startswith("The recording is of 'clang++-16") for note in case.notes)


def test_advises_one_of_several_processes(advise):
    program = type("Own", (FakeProgram,), {"tried": []})
    run = program.run
    own = {"cpu_seconds": 0.093}
    program.run = lambda self, arm, scope: (
        self.tried.append(self.process) or replace(run(self, arm, scope), **(own if self.process else {}))
    )
    case, _, _ = advise(program=program, **with_launcher())
    first, *others = program.tried
    assert first is None
    assert {(process.name, process.instance) for process in others} == {("ld", 1)}
    facts = dict(decide(case).facts)
    assert facts["process"] == (
        "ld, started by clang-16, the busiest of 2 processes, with 93 % of their CPU time; "
        "times and memory are its own; --process NAME chooses another"
    )
    assert "many processes" not in facts
    assert not any(note.startswith("The recording is of") for note in case.notes)


@pytest.mark.parametrize(
    ("cpu_seconds", "reason"), [(0.011, "one of the busiest"), (None, "which allocates most often")]
)
def test_names_the_reason_among_equal_processes(advise, cpu_seconds, reason):
    launched = with_launcher()
    launched["processes"][0] |= {"cpu_seconds": cpu_seconds}
    launched["processes"][1] |= {"cpu_seconds": cpu_seconds and 0.01}
    case, _, _ = advise(**launched)
    assert case.processes.sentence.startswith(f"ld, started by clang-16, {reason} of 2 processes, with ")


def test_refuses_a_launcher_of_an_unfollowed_program(advise):
    program = type("Launcher", (FakeProgram,), {"seconds": 1.0})
    run = program.run
    own = {"cpu_seconds": 0.01}
    program.run = lambda self, *words: replace(run(self, *words), **(own if self.process else {}))
    unfollowed = with_launcher(programs_not_followed=1)
    with pytest.raises(UsageError, match="ld starts a program that takes most of the time and was not foll"):
        advise(program=program, **unfollowed)
    other_user = with_launcher()
    other_user["process"] |= {"forks_not_followed": 1}
    with pytest.raises(UsageError, match="has other rights, as another user, or"):
        advise(program=program, **other_user)
    case, _, _ = advise(program=program, request=Request(("glibc",), process="ld"), **unfollowed)
    assert case.processes.sentence.startswith(
        "ld, started by clang-16, as --process asks of 2 processes, with 1 % of their CPU time; "
    )


def test_names_the_process_with_most_of_the_time(advise):
    program = type("Light", (FakeProgram,), {})
    run = program.run
    own = {"cpu_seconds": 0.02}
    program.run = lambda self, *words: replace(run(self, *words), **(own if self.process else {}))
    case, _, _ = advise(program=program, **with_launcher(cpu_seconds=0.08))
    assert "with 20 % of their CPU time; clang-16 takes most of it (--process clang-16); times" in (
        case.processes.sentence
    )


def test_many_short_processes_pay_for_a_preload_at_their_start(advise, monkeypatch):
    monkeypatch.setattr("mallard.advisor.advice.processes.find_library", lambda name: Path(f"/lib/{name}.so"))
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    costs = {"mimalloc": 0.000_41, "jemalloc": 0.000_8}
    monkeypatch.setattr("mallard.advisor.advice.processes.measure_starts", lambda libraries: costs)
    fields = with_launcher()
    row = fields["processes"][0]
    fields["processes"] += [row | {"number": number} for number in range(5000, 5039)]
    case, _, _ = advise(request=Request(("glibc", "mimalloc", "jemalloc")), **fields)
    assert dict(decide(case).facts)["many processes"] == (
        "41 processes of 2.4 ms of CPU time each: to preload a library costs each of them at its start, "
        "which no trial counts: mimalloc 0.41 ms and jemalloc 0.80 ms"
    )
    few, _, _ = advise(**with_launcher())
    assert few.processes.many == ""


def test_refuses_a_launcher_of_a_program_with_its_own_malloc(advise):
    program = type("Launcher", (FakeProgram,), {"unrecorded": "'/usr/bin/rustc' has its own malloc"})
    process = document()["process"] | {"command": ["server"]}
    alone = document()["processes"][0]
    fields = {"process": process, "processes": [alone | {"cpu_seconds": 0.01}]}
    with pytest.raises(UsageError, match="most of the time, and of which no library sees a request: '/usr"):
        advise(program=program, **fields)
    named, _, _ = advise(program=program, request=Request(("glibc",), process="clang-16"), **fields)
    assert named.processes is None
    mostly = {"process": process, "processes": [alone | {"cpu_seconds": 0.09}]}
    assert advise(program=program, **mostly)[0].allocations == 1000


def test_refuses_a_killed_process(advise):
    program = type("Killed", (FakeProgram,), {"status": KILLED})
    with pytest.raises(UsageError, match="is killed by a signal, so it cannot report its own time"):
        advise(program=program, **with_launcher())


def test_refuses_a_failed_load_of_the_process(advise):
    program = type("Failing", (FakeProgram,), {})
    run = program.run
    failed = LoadResult("--load 'x' ended with exit status 1")
    program.run = lambda self, *words: replace(
        run(self, *words), load=failed if self.process else LoadResult()
    )
    with pytest.raises(UsageError, match="--load 'x' ended with exit status 1; try the server"):
        advise(program=program, **with_launcher())


def test_refuses_processes_without_names(advise):
    fields = with_launcher()
    fields["process"] |= {"executable": None}
    with pytest.raises(UsageError, match="record the program without --redact"):
        advise(**fields)


def test_slow_program_measures_two_strategies_in_full(advise):
    savings = {"heap": 300.0, "small-object-pool": 200.0, "monotonic": 50.0, "multipool": 40.0}
    slow = type("Slow", (FakeProgram,), {"seconds": 1.0, "saved_ms": savings})
    busy = document()["process"] | {"command": ["server"], "events": 20_000_000}
    case, runs, _ = advise(program=slow, process=busy)
    assert {effect.strategy for effect in case.briefly.trial.effects} == set(STRATEGIES)
    assert [effect.strategy for effect in case.baseline.trial.effects] == ["heap", "small-object-pool"]
    assert decide(case).answer.strategy == "heap"
    best = "the best of them, heap and small-object-pool, had all rounds"
    assert f"The program takes long: each strategy had 3 rounds, and {best}." in case.notes
    assert sum(arm.strategy == "adaptive-pool" for arm in runs) == 3
    quick, _, _ = advise(program=slow, request=Request(("glibc",), quick=True), process=busy)
    assert any(note.startswith("As --quick asks: each strategy had 3 rounds") for note in quick.notes)


def test_best_two_excludes_unusable_strategies():
    unserved = effect("small-object-pool", 50.0, counts=Counts())
    differing, heap, pool = effect("adaptive-pool", 40.0), effect("heap", 30.0), effect("multipool", -2.0)
    assert best_two(baseline(unserved, differing, heap, pool, differing=("adaptive-pool",))) == (
        "heap",
        "multipool",
    )
    assert best_two(baseline(unserved)) == SCREENING


def test_announces_the_expected_time(advise):
    advise()
    rerun_note, time_note = FakeProgram.messages
    assert (
        rerun_note
        == "server runs many times, in this folder: files that it writes are written again each time."
    )
    assert time_note.startswith("A run takes 0.1 s; up to ")


@pytest.mark.parametrize("options", [{}, {"ages": (young(), OLD)}, {"rounds": 21}, {"quick": True}])
def test_further_rounds_are_announced(advise, monkeypatch, options):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    draw = random.Random(1)

    class Noisy(FakeProgram):
        saved_ms: dict[str, float] = {"monotonic": 2.0}  # noqa: RUF012

        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return replace(done, cpu_seconds=done.cpu_seconds + draw.gauss(0.0, 0.004))

    case, runs, recordings = advise(Noisy, Request(("glibc", "mimalloc", "jemalloc"), **options))
    announced = int(re.search(r"up to ([\d,]+) runs", Noisy.messages[1])[1].replace(",", ""))
    assert len(runs) + len(recordings) <= announced
    notes = [note for note in decide(case).notes if "further rounds" in note]
    is_asked = {"rounds", "quick"} & set(options)
    assert len(notes) == (0 if is_asked else 2)
    effects = (*case.globals.effects, *case.baseline.trial.effects)
    assert any(effect.time.confidence == SURE for effect in effects) is not bool(is_asked)


def test_rejects_hours_after_one_run(advise):
    slow = type("Slow", (FakeProgram,), {"seconds": 540.0})
    with pytest.raises(UsageError, match="a run takes 540 s, so 132 runs would take about 20 hours"):
        advise(program=slow)
    assert len(slow.runs) == 1
    hardly = document()["process"] | {"command": ["server"], "events": 100}
    assert advise(program=slow, request=Request(("glibc",), rounds=3), process=hardly)[0]


def test_notes_empty_standard_input(advise):
    case, _, _ = advise(request=Request(("glibc",), terminal=True))
    assert EMPTY_INPUT in case.notes
    assert EMPTY_INPUT not in advise()[0].notes


def test_failed_trial_keeps_earlier_measurements(advise, monkeypatch):
    short, full = runner.run_campaign, 21

    def fail(program: Any, scope: Scope, campaign: Any, tick: Any) -> Any:
        if campaign.rounds == full:
            raise UsageError("server ran for more than 600 s; give it less work")
        return short(program, scope, campaign, tick)

    monkeypatch.setattr(runner, "run_campaign", fail)
    case, _, _ = advise()
    assert decide(case).answer.strategy == "monotonic"
    assert case.trial.rounds < full
    failed = "A trial of handle() in all rounds was not possible: server ran for more than 600 s."
    assert failed in case.notes


def test_nameless_function_gives_way_to_a_named_one(advise):
    """The nameless function saves as much, and allocates more."""
    names = ("main", "server+0x24a0", "parse(text)")
    functions = [{"name": name, "object": "/srv/server", "file": "s.cpp", "line": 9} for name in names]
    inner = scope(2, 2, 600, 40_000, 1.0, owned=amount(600, 40_000))
    outer = scope(1, 1, 990, 63_000, 1.0, owned=amount(390, 23_000))
    case, _, _ = advise(functions=functions, scopes=[outer, inner])
    assert {screened.candidate.name for screened in case.screened} == {"parse", "server+0x24a0"}
    assert case.chosen.name == "parse"
    slow = type("Slow", (FakeProgram,), {"saved_ms": {"multipool": -3.0}})
    case, _, _ = advise(program=slow, functions=functions, scopes=[outer])
    assert case.chosen.name == "server+0x24a0"
    assert case.chosen.object == "/srv/server"


@pytest.mark.parametrize(("more", "left_out"), [(20.0, True), (0.5, False)])
def test_excludes_escaping_blocks_if_it_saves_more(advise, more, left_out):
    class Escaping(FakeProgram):
        def run(self, arm: Any, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            saved = more / 1e3 if EXCEPT in dict(scope.variables) and arm.strategy == "monotonic" else 0.0
            return replace(done, cpu_seconds=done.cpu_seconds - saved)

    site = {"site": 4, **amount(100, 800), "file": "", "instruction": 0x1F}
    nowhere = {"site": 4, **amount(10, 80)}
    unnamed = {"site": 4, **amount(10, 80), "file": "/a;b/lib.so", "instruction": 0x1F}
    stays = {"site": 5, **amount(7, 70), "file": "lib.so", "instruction": 0x2F}
    handle = scope(
        *(1, 1, 990, 63_000, 0.9),
        owned=amount(890, 60_000),
        escape_sites=[site, nowhere, unnamed],
        alive_sites=[stays, site],
    )
    case, _, _ = advise(program=Escaping, scopes=[handle])
    assert [site.code for site in case.chosen.left_out] == ([":1f-20", "lib.so:2f-30"] if left_out else [])
    verdict = decide(case)
    assert (", but not for the blocks of " in verdict.headline) is left_out
    assert ("the trial left those global" in dict(verdict.facts)["memory"]) is left_out


def line_site(**changes: Any) -> dict[str, Any]:
    large = figures(40, 40 * MIB, 1.0, sizes=[[MIB, 40, 40 * MIB]], size_classes=1, largest=MIB)
    site = {"place": 0, "figures": large, "stacks": [], "contexts": 1, "owners": []}
    return site | {"file": "", "instruction": 0x1F, "peak_bytes": MIB, "returns": 40} | changes


def line_profile(*sites: dict[str, Any]) -> dict[str, Any]:
    places = [{"function": 2, "file": "/src/s.cpp", "line": line, "inlined": False} for line in (41, 42, 43)]
    return {"places": places, "stacks": [], "sites": list(sites), "figures": figures(1000, 45 * MIB, 1.0)}


class Kept(FakeProgram):
    saved_ms = FakeProgram.saved_ms | {"kept-block": 60.0, "block-cache": 55.0}
    scopes: list[tuple[str | None, Scope]] = []  # noqa: RUF012

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        self.scopes.append((arm.strategy, scope))
        return replace(super().run(arm, scope), faults=400_000)


def test_lines_are_tried_with_functions(advise):
    Kept.scopes = []
    case, runs, _ = advise(Kept, **line_profile(line_site()))
    assert decide(case).headline.startswith(
        "Keep the block of parse() (s.cpp:41) and use it again: 60.0 % saved"
    )
    assert [each.candidate.title for each in case.screened] == ["parse()", "handle()"]
    scopes = {scope.name: dict(scope.variables) for strategy, scope in Kept.scopes if strategy in KEPT}
    assert scopes == {"parse() (s.cpp:41)": {"MALLARD_TRIAL_BY": "stack", "MALLARD_TRIAL_CODE": ":1f-20"}}
    assert case.trial.rounds == 21
    of_lines = {strategy for strategy, scope in Kept.scopes if scope.name.startswith("parse")}
    assert of_lines == {None, NULL, *KEPT}, "nothing grows there"
    assert len(runs) < plan_for(0.1, Request(("glibc",))).runs


@pytest.mark.parametrize("words", [{}, {"scopes": ("s.cpp:41",)}], ids=["first", "requested"])
def test_growing_array_gets_its_final_size(advise, words):
    class Reserved(Kept):
        saved_ms = Kept.saved_ms | {"reserve": 62.0}

    Reserved.scopes = []
    array = figures(400, 400 * 4096, 0.4, sizes=[[4096, 400, 400 * 4096]], size_classes=1, largest=4096)
    growth = {"allocations": 360, "from_bytes": 10**8, "to_bytes": 2 * 10**8, "final_p99_bytes": 4000}
    growing = line_site(figures=array, peak_bytes=40 * 4096, growth=growth)
    case, _, _ = advise(Reserved, Request(("glibc",), **words), **line_profile(growing))
    assert decide(case).headline.startswith("Reserve 3.91 KiB for the first block of parse() (s.cpp:41)")
    tried = {strategy: dict(scope.variables) for strategy, scope in Reserved.scopes}
    assert tried["reserve"] == tried["kept-block"]
    assert tried["reserve"]["MALLARD_TRIAL_RESERVE"] == "4000"
    assert case.chosen.reserved_bytes == 4000


def test_the_first_lines_are_tried(advise):
    sites = [line_site(place=place, instruction=place) for place in (0, 1, 2, 0)]
    case, _, _ = advise(Kept, **line_profile(*sites))
    lines = [each.candidate for each in case.screened if each.candidate.is_line]
    assert [(line.source, line.code) for line in lines] == [
        ("/src/s.cpp:41", ":0-1;:0-1"),
        ("/src/s.cpp:42", ":1-2"),
    ]
    quick, _, _ = advise(Kept, Request(("glibc",), quick=True), **line_profile(*sites))
    assert sum(each.candidate.is_line for each in quick.screened) == 1


@pytest.mark.parametrize(
    "changes", [{"file": None}, {"peak_bytes": 20 * MIB}, {"figures": figures(40, 4096, 1.0, largest=4096)}]
)
def test_lines_that_cannot_keep_blocks_are_not_tried(advise, changes):
    case, _, _ = advise(Kept, **line_profile(line_site(**changes)))
    assert not [each for each in case.screened if each.candidate.is_line]


def test_a_line_is_tried_on_request(advise):
    few = line_site(peak_bytes=20 * MIB)
    case, _, _ = advise(Kept, Request(("glibc",), scopes=("s.cpp:41",)), **line_profile(few))
    assert [each.candidate.source for each in case.screened] == ["/src/s.cpp:41"]
    with pytest.raises(UsageError, match=r"no call at s.cpp:44 allocates"):
        advise(Kept, Request(("glibc",), scopes=("s.cpp:44",)), **line_profile(few))


def test_union_keeps_excluded_blocks():
    reduced = exclude_code(stack_scope("a"), [":1-2"], "the cache")
    joined = union(reduced, stack_scope("bc"))
    assert dict(joined.variables)[EXCEPT] == ":1-2"


def test_union_joins_codes_of_two_scopes():
    joined = union(stack_scope("a"), stack_scope("bc"))
    assert dict(joined.variables)["MALLARD_TRIAL_CODE"] == ":1;:2"
    assert union(stack_scope("a"), Scope("m", (("MALLARD_TRIAL_BY", "mark"),))) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"program": []}, "PROGRAM is missing"),
        ({"scope": " , "}, "--scope is empty"),
        ({"rounds": 2}, "--rounds 2: an interval needs 3 rounds or more"),
        ({"mallocs": "glibd"}, "--global 'glibd' is not a known malloc"),
        ({"age": "ancient"}, "--age ancient: 'ancient' is not an age; allowed are young, used, old"),
        ({"age": "old", "history": Path("no/such")}, "--history no/such is not a file"),
        ({"history": Path("/dev/null")}, "--history /dev/null is not a file"),
        ({"input": Path("no/such")}, "--input no/such is not a file"),
        ({"scratch": Path("no/such")}, "--scratch no/such is not a folder"),
    ],
)
def test_rejects_bad_input(words, message):
    defaults = {
        "program": ["true"],
        "scope": None,
        "rounds": None,
        "mallocs": "glibc",
        "age": "young",
        "history": None,
        "trace": None,
        "input": None,
        "scratch": None,
        **dict.fromkeys(("load", "ready", "port", "stop", "metric")),
    }
    with pytest.raises(UsageError, match=message):
        check(type("Arguments", (), defaults | words))
