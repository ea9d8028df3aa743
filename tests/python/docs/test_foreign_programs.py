"""Third-party programs: their data, the arm that follows the advice, and the regret."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from mallard.advisor.advice.global_mallocs import KEEP_MEMORY, ONE_ARENA
from mallard.shared.stats import Difference

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "advisor/case_studies"))
import regret
from harness import facts, foreign, history, inputs, patches
from harness.catalogue import CASES, NULL, OF_MALLARD, UNCHANGED, UNDER
from harness.places import ROOT, STUDIES, results_file, trial_code, unpack, without_paths

sys.path.insert(0, str(ROOT / "docs"))
from figures import case_studies

PROGRAMS = foreign.load()
TCMALLOC, MIMALLOC = UNCHANGED + UNDER + "tcmalloc", UNCHANGED + UNDER + "mimalloc"
PATCH = patches.Patch("xmlwf", "expat", "expat", ("main", "XML_ProcessFile"))
PROGRAM = foreign.Program("xmlwf", "expat", ("xmlwf", "a"), ("xmlwf", "b"), PATCH)
ROW = regret.Row(
    program="jq",
    headline="Preload tcmalloc",
    kind="global",
    advised="tcmalloc",
    arm=TCMALLOC,
    seconds={UNCHANGED: 0.2, TCMALLOC: 0.1, MIMALLOC: 0.15, NULL: 0.05},
    facts={TCMALLOC: Difference(-0.1, -0.11, -0.09, 11), MIMALLOC: Difference(-0.05, -0.06, -0.04, 11)},
    peaks={UNCHANGED: 100.0, TCMALLOC: 200.0, MIMALLOC: 100.0},
    promised=Difference(-0.05, -0.056, -0.044, 11),
    promised_seconds=0.1,
    minutes=1.0,
    advised_first=True,
)


def advice_from(kind: str, scope: str | None = None, **answer: str | None) -> dict[str, Any]:
    empty = {"strategy": None, "malloc": None, "pattern": None}
    time = {"median": -0.02, "low": -0.03, "high": -0.01}
    return {
        "answer": {**empty, "kind": kind, **answer},
        "scope": scope,
        "headline": "",
        "program_seconds": 0.1,
        "minutes": 0.5,
        "strategies": {"monotonic": time},
        "mallocs": {"tcmalloc": time},
    }


def test_programs_are_enough_and_distinct() -> None:
    assert len(PROGRAMS) >= 20
    assert PROGRAMS.keys().isdisjoint(CASES)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_program_is_judged_on_another_input(program: foreign.Program) -> None:
    assert program.advice[0] == program.fact[0]
    assert program.advice != program.fact
    assert program.package
    assert "/dev/null" not in (*program.advice, *program.fact), "some tools replace their output file"


def test_last_word_is_repeated() -> None:
    program, *files = PROGRAMS["xmlwf"].fact
    assert program == "xmlwf"
    assert len(files) > 1
    assert len(set(files)) == 1


@pytest.mark.parametrize("program", [program for program in PROGRAMS.values() if program.patch])
def test_patch_calls_the_served_allocator(program: foreign.Program) -> None:
    assert "mallard_" in program.patch.file.read_text(encoding="utf-8")
    assert f"case_foreign({program.name} " in (STUDIES / "CMakeLists.txt").read_text(encoding="utf-8")


def test_packed_input_is_unpacked(tmp_path: Path) -> None:
    packed = tmp_path / "manual.pdf.gz"
    packed.write_bytes(gzip.compress(b"%PDF"))
    assert inputs.write(f"gunzip:{packed}", tmp_path / "inputs").read_bytes() == b"%PDF"


def test_missing_program_names_its_packages() -> None:
    assert foreign.missing(replace(PROGRAM, advice=("no-such-program",))) == "expat"
    assert foreign.missing(replace(PROGRAM, advice=("sh", "/usr/no-such-file"))) == "expat"
    assert foreign.missing(replace(PROGRAM, advice=("sh",))) == ""


def test_malloc_advice_is_followed_by_preloading() -> None:
    assert regret.find_arm(PROGRAM, advice_from("global", malloc="tcmalloc")) == TCMALLOC


def test_local_advice_needs_a_patch_of_its_scope() -> None:
    local = advice_from("local", "XML_ProcessFile(char const*)", strategy="multipool+monotonic")
    assert regret.find_arm(PROGRAM, local) == "multipool_monotonic"
    assert regret.find_arm(PROGRAM, local | {"scope": "copyString"}) == ""
    assert regret.find_arm(replace(PROGRAM, patch=None), local) == ""


def test_no_advice_keeps_the_program() -> None:
    for kind in ("nothing", "unresolved", "unmeasured"):
        assert regret.find_arm(PROGRAM, advice_from(kind)) == UNCHANGED
    assert regret.find_arm(PROGRAM, advice_from("pattern", pattern="reserve")) == ""


def test_regret_is_a_geometric_mean_without_nulls() -> None:
    other = replace(ROW, seconds={UNCHANGED: 0.1, TCMALLOC: 0.4})
    assert regret.regret([ROW], regret.advised_arm) == pytest.approx(1.0)
    assert regret.regret([ROW, other], regret.advised_arm) == pytest.approx(2.0)
    assert regret.regret([ROW], regret.RULES["preload Debian's mimalloc"]) == pytest.approx(1.5)


def test_arm_with_another_output_is_no_choice() -> None:
    broken = replace(ROW, differing=(TCMALLOC,))
    assert broken.best == MIMALLOC
    assert regret.with_fact([broken]) == []
    assert regret.chosen(broken, regret.advised_arm) == UNCHANGED


def test_promise_and_fact_meet_as_shares() -> None:
    assert str(regret.meets([ROW])) == "1 of 1"
    assert str(regret.meets([replace(ROW, promised_seconds=0.5)])) == "0 of 1"
    assert str(regret.signs([ROW, replace(ROW, promised=None)])) == "1 of 1"


def test_slower_than_before_needs_an_interval() -> None:
    slower = replace(ROW, facts={TCMALLOC: Difference(0.1, 0.05, 0.15, 11)})
    unclear = replace(ROW, facts={TCMALLOC: Difference(0.1, -0.05, 0.25, 11)})
    assert regret.worse_than_before([ROW, slower, unclear], regret.advised_arm) == [slower]


def test_row_pairs_its_runs_with_the_program() -> None:
    arms = {UNCHANGED: [0.2, 0.21, 0.19], TCMALLOC: [0.1, 0.11, 0.09]}
    facts = {
        "programs": {arm: {"cpu_seconds": times, "peak_bytes": 1.0} for arm, times in arms.items()},
        "differing": [],
    }
    row = regret.row_from(PROGRAM, advice_from("global", malloc="tcmalloc"), facts)
    assert row.facts[TCMALLOC].median == pytest.approx(-0.1)
    assert row.promised.high == -0.01
    assert not row.advised_first


def test_second_half_is_measured_under_the_malloc_of_the_first() -> None:
    still = "multipool in main: still saves 30.0 ms (20.0 to 40.0 ms)"
    both = advice_from("global", "main", malloc="tcmalloc", strategy="multipool")
    both["facts"] = [{"label": "tcmalloc instead of glibc", "text": still}]
    second = "multipool" + UNDER + "tcmalloc"
    assert foreign.second_arm(PROGRAM, both) == second
    assert foreign.second_arm(PROGRAM, both | {"scope": "copyString"}) == ""
    assert foreign.second_arm(PROGRAM, advice_from("global", "main", malloc="tcmalloc")) == ""
    arms = {UNCHANGED: [0.2, 0.21, 0.19], TCMALLOC: [0.1, 0.11, 0.09], second: [0.07, 0.08, 0.06]}
    facts = {
        "programs": {arm: {"cpu_seconds": times, "peak_bytes": 1.0} for arm, times in arms.items()},
        "differing": [],
    }
    row = regret.row_from(PROGRAM, both, facts)
    assert regret.advised_arm(row) == second
    assert [promised.median for promised, _ in regret.promises(row)] == pytest.approx([-0.02, -0.03])
    assert [fact.median for _, fact in regret.promises(row)] == pytest.approx([-0.1, -0.03])
    assert str(regret.signs([row])) == "2 of 2"
    unmeasured = regret.row_from(
        PROGRAM,
        both,
        {
            **facts,
            "programs": {UNCHANGED: facts["programs"][UNCHANGED], TCMALLOC: facts["programs"][TCMALLOC]},
        },
    )
    assert regret.advised_arm(unmeasured) == TCMALLOC
    assert len(list(regret.promises(unmeasured))) == 1
    assert "second half" in case_studies.foreign_programs([row])


def test_page_has_the_programs_with_most_regret() -> None:
    rows = [
        replace(ROW, program=f"p{number}", seconds=ROW.seconds | {TCMALLOC: 0.15 + 0.01 * number})
        for number in range(case_studies.MOST_ROWS + 1)
    ]
    shown = case_studies.most_regretted(rows)
    assert [row.program for row in shown] == [row.program for row in rows[:0:-1]]


def test_page_begins_with_the_rule_to_beat() -> None:
    tcmalloc = [
        replace(ROW, seconds={UNCHANGED: 0.2, TCMALLOC: 0.1 + 0.001 * number, MIMALLOC: 0.11})
        for number in range(4)
    ]
    mimalloc = [
        replace(row, arm=MIMALLOC, seconds={UNCHANGED: 0.2, TCMALLOC: 0.17 + 0.001 * number, MIMALLOC: 0.11})
        for number, row in enumerate(tcmalloc)
    ]
    own = [
        replace(
            row,
            arm="multipool",
            seconds={**row.seconds, "multipool": 0.05 + 0.001 * number},
            facts={"multipool": ROW.facts[TCMALLOC]},
            peaks={**row.peaks, "multipool": 100.0},
        )
        for number, row in enumerate(tcmalloc)
    ]
    unchanged = [replace(row, arm=UNCHANGED, promised=None) for row in tcmalloc]
    for rows, verdict in (
        (mimalloc, 'does not differ measurably from the best rule of thumb, "preload Debian\'s mimalloc"'),
        (unchanged, 'is slower than the best rule of thumb, "preload tcmalloc"'),
        (own, 'is faster than the best rule of thumb, "preload tcmalloc"'),
    ):
        text = case_studies.foreign_score(rows, (0, 0))
        assert verdict in text
        assert "null runs" not in text
    assert "Of 40 null runs" in case_studies.foreign_score([*tcmalloc, *mimalloc], (1, 40))


def test_memory_is_compared_with_that_of_the_best_rule() -> None:
    rows = [replace(ROW, arm=MIMALLOC)] * 2
    summary = " ".join(case_studies.foreign_summary(rows))
    for text in (summary, case_studies.foreign_score(rows, (0, 5))):
        assert (
            '"preload tcmalloc": it takes 150.0 % (150.0 to 150.0) of the rule\'s time '
            "and 0.50 x its peak memory (1.00 x that of the unchanged program; the rule 2.00 x)"
        ) in text


def test_switches_are_rules_and_the_unusual_ones_are_left_out_of_the_page() -> None:
    one_arena, keep_memory = (UNCHANGED + UNDER + switch for switch in (ONE_ARENA, KEEP_MEMORY))
    seconds, peaks = {one_arena: 0.08, keep_memory: 0.1}, {one_arena: 50.0, keep_memory: 200.0}
    row = replace(ROW, seconds=ROW.seconds | seconds, peaks=ROW.peaks | peaks)
    assert regret.chosen(row, regret.RULES[f"set {ONE_ARENA}"]) == one_arena
    assert f"| set {ONE_ARENA} | 1 | 1.000 |" in case_studies.foreign_rules([row])
    assert ONE_ARENA in case_studies.foreign_rules([row], without=case_studies.UNUSUAL)  # the best of all
    assert f"| {KEEP_MEMORY}, 90 |" in case_studies.foreign_programs(
        [replace(row, seconds=row.seconds | {keep_memory: 0.09, one_arena: 0.1})]
    )
    row = replace(row, seconds=row.seconds | {one_arena: 0.3})
    shown = case_studies.foreign_rules([row], without=case_studies.UNUSUAL)
    assert ONE_ARENA not in shown
    assert f"| set {KEEP_MEMORY} |" in shown
    assert "preload snmalloc" not in shown


def test_advised_switch_is_an_arm_with_its_tunables(monkeypatch) -> None:
    arms: dict[str, Any] = {}
    monkeypatch.setattr(foreign.facts, "measure_arms", lambda given, *_: arms.update(given) or {})
    foreign.measure(replace(PROGRAM, patch=None, fact=("true",)), ["tcmalloc"], "", 1)
    advised = regret.find_arm(PROGRAM, advice_from("global", malloc=KEEP_MEMORY))
    assert arms[advised] == (["true"], KEEP_MEMORY)
    assert arms.keys() >= {UNCHANGED, TCMALLOC, UNCHANGED + UNDER + ONE_ARENA}


def test_arm_of_a_switch_runs_with_its_tunables() -> None:
    added = facts.environment_under(ONE_ARENA).items() - facts.environment_under("").items()
    assert dict(added) == {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"}


def test_summary_counts_applicable_local_advice() -> None:
    local = replace(ROW, kind="local", arm="")
    text = " ".join(case_studies.foreign_summary([local, ROW]))
    assert "a local allocator in 1 (in 1 by a change of the source), and nothing in 0" in text
    switch = replace(ROW, advised=KEEP_MEMORY, arm=UNCHANGED + UNDER + KEEP_MEMORY)
    text = " ".join(case_studies.foreign_summary([switch, ROW, ROW]))
    assert "another malloc in 2, a tunable of glibc in 1, a local allocator in 0" in text


def test_older_trials_are_named() -> None:
    current = replace(ROW, commit="abc", trial_code=trial_code())
    assert case_studies.age([current]) == "Advised at commit abc."
    older = replace(ROW, commit="aaa", trial_code="")
    assert case_studies.age([current, older]) == (
        "Advised at 2 commits. The trial has changed since the advice."
    )
    assert "The trial has changed" in case_studies.foreign_summary([current, older])[1]
    assert "The trial has changed" not in " ".join(case_studies.foreign_summary([current]))


def test_advice_with_a_rule_has_an_interval_over_programs() -> None:
    rows = [replace(ROW, seconds={UNCHANGED: 0.2, TCMALLOC: seconds}) for seconds in (0.1, 0.11, 0.09)]
    mean, low, high = regret.compare(rows, regret.RULES["change nothing"])
    assert 0.3 < low < mean < high < 0.7
    assert regret.compare(rows[:1], regret.RULES["change nothing"])[1:] == (0.0, math.inf)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("LD_PRELOAD=/home/me/lib/libmimalloc.so jq .", "LD_PRELOAD={mimalloc3} jq ."),
        ("/home/me/lib/libmimalloc.so: not found", "{mimalloc3}: not found"),
        ("/home/me/lib/libmimalloc.so.2", "{HOME}/lib/libmimalloc.so.2"),
        (f"dot -Tsvg {ROOT}/build/x.dot", "dot -Tsvg {ROOT}/build/x.dot"),
        (f"protoc -I{ROOT}/build", "protoc -I{ROOT}/build"),
        (f"-I{ROOT}", "-I{ROOT}"),
        ("file:///home/me/x", "file://{HOME}/x"),
        ("cat '/scratch/a b'; ls /scratch.", "cat '{TMP}/a b'; ls {TMP}."),
        (
            "/home/metoo/x /home/me-2 /usr/home/me/x a/scratch",
            "/home/metoo/x /home/me-2 /usr/home/me/x a/scratch",
        ),
        ("LD_PRELOAD=/usr/lib/libjemalloc.so.2 jq", "LD_PRELOAD=/usr/lib/libjemalloc.so.2 jq"),
    ],
)
def test_stored_texts_have_no_paths_of_the_machine(monkeypatch, text, stored) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr("tempfile.tempdir", "/scratch")
    library = Path("/home/me/lib/libmimalloc.so")
    document = {text: [text, {"text": text, "seconds": 0.5, "scope": None}], "wall": False}
    expected = {stored: [stored, {"text": stored, "seconds": 0.5, "scope": None}], "wall": False}
    assert without_paths(document, {"mimalloc3": library}) == expected
    assert without_paths(expected, {"mimalloc3": library}) == expected


def test_home_at_the_root_is_no_path_to_replace(monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert without_paths("ls /usr /") == "ls /usr /"


def test_stored_advice_names_no_place_of_the_machine(monkeypatch) -> None:
    """The command, the facts and the headline, from the output of the advisor."""
    place = f"LD_PRELOAD=/home/me/libmimalloc.so xmlwf {ROOT}/build/case_studies/inputs/a"
    facts = [{"label": "to use it", "text": place}]
    asked: list[list[str]] = []
    output = {
        "kind": "global",
        "answer": {"kind": "global", "malloc": "mimalloc3", "strategy": "heap", "pattern": None},
        "headline": f"Use it: {place}",
        "facts": facts,
        "study": {
            "chosen": None,
            "trial": None,
            "ceiling": {"seconds": 3.0, "low": 2.0, "high": 4.0, "cpu_seconds": 11.0},
            "globals": {"effects": []},
        },
        "then": {"time": asdict(Difference(-0.002, -0.003, -0.001, 21))},
    }
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(foreign.mallocs, "find_library", lambda _: Path("/home/me/libmimalloc.so"))
    monkeypatch.setattr(foreign, "hashes", lambda _: {})
    monkeypatch.setattr(foreign.advising, "ask", lambda words, **_: asked.append(words) or json.dumps(output))
    advice = foreign.advise(PROGRAM, ["mimalloc3"], None, quick=False)
    assert asked[0][:4] == ["advise", "--json", "--age", "young"]
    assert asked[0][4:6] == ["--global", "glibc,mimalloc3=/home/me/libmimalloc.so"]
    text = json.dumps(advice)
    assert str(ROOT) not in text
    assert "/home/me" not in text
    assert advice["facts"][0]["text"] == "LD_PRELOAD={mimalloc3} xmlwf {ROOT}/build/case_studies/inputs/a"
    command = "mallard advise --json --age young --global glibc,mimalloc3 -- xmlwf a"
    assert advice["command"].startswith(command)
    assert foreign.advising.second_promise(advice) == Difference(-0.002, -0.003, -0.001, 0)


def test_fastest_malloc_of_the_first_input_is_a_rule() -> None:
    arms = {UNCHANGED: [0.2, 0.2], TCMALLOC: [0.1, 0.1], MIMALLOC: [0.15, 0.15]}
    facts = {
        "programs": {arm: {"cpu_seconds": times, "peak_bytes": 1.0} for arm, times in arms.items()},
        "differing": [],
    }
    rule = regret.RULES["the fastest of these on the first input"]
    advice = advice_from("nothing")
    advice["mallocs"]["mimalloc"] = {"median": -0.03, "low": -0.04, "high": 0.1}
    assert rule(regret.row_from(PROGRAM, advice, facts)) == MIMALLOC
    advice["mallocs"] = {"mimalloc": {"median": 0.01, "low": 0.0, "high": 0.1}}
    assert rule(regret.row_from(PROGRAM, advice, facts)) == UNCHANGED


def test_outcomes_count_the_changes_that_were_advised() -> None:
    slower = replace(ROW, facts={TCMALLOC: Difference(0.1, 0.05, 0.15, 11)})
    assert regret.outcomes([ROW, slower, replace(ROW, arm="")]) == {
        "saved time": 1,
        "were not resolved": 0,
        "cost time": 1,
    }


def test_a_later_change_of_what_is_followed_makes_facts_void() -> None:
    program = PROGRAMS["xmlwf"]
    assert program.patch
    other = replace(program, patch=replace(program.patch, scopes=("anything",)))
    assert foreign.definition_sha256(program) != foreign.definition_sha256(other)
    assert foreign.definition_sha256(program) == foreign.definition_sha256(foreign.load()["xmlwf"])


def test_stored_facts_are_of_listed_programs() -> None:
    for folder in (foreign.ADVICE, foreign.FACTS):
        stored = {file.name.partition(".")[0] for file in folder.glob("*.json.gz")}
        known = {results_file(folder, name).name.partition(".")[0] for name in PROGRAMS}
        assert stored <= known


def test_local_advice_without_patch_is_listed() -> None:
    row = replace(ROW, kind="local", advised="monotonic in f()", arm="")
    assert "no fact" in case_studies.foreign_programs([row])
    assert regret.regret([row], regret.advised_arm) == pytest.approx(2.0)
    assert "The advice for jq cannot be followed without a change of the source" in (
        case_studies.foreign_score([row, ROW], (0, 0))
    )


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this copy of the source tree has no history")
def test_stored_advice_is_older_than_its_fact() -> None:
    for name in PROGRAMS:
        file = results_file(foreign.FACTS, name)
        if not file.is_file():
            continue
        fact = unpack(file.read_bytes())["cells"][foreign.CELL]
        known = history.from_git(name, foreign.ADVICE, foreign.FACTS, ROOT)[f"{name} {foreign.CELL}"]
        assert known["advice_sha256"] == fact["advice_sha256"]
        if _has_commit(known["advised"]):
            assert known["advised_first"], f"the fact on {name} was there before its advice"


def _has_commit(commit: str | None) -> bool:
    return (
        bool(commit)
        and not subprocess.run(
            ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
        ).returncode
    )


def test_builds_are_strategies_of_a_trial() -> None:
    assert set(patches.BUILDS) == {NULL, *OF_MALLARD}
    assert set(foreign.BUILD_BY_STRATEGY.values()) == set(OF_MALLARD)
