"""Trials: rounds in random order, a null for the strategies, and verdicts with their intervals."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import asdict, fields, replace
from importlib import import_module
from pathlib import Path

import pytest

from mallard.advisor.trial import program as trial_program
from mallard.advisor.trial.campaign import Campaign, run_campaign
from mallard.advisor.trial.effect import difference, run_cpu_seconds, summarize_trial
from mallard.advisor.trial.load import FAILED_LOAD, Load, LoadResult
from mallard.advisor.trial.process import Measured, RunsDifferError
from mallard.advisor.trial.program import (
    AS_IT_IS,
    HEADER,
    HEADERS_BYTES,
    KILLED,
    MAGIC,
    NULL,
    SERVER_BYTES,
    Arm,
    Counts,
    Detector,
    Program,
    RunResult,
    Scope,
    TriedProcess,
    read_counts,
)
from mallard.advisor.trial.rounds import GivenUp, Rounds, outputs_differ, run_rounds
from mallard.advisor.trial.surroundings import Surroundings
from mallard.advisor.view.trial import trial_json, trial_report
from mallard.cli import parse_command
from mallard.shared.age import levels, young
from mallard.shared.console import output_console
from mallard.shared.errors import UsageError
from mallard.shared.parent_death import TimeLimitError
from mallard.shared.report.terminal import show_report
from mallard.shared.stats import Difference, paired_difference

OLD = levels()["old"]
SCOPE = Scope("handle", (("MALLARD_TRIAL_BY", "stack"), ("MALLARD_TRIAL_CODE", ":1f")))
RESULT = RunResult(
    cpu_seconds=0.1,
    wall_seconds=0.11,
    peak_bytes=1 << 20,
    faults=100,
    status=0,
    output="same",
    counts=Counts(in_null=1000, elsewhere=500, servers=1),
)
FOUR_SERVERS = replace(RESULT.counts, servers=4)


class FakeProgram(Program):
    """Returns a synthetic result for each arm and round."""

    def __init__(self, by_strategy):
        super().__init__(["fake"], Path("libmallard_trial.so"))
        object.__setattr__(self, "by_strategy", by_strategy)
        object.__setattr__(self, "arms", [])
        object.__setattr__(self, "limits", [])

    def with_limit(self, seconds: float) -> Program:
        self.limits.append(seconds)
        return self

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        self.arms.append(arm)
        result = self.by_strategy(arm, self.arms.count(arm))
        return result if arm.strategy is not None else replace(result, counts=None)


def by_time(**milliseconds):
    """A program whose null and strategies take these times, and half a percent more each round."""

    def run(arm: Arm, round_: int) -> RunResult:
        name = "plain" if arm.strategy is None else arm.strategy.replace("-", "_")
        seconds = milliseconds[name] / 1000 * (1 + round_ / 200)
        served = Counts(served=900, too_large=100, freed=900, started_again=9, elsewhere=500, servers=1)
        counts = RESULT.counts if name == "null" else served
        return replace(RESULT, cpu_seconds=seconds, wall_seconds=seconds, counts=counts)

    return run


def campaign(*strategies: str, **more) -> Campaign:
    settings = {"mallocs": ("glibc",), "ages": (young(),), "rounds": 5, "seed": 1}
    return Campaign(strategies=strategies, **settings | more)


def no_tick(done: int, total: int) -> None:
    assert 0 <= done < total


def shown(result) -> str:
    console = output_console(100)
    with console.capture() as text:
        show_report(console, trial_report(result))
    return text.get()


def test_difference_is_paired_by_round():
    base = [1.0, 2.0, 3.0, 4.0, 5.0]
    paired = paired_difference([value + 0.5 for value in base], base)
    assert paired == Difference(0.5, 0.5, 0.5, 5)
    assert paired_difference([2.0], [1.0]).low == float("-inf")
    with pytest.raises(ValueError, match="paired"):
        paired_difference([1.0], [1.0, 2.0])


def test_saving_is_at_most_the_whole():
    """In three rounds on a busy machine the interval is wider than the time."""
    times = ((0.05, 0.4, 0.06), (0.1, 0.07, 0.3))
    runs, base = ([replace(RESULT, cpu_seconds=seconds) for seconds in side] for side in times)
    for planned in (None, 2):  # also after further rounds
        time = difference(runs, base, run_cpu_seconds, planned)
        assert (time.median, time.low) == (pytest.approx(-0.05), -0.1)
        assert time.high > 0.3
    signed = difference(runs, base, lambda run: run.cpu_seconds - 1.0)
    assert signed.low < -0.3, "a metric may be negative"


def test_best_strategy_saves_most():
    program = FakeProgram(by_time(plain=80, null=100, monotonic=70, multipool=90, heap=120))
    result = run_campaign(program, SCOPE, campaign("multipool", "monotonic", "heap"), no_tick)
    trial = result.baselines[0].trial
    assert [effect.strategy for effect in trial.effects] == ["monotonic", "multipool", "heap"]
    best = result.baselines[0].best
    assert best.strategy == "monotonic"
    assert best.time.median == pytest.approx(-0.0306, abs=0.0002)
    assert trial.effects[-1].costs
    assert trial.nanoseconds_to_find == pytest.approx(20e6 * 1.015 / 1500, rel=0.01)
    text = shown(result)
    assert text.split("\n")[1].startswith(
        "handle: a monotonic allocator (rewound when no block of the scope is live)"
    )
    assert "against glibc" in text
    assert "glibc on a young heap\n" not in text, "one baseline needs no heading"
    both = replace(result, baselines=(*result.baselines, replace(result.baselines[0], malloc="mimalloc")))
    text = shown(both)
    assert re.search(r"^glibc on a young heap *$", text, re.MULTILINE)
    assert re.search(r"^mimalloc on a young heap *\n.*: a monotonic", text, re.MULTILINE)
    assert json.loads(trial_json(result))["baselines"][0]["malloc"] == "glibc"


@pytest.mark.parametrize(
    ("detector", "by_stack", "note"),
    [
        (Detector("rules", 4, 0.0, 0.0), 10, ""),
        (Detector("rules", 4, 0.0, 0.0), 150, "For 10 % of the requests the whole stack is unwound"),
        (Detector("stack", reason="it has to"), 1500, "stack of each thread is kept, because it has to."),
        (None, 0, ""),
    ],
)
def test_explains_costly_scope_detection(detector, by_stack, note):
    def run(arm: Arm, round_: int) -> RunResult:
        result = by_time(plain=80, null=100, monotonic=70)(arm, round_)
        counts = result.counts or Counts()
        return replace(result, counts=replace(counts, in_null=1000, elsewhere=500, by_stack=by_stack))

    scope = replace(SCOPE, detector=detector)
    result = run_campaign(FakeProgram(run), scope, campaign("monotonic"), no_tick)
    text = " ".join(shown(result).split())
    assert note in text
    assert ("stack" in text) == bool(note)
    assert json.loads(trial_json(result))["scope"]["detector"] == (detector and asdict(detector))


def test_saving_within_interval_does_not_count():
    times = iter([100, 101, 99, 102, 98] * 10)
    counts = Counts(served=1000, in_null=1000, elsewhere=500)
    program = FakeProgram(lambda arm, round_: replace(RESULT, cpu_seconds=next(times) / 1000, counts=counts))
    result = run_campaign(program, SCOPE, campaign("monotonic"), no_tick)
    assert result.baselines[0].best is None
    text = " ".join(shown(result).split())
    assert "no strategy saves time beyond its interval, against glibc" in text
    assert not result.baselines[0].is_unmeasured
    assert "monotonic may save up to" in text
    assert "wide after 5 rounds, and --rounds 20 halves it, in about 6 seconds" in text


def test_rounds_run_every_arm_in_random_order():
    program = FakeProgram(by_time(plain=80, null=100, monotonic=70, multipool=90))
    arms = {
        AS_IT_IS: Arm(None),
        NULL: Arm(NULL),
        "monotonic": Arm("monotonic"),
        "multipool": Arm("multipool"),
    }
    run_rounds(program, SCOPE, arms, 8, 1, no_tick)
    rounds = [program.arms[place : place + 4] for place in range(0, 32, 4)]
    orders = {tuple(arm.strategy for arm in round_arms) for round_arms in rounds}
    assert all(set(order) == {None, NULL, "monotonic", "multipool"} for order in orders)
    assert len(orders) > 1


def test_rejects_a_scope_that_does_not_occur():
    program = FakeProgram(lambda arm, round_: replace(RESULT, counts=Counts(elsewhere=10, servers=1)))
    with pytest.raises(UsageError, match="no block was allocated inside of handle"):
        run_campaign(program, SCOPE, campaign("monotonic"), no_tick)


def test_rejects_a_program_without_the_trial():
    program = FakeProgram(lambda arm, round_: replace(RESULT, counts=None))
    with pytest.raises(UsageError, match="linked statically"):
        run_campaign(program, SCOPE, campaign("monotonic"), no_tick)


def test_crashing_strategy_is_reported_and_excluded():
    def run(arm: Arm, round_: int) -> RunResult:
        return (
            replace(RESULT, status=11)
            if arm.strategy == "heap"
            else by_time(plain=80, null=100, monotonic=70)(arm, round_)
        )

    result = run_campaign(FakeProgram(run), SCOPE, campaign("monotonic", "heap"), no_tick)
    assert result.baselines[0].trial.failed == {"heap": "ended by SIGSEGV"}
    assert "heap: the program ended by SIGSEGV under it" in shown(result)


def test_trial_under_which_nothing_ran_is_unmeasured():
    def run(arm: Arm, round_: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70, heap=90)(arm, round_)
        return replace(once, status=6) if arm.strategy in ("monotonic", "heap") else once

    result = run_campaign(FakeProgram(run), SCOPE, campaign("monotonic", "heap"), no_tick)
    assert result.baselines[0].is_unmeasured
    text = " ".join(shown(result).split())
    assert "handle: nothing could be measured: under monotonic and heap the program ended by SIGABRT." in text
    assert "no strategy saves time" not in text


def ending(odd: dict[str, dict[int, int]]):
    """A program with these statuses: of an arm, by round."""

    def run(arm: Arm, round_: int) -> RunResult:
        name = "plain" if arm.strategy is None else arm.strategy
        once = by_time(plain=80, null=100, monotonic=70, heap=90)(arm, round_)
        return replace(once, status=odd.get(name, {}).get(round_, 0))

    return FakeProgram(run)


def test_rejects_a_program_that_the_null_breaks():
    always = dict.fromkeys(range(1, 6), 11)
    program = ending({"null": always, "monotonic": always})
    with pytest.raises(
        UsageError, match="ended by SIGSEGV where a trial only finds handle and serves nothing"
    ):
        run_campaign(program, SCOPE, campaign("monotonic"), no_tick)
    assert sum(arm.strategy == NULL for arm in program.arms) == 2
    late = ending({"null": {4: 11}})
    with pytest.raises(UsageError, match="ended by SIGSEGV in 1 of 5 rounds where a trial"):
        run_campaign(late, SCOPE, campaign("monotonic"), no_tick)


def test_rejects_a_null_that_changes_output():
    def run(arm: Arm, round_: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70)(arm, round_)
        return replace(once, output="plain" if arm.strategy is None else "other")

    with pytest.raises(UsageError, match=r"has another output .*--ignore-output\) where a trial"):
        run_campaign(FakeProgram(run), SCOPE, campaign("monotonic"), no_tick)


def test_rejects_a_missing_malloc(monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: None)
    program = FakeProgram(by_time(plain=80, null=100, monotonic=70))
    with pytest.raises(UsageError, match="mimalloc is not installed"):
        run_campaign(program, SCOPE, campaign("monotonic", mallocs=("mimalloc",)), no_tick)


def test_warns_about_a_short_program():
    short, long = by_time(plain=40, null=50, monotonic=30), by_time(plain=80, null=100, monotonic=70)
    message = "The program takes 41 ms; with more work, the answer is surer"
    assert message in shown(run_campaign(FakeProgram(short), SCOPE, campaign("monotonic"), no_tick))
    assert "with more work" not in shown(
        run_campaign(FakeProgram(long), SCOPE, campaign("monotonic"), no_tick)
    )


def test_campaign_predicts_its_number_of_runs():
    program = FakeProgram(by_time(plain=80, null=100, monotonic=70))
    planned = campaign("monotonic", ages=(young(), OLD))
    run_campaign(program, SCOPE, planned, no_tick)
    assert planned.runs == len(program.arms) == 30


def test_gives_up_slow_strategies():
    program = FakeProgram(by_time(plain=80, null=100, monotonic=70, heap=500))
    result = run_campaign(program, SCOPE, campaign("monotonic", "heap"), no_tick)
    trial = result.baselines[0].trial
    assert trial.given_up == {"heap": GivenUp(2, pytest.approx(5.0))}
    assert program.arms.count(Arm("heap")) == 2
    assert program.arms.count(Arm("monotonic")) == 5
    assert [effect.strategy for effect in trial.effects] == ["monotonic"]
    assert "heap: given up after 2 runs: 5 times slower." in shown(result)


@pytest.mark.parametrize(
    ("null", "slow_ms", "slow_rounds"),
    [(100, 500, {1}), (100, 500, {2}), (100, 290, {1, 2, 3, 4, 5}), (2, 40, {1, 2, 3, 4, 5})],
)
def test_keeps_strategies_that_hardly_delay_a_trial(null, slow_ms, slow_rounds):
    """One slow run may be an accident."""

    def run(arm: Arm, round_: int) -> RunResult:
        is_slow = arm.strategy == "heap" and round_ in slow_rounds
        return by_time(plain=null, null=null, heap=slow_ms if is_slow else null)(arm, round_)

    trial = run_campaign(FakeProgram(run), SCOPE, campaign("heap"), no_tick).baselines[0].trial
    assert trial.given_up == {}
    assert trial.effects[0].time.n == 5


def test_kills_runs_of_many_times_the_null():
    def run(arm: Arm, round_: int) -> RunResult:
        if arm.strategy == "heap":
            raise TimeLimitError("fake", program.limits[-1])
        return by_time(plain=80, null=200, monotonic=70)(arm, round_)

    program = FakeProgram(run)
    result = run_campaign(program, SCOPE, campaign("monotonic", "heap"), no_tick)
    assert result.baselines[0].trial.given_up == {"heap": GivenUp(1, pytest.approx(10.0), killed=True)}
    assert program.arms.count(Arm("heap")) == 1
    assert "heap: given up after 1 run: more than 10 times slower." in shown(result)


def test_time_limit_of_the_program_is_an_error():
    def run(arm: Arm, round_: int) -> RunResult:
        raise TimeLimitError("fake", 600.0)

    with pytest.raises(UsageError, match="fake ran for more than 600 s; give it less work"):
        run_campaign(FakeProgram(run), SCOPE, campaign("heap"), no_tick)


def test_unexpected_end_is_reported_with_rounds():
    result = run_campaign(ending({"heap": {3: 256}}), SCOPE, campaign("monotonic", "heap"), no_tick)
    trial = result.baselines[0].trial
    assert trial.failed == {"heap": "ended with exit status 1 in 1 of 5 rounds"}
    assert [effect.strategy for effect in trial.effects] == ["monotonic"]


@pytest.mark.parametrize("round_", [1, 4])
@pytest.mark.parametrize("change", [{"status": 256}, {"output": "other"}])
def test_rejects_runs_that_differ(round_, change):
    """The unchanged program must repeat its first run, as do other arms that share its state."""

    def run(arm: Arm, done: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70)(arm, done)
        return replace(once, **change) if arm.strategy is None and done >= round_ else once

    program = FakeProgram(run)
    object.__setattr__(program, "first", RESULT)
    with pytest.raises(RunsDifferError, match=f"the run of round {round_}, as it is, .* the first run"):
        run_campaign(program, SCOPE, campaign("monotonic"), no_tick)


def test_best_served_blocks_and_kept_the_output():
    def run(arm: Arm, round_: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70, heap=50, multipool=90)(arm, round_)
        if arm.strategy == "heap":
            return replace(once, counts=Counts(too_large=900, elsewhere=500))
        return replace(once, output="other") if arm.strategy == "monotonic" else once

    result = run_campaign(FakeProgram(run), SCOPE, campaign("monotonic", "heap", "multipool"), no_tick)
    assert result.baselines[0].best.strategy == "multipool"
    text = " ".join(shown(result).split())
    assert "handle: a multipool saves" in text
    assert "heap: the global allocator served 900 that are too large." in text
    assert "multipool: the global allocator served 100 that are too large." in text


def test_rejects_an_unservable_scope_after_one_round():
    unserved = Counts(too_large=900, aligned=100, elsewhere=500)

    def run(arm: Arm, round_: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70)(arm, round_)
        return replace(once, counts=unserved) if arm.strategy == "monotonic" else once

    program = FakeProgram(run)
    message = "no block of handle could be served: 900 that are too large and 100 with an explicit alignment"
    with pytest.raises(UsageError, match=message):
        run_campaign(program, SCOPE, campaign("monotonic"), no_tick)
    assert len(program.arms) == 3


def test_output_is_compared_unless_ignored():
    rounds = Rounds({AS_IT_IS: [RESULT, RESULT], "heap": [RESULT, replace(RESULT, output="other")]})
    assert outputs_differ(rounds, ["heap"]) == ["heap"]
    ignored = FakeProgram(lambda arm, _: replace(by_time(plain=80, null=100, heap=70)(arm, 1), output=""))
    result = run_campaign(ignored, SCOPE, campaign("heap"), no_tick)
    assert result.baselines[0].differing == ()
    assert "output was not compared, as --ignore-output or --load asks" in shown(result)


def test_wall_time_if_several_threads_allocate():
    threads = replace(RESULT, wall_seconds=0.5, counts=FOUR_SERVERS, allocating_threads=4)
    rounds = Rounds({AS_IT_IS: [RESULT], NULL: [threads], "heap": [replace(threads, wall_seconds=0.4)]})
    trial = summarize_trial(rounds, ["heap"])
    assert trial.wall
    assert trial.effects[0].time.median == pytest.approx(-0.1)


def test_cpu_time_if_one_thread_allocates_in_scope():
    threads = replace(RESULT, wall_seconds=0.5, counts=FOUR_SERVERS, allocating_threads=1)
    rounds = Rounds({AS_IT_IS: [RESULT], NULL: [threads], "heap": [replace(threads, cpu_seconds=0.08)]})
    trial = summarize_trial(rounds, ["heap"])
    assert not trial.wall
    assert trial.effects[0].time.median == pytest.approx(-0.02)


def test_first_trial_decides_the_clock():
    def run(arm: Arm, round_: int) -> RunResult:
        result = by_time(plain=80, null=100, monotonic=70)(arm, round_)
        return replace(result, allocating_threads=0 if arm.age == OLD else 4)

    baselines = run_campaign(
        FakeProgram(run), SCOPE, campaign("monotonic", ages=(young(), OLD)), no_tick
    ).baselines
    assert [baseline.trial.wall for baseline in baselines] == [True, True]


def test_counts_threads_that_allocate_in_scope(tmp_path):
    def server(**counted: int) -> bytes:
        names = [field.name for field in fields(Counts)][:13]
        last = counted.pop("last", 0), counted.pop("caller", 0)
        return struct.pack("<15Q", *(counted.get(name, 0) for name in names), *last).ljust(
            SERVER_BYTES, b"\0"
        )

    file = tmp_path / "report"
    own = (4_000_000, 5_000_000, 6 << 20, 7)
    head = HEADER.pack(MAGIC, 4, 1, 3, 5, 2_000_000, 3_000_000, *own, b"")
    head = head.ljust(HEADERS_BYTES, b"\0")
    frees_only, elsewhere = server(), server(elsewhere=500)
    in_scope = server(in_null=3, last=40, caller=0x401000)
    file.write_bytes(head + frees_only + elsewhere + in_scope + server(too_large=1))
    counts = read_counts(file)
    assert (counts.askers, counts.servers, counts.in_null) == (2, 4, 3)
    assert (counts.seen, counts.seen_excepted) == (3, 5)
    assert (counts.begin_cpu_ns, counts.begin_wall_ns) == (2_000_000, 3_000_000)
    assert (counts.cpu_ns, counts.wall_ns, counts.peak_bytes, counts.faults) == own
    assert counts.last == ((40, 0x401000),)
    file.write_bytes(head + elsewhere)  # fewer servers than the header states
    assert (read_counts(file).askers, read_counts(file).servers) == (0, 1)
    assert read_counts(tmp_path / "none") is None


@pytest.mark.parametrize(("cpu_ns", "status"), [(4_000_000, 256), (0, 256 | KILLED)])
def test_compares_the_time_of_the_tried_process(tmp_path, monkeypatch, cpu_ns, status):
    environments = []

    def measured(words, environment, *_):
        environments.append(environment)
        own = (cpu_ns, 5_000_000, 6 << 20, 7)
        Path(environment["MALLARD_TRIAL_REPORT"]).write_bytes(
            HEADER.pack(MAGIC, 0, 0, 0, 0, 0, 0, *own, b"").ljust(HEADERS_BYTES, b"\0")
        )
        return Measured(1.0, 2.0, 3 << 20, 4, 256, "output")

    monkeypatch.setattr(trial_program, "measure", measured)
    process = TriedProcess("cc1plus", 2, "cc1plus, started by g++")
    program = Program(["g++"], tmp_path / "libtrial.so", process=process)
    run = program.run(Arm(None), SCOPE)
    assert (run.cpu_seconds, run.wall_seconds, run.peak_bytes) == (cpu_ns / 1e9, 5e-3, 6 << 20)
    assert run.status == status
    assert ("ended one of its processes" in run.end) == (cpu_ns == 0)
    (environment,) = environments
    assert environment["MALLARD_TRIAL_PROCESS"] == "2:cc1plus"
    assert environment["LD_PRELOAD"].startswith(str(tmp_path / "libtrial.so"))
    assert "MALLARD_TRIAL" not in environment
    monkeypatch.setattr(trial_program, "measure", lambda *_: Measured(1.0, 2.0, 3, 4, 0, ""))
    with pytest.raises(UsageError, match=r"cc1plus, started by g\+\+ was not found when the program ran"):
        program.run(Arm("heap"), SCOPE)


@pytest.mark.parametrize(("is_first", "load"), [(True, True), (False, True), (True, False)])
def test_times_a_launched_server_that_sigterm_ends(tmp_path, monkeypatch, is_first, load):
    """`env VARIABLE=x python3 server.py`: one process, whose report has no end."""
    monkeypatch.setattr(trial_program, "measure", lambda *_: Measured(1.0, 2.0, 3, 4, 0, ""))
    counts = Counts(begin_cpu_ns=200_000_000)
    monkeypatch.setattr(trial_program, "read_counts", lambda _: counts)
    process = TriedProcess("python3", 1, "python3, started by env", is_first=is_first)
    surroundings = Surroundings(load=Load("true") if load else None)
    run = Program(["env"], tmp_path / "x", process=process, surroundings=surroundings).run(Arm(None), SCOPE)
    assert bool(run.status & KILLED) is not (is_first and load)
    assert run.cpu_seconds == (0.8 if is_first and load else 0)


def test_a_history_has_the_whole_time_limit(tmp_path, monkeypatch):
    """A server is not ready before its heap is aged."""
    shares = []

    def measured(*words):
        shares.append(words[4].load.start_share)
        return Measured(1.0, 2.0, 3, 4, 0, "")

    monkeypatch.setattr(trial_program, "measure", measured)
    program = Program(["server"], tmp_path / "x", surroundings=Surroundings(load=Load("true")))
    for age in levels().values():
        program.run(Arm(None, age=age), SCOPE)
    assert shares == [0.1, 1.0, 1.0]


def test_a_failed_load_needs_no_report(tmp_path, monkeypatch):
    """A hung server is killed before the process reports its time."""
    hung = Measured(1.0, 2.0, 3, 4, 9 | FAILED_LOAD, "", load=LoadResult("x did not end", hung=True))
    monkeypatch.setattr(trial_program, "measure", lambda *_: hung)
    program = Program(["sh"], tmp_path / "x", process=TriedProcess("server", 1, "server", 1000))
    assert program.run(Arm("heap"), SCOPE).end == "hung"


@pytest.mark.parametrize(("recorded", "refused"), [(3000, True), (50, True), (1000, False), (0, False)])
def test_refuses_another_process_with_the_name(tmp_path, monkeypatch, recorded, refused):
    monkeypatch.setattr(trial_program, "measure", lambda *_: Measured(1.0, 2.0, 3, 4, 0, ""))
    counts = Counts(in_null=400, elsewhere=100, servers=1, cpu_ns=1000)
    monkeypatch.setattr(trial_program, "read_counts", lambda _: counts)
    program = Program(["sh"], tmp_path / "x", process=TriedProcess("jq", 2, "jq", recorded))
    if refused:
        with pytest.raises(UsageError, match=f"jq makes 500 requests in one run and {recorded:,} in another"):
            program.run(Arm(NULL), SCOPE)
    else:
        assert program.run(Arm(NULL), SCOPE).cpu_seconds == 1e-6


FASTER_NULL = (
    "The null run, which only finds the scope, takes 4.1 ms less than the unchanged program, because a "
    "preloaded library changes where things lie in memory; savings are relative to the null run."
)


@pytest.mark.parametrize(
    ("plain", "text"),
    [(80, "To find it costs 13533 ns a request, in all rows alike."), (104, FASTER_NULL)],
)
def test_reports_what_finding_the_scope_costs(plain, text):
    result = run_campaign(
        FakeProgram(by_time(plain=plain, null=100, monotonic=70)), SCOPE, campaign("monotonic"), no_tick
    )
    assert f"requests. {text} 5 rounds." in " ".join(shown(result).split())


def test_faster_null_within_the_noise_is_no_fact():
    def run(arm: Arm, round_: int) -> RunResult:
        result = by_time(plain=100.1, null=100, monotonic=70)(arm, round_)
        return replace(result, cpu_seconds=result.cpu_seconds + (round_ % 2) * 1e-3 * (arm.strategy is None))

    text = shown(run_campaign(FakeProgram(run), SCOPE, campaign("monotonic"), no_tick))
    assert "To find it costs no time that could be measured. 5 rounds." in " ".join(text.split())


def test_warns_about_a_region_that_never_empties():
    never = Counts(served=1000, freed=10, elsewhere=500, servers=1)

    def run(arm: Arm, round_: int) -> RunResult:
        once = by_time(plain=80, null=100, monotonic=70)(arm, round_)
        return replace(once, counts=never) if arm.strategy == "monotonic" else once

    text = shown(run_campaign(FakeProgram(run), SCOPE, campaign("monotonic"), no_tick))
    assert "never used again; 990 of 1,000 blocks were never freed" in " ".join(text.split())


def test_reads_the_report_of_a_program(tmp_path):
    file = tmp_path / "report"
    server = struct.pack("<12Q", *range(1, 13)).ljust(SERVER_BYTES, b"\0")
    head = struct.pack("<8sIIII", MAGIC, 2, 1, 3, 0).ljust(HEADERS_BYTES, b"\0")
    file.write_bytes(head + server + server + b"\0" * SERVER_BYTES)
    counts = read_counts(file)
    assert (counts.served, counts.elsewhere, counts.servers, counts.seen) == (2, 24, 2, 3)
    file.write_bytes(b"something else")
    assert read_counts(file) is None
    assert read_counts(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["try", "--scope", "f"], "PROGRAM is missing"),
        (["try", "--", "true"], "--scope is missing"),
        (
            ["try", "--scope", "f", "--strategy", "arena", "--", "true"],
            "--strategy 'arena' cannot serve a scope",
        ),
        (["try", "--scope", "f", "--rounds", "2", "--", "true"], "--rounds 2"),
        (
            ["try", "--scope", "f", "--global", "ptmalloc", "--", "true"],
            "--global 'ptmalloc' is not a known malloc",
        ),
        (["try", "--scope", "f", "--trace", "/no/such", "--", "true"], "--trace /no/such is not a file"),
    ],
)
def test_rejects_bad_input_before_building(words, message):
    with pytest.raises(UsageError, match=message):
        parse_command(words).needs()


def test_reserves_only_where_an_array_grows():
    verb = import_module("mallard.cli.verbs.try")
    line = Scope("x.c:7", ())
    growing = replace(line, variables=(("MALLARD_TRIAL_RESERVE", "4000"),))
    chosen = verb.chosen_strategies("all", "x.c:7")
    assert verb.tried_strategies("all", chosen, growing) == ("reserve", "kept-block", "block-cache")
    assert verb.tried_strategies("all", chosen, line) == ("kept-block", "block-cache")
    assert verb.tried_strategies("heap", ["heap"], line) == ("heap",)
    with pytest.raises(UsageError, match=r"at x\.c:7 none do; give others, such as kept-block"):
        verb.tried_strategies("reserve,kept-block", ["reserve", "kept-block"], line)
