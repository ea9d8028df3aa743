"""The answers of the advice for memory: the leanest change, its time, and where the program's memory is."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_program import MIB, FakeProgram
from page_reader import read, words
from profile_rows import amount, figures, scope
from report_lines import screen
from synthetic_profile import document
from synthetic_study import baseline, candidate, ceiling, effect, mallocs, result, saved, study

from mallard.advisor.advice.choice import Choice, Saving
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.memory import account_at_end, account_at_peak, preferred_for_memory
from mallard.advisor.advice.plan import Request
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import Answer, decide
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.trial.load import Load, LoadResult
from mallard.advisor.trial.process import Measured
from mallard.advisor.trial.program import Arm, Counts, MemoryAtEnd, Program, RunResult, Scope
from mallard.advisor.view.advice import advice_json, advice_report
from mallard.advisor.view.sarif import advice_sarif
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.page import report_page
from mallard.shared.stats import Difference

PEAK = 60 * MIB
ONE_ARENA = "glibc:arena_max=1"
AT_END = MemoryAtEnd(50 * MIB, 2 * MIB, 45 * MIB, 40 * MIB)


def arm(
    name: str, peak: float, time: float = 0.0, half: float = 0.5, width: float = 0.1, end: float | None = None
) -> GlobalEffect:
    """A malloc with this peak in MiB, that saves so many milliseconds."""
    return GlobalEffect(
        name,
        saved(time, half),
        bytes_change(peak, 60.0, width),
        cpu_time=saved(time, half),
        wall_time=saved(time, half),
        end_bytes=None if end is None else bytes_change(end, 50.0, width),
    )


def bytes_change(after: float, before: float, half: float) -> Difference:
    change = after - before
    return Difference(change * MIB, (change - half) * MIB, (change + half) * MIB, 11)


def profile(**changes: Any) -> Profile:
    """12 MiB are live at the peak, 2 MiB at the end."""
    alive = {"allocations": 100, "bytes": 2 * MIB}
    process = document()["process"] | {"sampled_one_in": 1, "stopped": None}
    fields = {"figures": figures(1000, 64 * MIB, 1.0, alive=alive), "process": process} | changes
    return read_profile(json.dumps(document(**fields)))


def case(*arms: GlobalEffect, **changes: Any) -> Study:
    measured = replace(mallocs(), effects=tuple(sorted(arms, key=lambda effect: effect.time.median)))
    fields: dict[str, Any] = {
        "goal": "memory",
        "globals": replace(measured, peak_bytes=float(PEAK), at_end=AT_END),
        "peak_live_bytes": 12 * MIB,
        "trial": None,
        "chosen": None,
        "on_top": None,
        "profile": profile(),
    }
    return study(**fields | changes)


def facts(*arms: GlobalEffect, **changes: Any) -> dict[str, str]:
    return dict(decide(case(*arms, **changes)).facts)


RETAINING = (arm(ONE_ARENA, 13.0, 50.0), arm("mimalloc", 30.0, 20.0), arm("jemalloc", 62.0, 1.0))


def test_headline_has_memory_with_its_interval_and_time():
    verdict = decide(case(*RETAINING))
    assert verdict.answer == Answer("global", malloc=ONE_ARENA, goal="memory")
    assert verdict.headline == (
        "Use glibc with arena_max=1 instead of glibc: resident at the peak 78.3 % less, 13.0 MiB of 60.0 MiB "
        "(12.9 to 13.1 MiB); time: 45.9 % saved, 50.0 ms of 109 ms (49.5 to 50.5 ms)."
    )
    assert verdict.notes[-1] == "Measured on this program, against glibc on a young heap."


def test_facts_say_where_the_memory_is():
    sentences = facts(*RETAINING)
    assert list(sentences) == [
        "to use it",
        "resident at the peak",
        "resident at the end",
        "live at the peak",
    ]
    assert sentences["to use it"] == "GLIBC_TUNABLES=glibc.malloc.arena_max=1 ./server"
    assert sentences["resident at the peak"] == (
        "60.0 MiB, with 12.0 MiB in live blocks and 2.00 MiB of files; the other 46.0 MiB (76.7 %) are what "
        "glibc retains or loses to headers, and what it never saw: mmap, stacks, data"
    )
    assert sentences["resident at the end"] == (
        "50.0 MiB, with 2.00 MiB in live blocks; glibc holds 45.0 MiB from the system, 40.0 MiB of it free; "
        "at least 3.00 MiB it never saw: mmap, stacks, data"
    )
    assert sentences["live at the peak"].startswith("57.2 MiB (62.5 %) from std::vector<>::_M_realloc_insert")


def test_large_blocks_that_are_hardly_written_are_named():
    row = {"place": 4, "allocations": 3, "bytes": 192 * MIB, "resident_bytes": 3 * MIB, "stack": 0}
    text = facts(profile=profile(large_blocks=[row]))["written in part"]
    assert text.startswith("1.00 MiB of 64.0 MiB in each of 3 blocks from std::vector<>::_M_realloc_insert")
    assert text.endswith("; by the pages of blocks of 256 KiB or more, a sample")
    for change in ({"resident_bytes": 97 * MIB}, {"allocations": 200}):
        assert "written in part" not in facts(profile=profile(large_blocks=[row | change]))


def over_time(*resident_mib: int) -> dict[str, Any]:
    """Of each second, with 4 MiB of files, and with live bytes of 2 MiB."""
    rows = [[second + 0.5, each * MIB, 4 * MIB] for second, each in enumerate(resident_mib)]
    points = len(rows) + 1
    live = {"live_bytes": [2 * MIB] * points, "seconds": [float(second) for second in range(points)]}
    return document()["timeline"] | live | {"resident": rows, "scopes": []}


def test_facts_have_what_is_resident_beyond_live_blocks():
    assert facts(profile=profile(timeline=over_time(10, 40, 20)))["over time"] == (
        "after 1.50 s of 2.50 s it is 36.0 MiB, with 2.00 MiB in live blocks: most beyond these, in 3 "
        "samples of the recorded run, without files"
    )
    assert facts(profile=profile(timeline=over_time(9, 8, 9)))["over time"] == (
        "never 4.00 MiB more than its live blocks, in 3 samples of the recorded run, without files"
    )
    assert "over time" not in facts(profile=profile(timeline=over_time(10, 40)))
    part = document()["process"] | {"sampled_one_in": 10}
    assert "over time" not in facts(profile=profile(timeline=over_time(10, 40, 20), process=part))


def test_page_has_resident_memory_beside_live_blocks():
    whole = case(*RETAINING, profile=profile(timeline=over_time(*range(10, 40))))
    page = report_page(advice_report(whole, decide(whole), whole.profile))
    text = words(read(page).texts["memory-over-time"])
    assert "resident memory, without files" in text
    assert "3.50 s 9.00 MiB 2.00 MiB 7.00 MiB" in text
    assert page.count('class="timeline"') == 1
    assert (
        "memory-over-time"
        not in read(report_page(advice_report(case(), decide(case()), case().profile))).texts
    )


def test_lines_of_the_peak_are_sums_of_their_calls():
    rows = document()["peak"]
    doubled = profile(peak=[*rows, rows[1] | {"bytes": 33_000_000}, rows[1] | {"place": 7, "bytes": 9}])
    (first, second) = facts(profile=doubled)["live at the peak"].split(" and ")
    assert first.startswith("60.1 MiB (48.8 %) from llvm::FoldingSetBase::GrowBucketCount (FoldingSet.cpp:")
    assert second.startswith("57.2 MiB (46.5 %) from std::vector<>")


def choice(name: str, less: float, time: float, half: float = 1.0, *, is_local: bool = False) -> Choice:
    """In percent of the program's memory and time."""
    return Choice(name, is_local, Saving(time / 100, half / 100), Saving(less / 100, 0.002))


@pytest.mark.parametrize(
    ("choices", "name"),
    [
        ([choice("mimalloc", 50, 9), choice(ONE_ARENA, 60, -30)], ONE_ARENA),  # less memory costs time
        ([choice("mimalloc", 56, 9), choice(ONE_ARENA, 60, -30)], "mimalloc"),  # equal memory, less time
        ([choice("mimalloc", 56, 9), choice(ONE_ARENA, 60, 8)], ONE_ARENA),  # equal in both: no library
        ([choice("mimalloc", 56, 9), choice("monotonic", 60, 9, is_local=True)], "mimalloc"),
        ([choice("mimalloc", 40, 9), choice("monotonic", 60, 9, is_local=True)], "monotonic"),
        ([choice("mimalloc", 60, 9), choice("tcmalloc", 56, 20, 50.0)], "mimalloc"),  # its time says nothing
        ([], None),
    ],
)
def test_equal_memory_goes_to_less_time(choices, name):
    for order in (choices, choices[::-1]):
        best = preferred_for_memory(order)
        assert (best and best.name) == name


def test_noise_within_intervals_changes_no_answer():
    draw = random.Random(5)
    answers = {
        decide(
            case(arm(ONE_ARENA, draw.gauss(14.0, 0.4)), arm("mimalloc", draw.gauss(14.0, 0.4)))
        ).answer.malloc
        for _ in range(60)
    }
    assert answers == {ONE_ARENA}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (arm(ONE_ARENA, 56.0), "global"),
        (arm(ONE_ARENA, 58.0), "nothing"),  # 3.3 %
        (arm(ONE_ARENA, 50.0, width=9.9), "global"),
        (arm(ONE_ARENA, 50.0, width=10.1), "unresolved"),
        (arm(ONE_ARENA, 70.0, width=20.0), "unresolved"),
        (arm(ONE_ARENA, 70.0, width=1.0), "nothing"),
    ],
)
def test_headline_is_beyond_its_interval(change, kind):
    verdict = decide(case(change))
    assert verdict.kind == kind
    if kind == "unresolved":
        assert verdict.headline.startswith("Not resolved: glibc with arena_max=1 may need ")
        assert verdict.headline.endswith("but its interval has zero; --rounds 44 halves it.")


def test_small_programs_have_no_leaner_library():
    small = case(arm("mimalloc", 59.2))
    less = replace(small.globals, peak_bytes=4.0 * MIB)
    assert decide(replace(small, globals=less)).kind == "nothing"


def test_retained_memory_without_a_remedy_is_named():
    verdict = decide(case(arm("mimalloc", 70.0)))
    assert verdict.kind == "nothing"
    assert verdict.headline == (
        "No remedy was found: the only change that was tried does not need 5.0 % less than the 60.0 MiB that "
        "are resident at the peak, against glibc on a young heap, of which 76.7 % are in no live block: at "
        "the end glibc holds 40.0 MiB free."
    )
    threads = case(arm("mimalloc", 70.0), threads=16)
    assert decide(threads).headline.endswith(
        "at the end glibc holds 40.0 MiB free in the arenas of 16 threads."
    )
    assert (
        "40.0 MiB of it free in the arenas of 16 threads; at least"
        in facts(threads=16)["resident at the end"]
    )
    for end, words_ in (
        (
            MemoryAtEnd(50 * MIB, 2 * MIB, 8 * MIB, 4 * MIB),
            "at least 40.0 MiB are memory that glibc never saw",
        ),
        (MemoryAtEnd(), "in no live block: retained by glibc, or memory that it never saw."),
    ):
        other = replace(case().globals, at_end=end)
        assert words_ in decide(case(globals=other)).headline


def test_live_blocks_are_named_where_nothing_is_to_be_done():
    verdict = decide(case(arm("mimalloc", 70.0), peak_live_bytes=54 * MIB))
    assert verdict.headline.startswith(
        "Nothing worth doing: the only change that was tried does not need 5.0 %"
    )
    assert ", of which 90.0 % are live blocks: 57.2 MiB (62.5 %) from std::vector<>" in verdict.headline
    alone = replace(case().globals, peak_bytes=2.0 * MIB)
    small = decide(case(peak_live_bytes=0, profile=None, allocations=0, globals=alone))
    assert small.headline.startswith(
        "Nothing worth doing: nothing was tried that needs 5.0 % less than the 2.00 MiB"
    )
    assert small.headline.endswith("of which 0.00 % are live blocks.")


def test_blocks_that_were_never_written_are_counted():
    sentences = facts(peak_live_bytes=300 * MIB)
    assert sentences["resident at the peak"] == (
        "60.0 MiB, with 300 MiB in live blocks and 2.00 MiB of files: at least 242 MiB of live blocks were "
        "never written"
    )


def test_account_is_unknown_without_its_parts():
    sample = profile(process=document()["process"] | {"sampled_one_in": 10})
    assert account_at_peak(case(profile=sample)).live is None
    assert (
        "not known, because the recording is not of the whole run"
        in facts(profile=sample)["resident at the peak"]
    )
    other = {"globals": replace(case().globals, at_end=MemoryAtEnd(50 * MIB, 2 * MIB)), "base": "jemalloc"}
    end = account_at_end(case(**other))
    assert end.unseen is None
    assert "; what jemalloc holds of it is not known: only" in facts(**other)["resident at the end"]
    killed = replace(case().globals, at_end=MemoryAtEnd())
    assert account_at_end(case(globals=killed)) is None
    assert "resident at the end" not in facts(globals=killed)


def local(peak: float, time: float = 10.0) -> Study:
    lean = effect("monotonic", time, peak_bytes=bytes_change(peak, 60.0, 0.5))
    fat = effect("multipool", 30.0, peak_bytes=bytes_change(61.0, 60.0, 0.5))
    return case(arm("mimalloc", 58.0), trial=result(baseline(lean, fat)), chosen=candidate())


def test_scope_may_be_the_answer():
    verdict = decide(local(20.0))
    assert verdict.answer == Answer("local", strategy="monotonic", goal="memory")
    assert verdict.headline.startswith(
        "Put a monotonic allocator, rewound on return, into handle() (server.cpp:88): resident at the peak "
        "66.7 % less, 20.0 MiB of 60.0 MiB (19.5 to 20.5 MiB); time: 9.2 % saved, 10.0 ms of 109 ms"
    )
    for_time = dict(verdict.facts)["for time"]
    assert for_time.startswith("put a multipool into handle() (server.cpp:88): 27.5 % saved")


def table_rows(case: Study) -> list[str]:
    """What the screen has of each arm."""
    lines = screen(advice_report(case, decide(case), case.profile))
    head = next(place for place, line in enumerate(lines) if line.startswith("program "))
    return [" ".join(line.split()) for line in lines[head + 1 : lines.index("", head)]]


def test_screen_has_each_arm_with_memory_and_time():
    slower = arm("jemalloc", 62.0, -2.0)
    whole = replace(local(20.0), globals=case(arm("mimalloc", 58.0, 0.1), slower).globals)
    lines = screen(advice_report(whole, decide(whole), whole.profile))
    assert max(map(len, lines)) <= 80
    assert table_rows(whole) == [
        "as it is with glibc 60.0 MiB 1.00 x 109 ms",
        "monotonic in handle() 20.0 MiB (19.5 to 20.5 MiB) 0.33 x 10.0 ms saved",
        "mimalloc 58.0 MiB (57.9 to 58.1 MiB) 0.97 x no significant effect",
        "multipool in handle() 61.0 MiB (60.5 to 61.5 MiB) 1.02 x 30.0 ms saved",
        "jemalloc 62.0 MiB (61.9 to 62.1 MiB) 1.03 x costs 2.0 ms",
    ]


def test_page_shows_calls_by_their_bytes_at_the_peak():
    whole = local(20.0)
    sections = advice_report(whole, decide(whole), whole.profile).sections
    titles = [section.title for section in sections]
    assert titles.count("Flame graph") == 1
    assert titles.index("Flame graph") < titles.index("Tried")
    (flame,) = sections[titles.index("Flame graph")].blocks
    assert flame.modes[0][0] == "peak"


def test_goals_name_each_other_where_they_disagree():
    fast, lean = arm("mimalloc", 80.0, 60.0), arm(ONE_ARENA, 13.0, -5.0)
    memory = dict(decide(case(fast, lean)).facts)
    assert memory["for time"].startswith(
        "mimalloc: 55.0 % saved, 60.0 ms of 109 ms (59.5 to 60.5 ms); peak 1.3 x"
    )
    time = dict(decide(case(fast, lean, goal="time")).facts)
    assert time["for memory"] == (
        "glibc with arena_max=1: resident at the peak 78.3 % less, 13.0 MiB of 60.0 MiB (12.9 to 13.1 "
        "MiB); time: costs 4.6 %, 5.0 ms of 109 ms (4.5 to 5.5 ms); GLIBC_TUNABLES=glibc.malloc.arena_max=1 "
        "./server"
    )
    assert "for time" not in facts(*RETAINING)
    assert "for memory" not in dict(decide(case(*RETAINING, goal="time")).facts)


def test_server_answers_for_its_end():
    returned = arm("jemalloc", 60.0, 1.0, end=8.0)
    server = case(returned, load=Load("client"))
    verdict = decide(server)
    assert verdict.answer == Answer("global", malloc="jemalloc", goal="memory", at_end=True)
    less = "resident at the end 84.0 % less, 8.00 MiB of 50.0 MiB (7.90 to 8.10 MiB)"
    assert f": {less}; time: " in verdict.headline
    assert verdict.notes[-1] == "Measured on this program under its load, against glibc on a young heap."
    first, second = table_rows(server)
    assert first == "as it is with glibc 60.0 MiB 1.00 x 50.0 MiB 109 ms"
    assert second.startswith("jemalloc 60.0 MiB (59.9 to 60.1 MiB) 1.00 x 8.00 MiB 1.0 ms saved")
    assert dict(verdict.facts)["resident at the end"] == "50.0 MiB after the load"
    assert decide(case(returned)).kind == "nothing", "a process that ends gives all memory back"


def test_end_of_a_server_is_that_of_its_load():
    own = Counts(at_end=MemoryAtEnd(5 * MIB, 2 * MIB, 3 * MIB, MIB))
    run = RunResult(0.1, 0.1, PEAK, 9, 0, "", own)
    assert run.at_end == own.at_end
    assert replace(run, load=LoadResult(resident_bytes=50 * MIB)).at_end == MemoryAtEnd(50 * MIB, 2 * MIB)
    assert replace(run, counts=None).at_end == MemoryAtEnd()


def test_failing_mallocs_are_unmeasured():
    broken = replace(mallocs(failed={"mimalloc": "ended by SIGABRT"}), peak_bytes=float(PEAK))
    assert decide(case(globals=broken)).kind == "unmeasured"


def test_writers_share_the_answer():
    whole = case(*RETAINING, peak_live_bytes=12 * MIB)
    verdict = decide(whole)
    report = advice_report(whole, verdict, whole.profile)
    lines = screen(report)
    assert lines[1].startswith("Use glibc with arena_max=1 instead of glibc: resident at the peak 78.3 %")
    assert max(map(len, lines)) <= 80
    page = {name: words(text) for name, text in read(report_page(report)).texts.items()}
    assert "arena_max=1 13.0 MiB (12.9 to 13.1 MiB) 0.22 x" in page["before-and-after"]
    assert "57.2 MiB" in page["live-at-the-peak"]
    assert verdict.headline in markdown_report(report, "mallard advise")
    head = json.loads(advice_json(whole, verdict))
    assert (head["answer"]["goal"], head["answer"]["malloc"]) == ("memory", ONE_ARENA)
    assert head["figure"]["strategy"] == ONE_ARENA
    assert head["figure"]["peak_bytes"]["median"] < -40 * MIB
    assert head["study"]["globals"]["at_end"]["held_bytes"] == 45 * MIB
    (run,) = json.loads(advice_sarif(whole, verdict))["runs"]
    (found,) = run["results"]
    assert (found["ruleId"], found["level"]) == ("less-memory", "warning")
    assert found["properties"]["saved_bytes"] == 47 * MIB
    assert json.loads(advice_sarif(case(), decide(case())))["runs"][0]["results"] == []


# ---- runs


class Retaining(FakeProgram):
    """Keeps 60 MiB, of which one arena needs 10."""

    lean = "glibc.malloc.arena_max=1"
    alive = MemoryAtEnd(50 * MIB, 2 * MIB, 45 * MIB, 40 * MIB)

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        done = super().run(arm, scope)
        peak = (10 if arm.tunables == self.lean else 60) * MIB
        counts = replace(done.counts or Counts(), at_end=self.alive)
        return replace(done, peak_bytes=peak, counts=counts)


@pytest.fixture
def threaded() -> dict[str, Any]:
    process = document()["process"] | {"command": ["server"], "threads": 4}
    return {"process": process | {"events": 100}, "figures": figures(1000, 64_000, 1.0, largest=1 << 20)}


def test_memory_is_measured_of_programs_that_hardly_allocate(advise, threaded):
    made, runs, recordings = advise(Retaining, Request(("glibc",), switches=True, goal="memory"), **threaded)
    verdict = decide(made)
    assert verdict.answer == Answer("global", malloc=ONE_ARENA, goal="memory")
    tried = {run.tunables for run in runs} - {""}
    returned = "glibc.malloc.mmap_threshold=131072:glibc.malloc.trim_threshold=131072"
    assert tried == {
        "glibc.malloc.arena_max=1",
        "glibc.malloc.arena_max=2",
        returned,
        f"glibc.malloc.arena_max=1:{returned}",
    }
    assert {sum(run.tunables == name for run in runs) for name in tried} == {made.globals.rounds}
    assert recordings == ["one"]
    assert made.aged == ()
    assert made.globals.at_end == Retaining.alive


def test_leanest_scope_is_measured_with_every_strategy(advise):
    class Scoped(Retaining):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return replace(done, peak_bytes=20 * MIB) if arm.strategy == "heap" else done

    peak = {"p50": 1.0, "p90": 1.0, "p99": 1.0, "max": 40.0 * MIB, "mean": 1.0}
    handle = scope(1, 1, 990, 63_000, 1.0, owned=amount(980, 60_000), activation_peak=peak)
    made, runs, _ = advise(Scoped, Request(("glibc",), goal="memory"), scopes=[handle])
    assert decide(made).answer == Answer("local", strategy="heap", goal="memory")
    assert {run.strategy for run in runs} >= {"monotonic", "multipool", "heap"}
    unchanged, runs, _ = advise(Scoped, Request(("glibc",), goal="memory"))
    assert unchanged.trial is None, "its scopes hold little"
    assert decide(unchanged).kind == "nothing"


def test_unchanged_runs_report_what_glibc_holds():
    program = FakeProgram(["server"], Path("x"), measuring=Path("m"), reports_held=True)
    report = Path("r")
    assert program.environment(Arm(None), Scope("", ()), report)["MALLARD_TRIAL_HELD"] == "1"
    assert "MALLARD_TRIAL_HELD" not in program.environment(Arm("heap"), Scope("", ()), report)
    quiet = replace(program, reports_held=False)
    assert "MALLARD_TRIAL_HELD" not in quiet.environment(Arm(None), Scope("", ()), report)


@pytest.mark.parametrize(("end", "peak"), [(61, 61), (59, 60), (None, 60)])
def test_peak_is_at_least_the_end(monkeypatch, end, peak):
    counts = Counts(cpu_ns=1, at_end=MemoryAtEnd(None if end is None else end * MIB))
    measured = Measured(0.1, 0.1, 60 * MIB, 9, 0, "")
    monkeypatch.setattr("mallard.advisor.trial.program.measure", lambda *_: measured)
    monkeypatch.setattr("mallard.advisor.trial.program.read_counts", lambda _: counts)
    program = Program(["server"], Path("x"), measuring=Path("m"))
    assert program.run(Arm(None), Scope("", ())).peak_bytes == peak * MIB


def test_ceiling_decides_nothing_about_memory():
    low = case(*RETAINING, ceiling=ceiling(1.0))
    assert decide(low).answer.malloc == ONE_ARENA
