"""The score of the case studies, over synthetic cells, and the summaries of the advisor's output."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from mallard.shared.errors import UsageError
from mallard.shared.stats import CONFIDENCE, Difference

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "advisor/case_studies"))
import score
from harness import history, inputs
from harness.advising import AdviceError, advised, second_promise, summary
from harness.catalogue import CASES, NULL, OF_MALLARD, UNCHANGED, Case
from harness.cells import Cell, Promise, cell_from, read
from harness.places import ROOT, pack, results_file

sys.path.insert(0, str(ROOT / "docs"))
from figures import case_studies


def between(low: float, high: float) -> Difference:
    return Difference((low + high) / 2, low, high, 21)


CELL = Cell(
    case="boost_json",
    input="small",
    headline="Put a monotonic allocator into handle()",
    kind="local",
    advised="monotonic",
    on_top="",
    on_top_promised=None,
    predicted={"monotonic": between(-0.022, -0.018), "heap": between(0.010, 0.012)},
    estimate=0.030,
    program_seconds=0.1,
    seconds={UNCHANGED: 0.100, NULL: 0.101, "monotonic": 0.075, "heap": 0.105},
    facts={"monotonic": between(-0.026, -0.021), "heap": between(0.004, 0.006), NULL: between(0.0, 0.002)},
    peaks={},
)


def promise(cell: Cell) -> Promise:
    (first,) = cell.promises
    return first


def test_a_cell_whose_promise_is_kept() -> None:
    assert score.sign_right(promise(CELL)) is True
    assert score.near_best(CELL) is True
    assert score.holds(promise(CELL)) is True
    assert score.at_least_promised(promise(CELL)) is True
    assert score.narrow(promise(CELL)) is True
    assert score.promised_under_estimate(CELL) is True
    assert score.facts_under_estimate(CELL) is True
    assert score.quiet(CELL) is None
    assert score.quiet(replace(CELL, seconds={UNCHANGED: 0.100, "monotonic": 0.099})) is False
    assert list(score.signs(CELL)) == [True, True]
    assert score.misses([CELL]) == []


def test_advice_of_two_halves_is_judged_by_both() -> None:
    seconds = {UNCHANGED: 0.100, NULL: 0.101, "before@tcmalloc": 0.090, "monotonic": 0.080}
    halves = replace(CELL, kind="global", advised="tcmalloc", on_top="monotonic", seconds=seconds)
    assert halves.build == halves.full_build == "before@tcmalloc", "the second half was not measured"
    assert score.near_best(halves) is False
    both = replace(halves, seconds=seconds | {"monotonic@tcmalloc": 0.078})
    assert both.build == "before@tcmalloc"
    assert both.full_build == "monotonic@tcmalloc"
    assert score.near_best(both) is True
    assert score.first_half_near_best(both) is False


def test_wrong_sign_needs_two_intervals_excluding_zero() -> None:
    slower = replace(CELL, facts={"monotonic": between(0.001, 0.003)})
    assert score.sign_right(promise(slower)) is False
    assert score.sign_right(promise(replace(CELL, facts={"monotonic": between(-0.001, 0.003)}))) is None
    assert score.sign_right(promise(replace(CELL, predicted={"monotonic": between(-0.03, 0.01)}))) is None


def test_fact_interval_may_touch_promise() -> None:
    apart = replace(CELL, facts={"monotonic": between(-0.040, -0.030)})
    assert score.holds(promise(apart)) is False
    assert score.at_least_promised(promise(apart)) is True
    assert score.gap(CELL.predicted["monotonic"], apart.facts["monotonic"]) == pytest.approx(0.008)
    less = replace(CELL, facts={"monotonic": between(-0.010, -0.005)})
    assert score.at_least_promised(promise(less)) is False


def test_a_wide_interval_does_not_win() -> None:
    wide = replace(CELL, predicted={"monotonic": between(-0.050, 0.010)})
    assert score.holds(promise(wide)) is True
    assert score.narrow(promise(wide)) is False
    assert score.winkler(promise(wide)) > score.winkler(promise(CELL))


def test_winkler_score_adds_the_miss() -> None:
    assert score.winkler(promise(CELL)) == pytest.approx(0.04)
    apart = replace(CELL, facts={"monotonic": between(-0.040, -0.030)})
    assert score.winkler(promise(apart)) == pytest.approx(0.04 + 40 * 0.08)


def test_best_build_may_be_unadvised() -> None:
    better = replace(CELL, seconds=CELL.seconds | {"library_pool": 0.060})
    assert score.near_best(better) is False
    assert score.near_best(replace(better, seconds=CELL.seconds | {"library_pool": 0.069})) is True


def test_advice_that_no_build_follows_is_a_miss() -> None:
    assert score.near_best(replace(CELL, case="protobuf", advised="heap")) is False


def test_no_advice_means_unchanged_program() -> None:
    silent = replace(CELL, kind="nothing", advised="")
    assert silent.build == UNCHANGED
    assert score.near_best(silent) is score.unchanged_near_best(CELL) is False
    assert silent.promises == []


def test_global_malloc_counts_as_build() -> None:
    global_cell = replace(
        CELL,
        kind="global",
        advised="mimalloc",
        predicted={"before@mimalloc": between(-0.01, -0.008)},
        facts={"before@mimalloc": between(-0.01, -0.009)},
        seconds=CELL.seconds | {"before@mimalloc": 0.091},
    )
    assert score.holds(promise(global_cell)) is True
    assert score.near_best(global_cell) is False


def test_rules_of_thumb_are_judged_like_the_advice() -> None:
    assert score.arena_near_best(CELL) is True
    assert score.multipool_near_best(CELL) is False, "it was not measured"
    slow = replace(CELL, seconds=CELL.seconds | {"monotonic": 0.084, "library_pool": 0.076})
    assert score.arena_near_best(slow) is False
    assert score.multipool_near_best(replace(CELL, case="protobuf")) is False, "the unchanged program"
    close = CELL.seconds | {UNCHANGED: 0.080}
    assert score.multipool_near_best(replace(CELL, case="protobuf", seconds=close)) is True


def test_a_promise_above_the_estimate_is_a_miss() -> None:
    assert score.promised_under_estimate(replace(CELL, estimate=0.015)) is False
    assert score.promised_under_estimate(replace(CELL, estimate=None)) is None


def test_an_estimate_is_with_facts_of_allocators() -> None:
    assert score.facts_under_estimate(replace(CELL, estimate=0.023)) is False
    facts = {"library_pool": between(-0.02, -0.01), "reused": between(-0.09, -0.08)}
    reused = replace(CELL, case="protobuf", facts=facts)
    assert score.facts_under_estimate(reused) is True, "fewer blocks are no other allocator"


HALVES = replace(
    CELL,
    kind="global",
    advised="tcmalloc",
    on_top="monotonic",
    predicted={"before@tcmalloc": between(-0.012, -0.010)},
    on_top_promised=between(-0.020, -0.010),
    seconds={UNCHANGED: 0.100, NULL: 0.101, "before@tcmalloc": 0.090, "monotonic@tcmalloc": 0.094},
    facts={"before@tcmalloc": between(-0.011, -0.009)},
    on_top_fact=between(0.003, 0.005),
)


def test_second_halves_are_promises_too() -> None:
    assert [promise.half for promise in HALVES.promises] == [1, 2]
    assert score.count_promises([HALVES], score.sign_right) == score.Count(1, 2)
    assert score.count_promises([HALVES], score.at_least_promised, half=2) == score.Count(0, 1)
    missed = [name for _, name in score.misses([HALVES])]
    assert f"{score.SIGN}, second half" in missed
    assert score.SIGN not in missed
    assert len(replace(CELL, kind="nothing", advised="").promises) == 0


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("then", "put a multipool into f(): that still saves 1.2 s (950 to 1400 ms)"),
        ("tcmalloc instead of glibc", "30.8 ms saved; still saves 1.2 s (950 to 1400 ms)"),
    ],
)
def test_reads_second_half_of_advice(label: str, text: str) -> None:
    advice = {"answer": {"malloc": "tcmalloc"}, "facts": [{"label": label, "text": text}]}
    promise = second_promise(advice)
    assert (promise.median, promise.low, promise.high) == pytest.approx((-1.2, -1.4, -0.95))
    newer = advice | {"then": {"median": -2.0, "low": -3.0, "high": -1.0}}
    assert second_promise(newer) == Difference(-2.0, -3.0, -1.0, 0)
    with pytest.raises(AdviceError, match="no fact with its saving"):
        second_promise({**advice, "facts": []})


def test_single_build_needs_no_local_allocator() -> None:
    alone = replace(CELL, case="leveldb", seconds={UNCHANGED: 0.1}, facts={}, predicted={})
    assert score.quiet(alone) is False
    assert score.quiet(replace(alone, kind="nothing")) is True
    assert score.near_best(alone) is None


def test_cells_are_counted_where_a_criterion_applies() -> None:
    cells = [CELL, replace(CELL, kind="nothing"), replace(CELL, facts={"monotonic": between(0.001, 0.003)})]
    assert score.count_promises(cells, score.sign_right) == score.Count(1, 2)
    assert score.count_cells(cells, score.near_best) == score.Count(2, 3)
    assert score.median_winkler([]) is None
    assert [(cell.input, name) for cell, name in score.misses(cells[1:2])] == [
        ("small", "advised program within 10 % of the best of all")
    ]


EFFECT = {
    "strategy": "monotonic",
    "counts": {"served": 5},
    "time": {"median": -2.0, "low": -3.0, "high": -1.0, "n": 21, "confidence": CONFIDENCE},
}
IDLE = {"strategy": "heap", "counts": {"served": 0}, "time": EFFECT["time"]}
BASELINE: dict[str, Any] = {
    "differing": [],
    "trial": {"program_seconds": 10.0, "wall": False, "effects": [EFFECT, IDLE]},
}


def document(kind: str, *, baseline: dict[str, Any] | None = BASELINE, **answer: str) -> dict[str, Any]:
    """As `mallard advise --json` prints it."""
    return {
        "kind": kind,
        "answer": {"kind": kind, "strategy": None, "malloc": None, "pattern": None, **answer},
        "headline": "Use mimalloc",
        "facts": [],
        "study": {
            "chosen": {"name": "handle"} if baseline else None,
            "trial": {"baselines": [baseline]} if baseline else None,
            "ceiling": {"seconds": 3.0, "low": 2.0, "high": 4.0, "cpu_seconds": 11.0, "faults": 3},
            "globals": {"effects": [{"malloc": "mimalloc", "time": EFFECT["time"]}]},
        },
        "then": None,
    }


def test_the_advised_build_is_that_of_the_answer() -> None:
    assert advised(summary(document("local", strategy="monotonic"))) == ("local", "monotonic")
    assert advised(summary(document("global", malloc="mimalloc"))) == ("global", "mimalloc")
    assert advised(summary(document("pattern", pattern="reuse"))) == ("pattern", "reuse")
    assert advised(summary(document("unresolved"))) == ("unresolved", "")


def test_idle_or_differing_strategy_promises_nothing() -> None:
    assert list(summary(document("unresolved"))["strategies"]) == ["monotonic"]
    differing = BASELINE | {"differing": ["monotonic"]}
    assert summary(document("unresolved", baseline=differing))["strategies"] == {}


def test_advice_is_summed_up() -> None:
    assert summary(document("global", malloc="mimalloc"))["ceiling"]["high"] == 4.0
    nothing = summary(document("nothing", baseline=None))
    assert nothing["program_seconds"] == 11.0
    assert nothing["scope"] is None


def test_promises_are_at_the_confidence_of_facts() -> None:
    time = Difference(-2.0, -3.0, -1.0, 21)
    sure = EFFECT | {"time": asdict(time.at(0.999))}
    assert sure["time"]["low"] < time.low
    trial = BASELINE["trial"] | {"effects": [sure]}
    output = document("unresolved", baseline=BASELINE | {"trial": trial}) | {"then": sure}
    stored = summary(output)
    expected = pytest.approx({"median": time.median, "low": time.low, "high": time.high})
    assert stored["strategies"]["monotonic"] == expected
    assert stored["then"] == expected


def test_pattern_is_followed_by_its_build() -> None:
    pattern = replace(CELL, case="protobuf", kind="pattern", advised="reuse")
    assert pattern.build == "reused"
    assert replace(pattern, advised="reserve").build == UNCHANGED


def test_facts_are_paired_by_round() -> None:
    run = {"wall_seconds": [9.0] * 5, "peak_bytes": 1.0}
    facts = {
        "programs": {
            UNCHANGED: run | {"cpu_seconds": [1.0, 2.0, 3.0, 4.0, 5.0]},
            NULL: run | {"cpu_seconds": [1.5, 2.5, 3.5, 4.5, 5.5]},
            "monotonic": run | {"cpu_seconds": [0.5, 1.5, 2.5, 3.5, 4.5]},
        },
    }
    advice = summary(document("local", strategy="monotonic"))
    cell = cell_from(CASES["boost_json"], "small", advice, facts)
    assert (cell.fact.low, cell.fact.high) == (-0.5, -0.5)
    assert cell.seconds[UNCHANGED] == 3.0


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_case_study_has_two_inputs_of_a_kind_and_builds(case: Case) -> None:
    kinds = Counter(case_input.later for case_input in case.inputs)
    assert set(kinds.values()) == {2}
    assert len({case_input.name for case_input in case.inputs}) == len(case.inputs)
    assert len(kinds) == 1 + bool(case.builds), "without builds no promise of a trial can be checked"
    build_file = (Path(score.__file__).parent / "CMakeLists.txt").read_text(encoding="utf-8")
    assert case.command or f"case_program({case.name} " in build_file
    assert set(case.strategies.values()) <= {*OF_MALLARD.values(), "reuse"}
    assert all(case.find_build(strategy) for strategy in case.strategies.values())


def test_inputs_are_deterministic(tmp_path: Path) -> None:
    for generator in ("small_json", "large_json", "small_xml", "large_xml"):
        first, second = (inputs.write(generator, tmp_path / name) for name in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()


def test_each_line_is_a_document_of_debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"json": tmp_path / "a.json", "xml": tmp_path / "a.xml"}
    files["json"].write_text('{"639": [{"name": "Ghotuo"},\n {"name": "É"}]}', encoding="utf-8")
    files["xml"].write_text('<all>\n<mime-type type="a">\n</mime-type><mime-type type="b"/>\n</all>')
    monkeypatch.setattr(inputs, "FILES_OF_DEBIAN", {"records": files, "whole": files})

    def lines(generator: str) -> list[str]:
        return inputs.write(generator, tmp_path / "inputs").read_text(encoding="utf-8").splitlines()

    assert lines("records_json") == ['{"name":"Ghotuo"}', '{"name":"É"}']
    assert lines("whole_json") == ['{"639":[{"name":"Ghotuo"},{"name":"É"}]}']
    assert lines("records_xml") == ['<mime-type type="a"> </mime-type>']
    assert lines("whole_xml") == ['<all> <mime-type type="a"> </mime-type><mime-type type="b"/> </all>']


def test_missing_documents_name_their_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "FILES_OF_DEBIAN", {"whole": {"json": tmp_path / "none"}})
    with pytest.raises(UsageError, match="apt-get install iso-codes shared-mime-info"):
        inputs.write("whole_json", tmp_path)


def test_stored_cells_can_be_scored() -> None:
    for cell in read():
        assert cell.seconds[UNCHANGED] > 0
        assert (cell.fact is None) == (cell.build not in cell.facts)
        assert all(promise.fact for promise in cell.promises), f"{cell.name}: a promise without its fact"


def test_every_stored_miss_is_explained() -> None:
    assert case_studies.UNEXPLAINED not in case_studies.misses(read(), case_studies.explanations())
    missed = {f"{cell.name}: {name}" for cell, name in score.misses(read())}
    assert set(case_studies.explanations()) <= missed, "an explanation without its miss"


def test_a_trial_is_not_a_bound() -> None:
    """Over promises of local allocators: another malloc is the same preload in the trial and in its fact."""
    less = replace(CELL, facts={"monotonic": between(-0.010, -0.005)})
    within = replace(CELL, facts={"monotonic": between(-0.021, -0.016)})
    preload = replace(
        CELL,
        kind="global",
        advised="tcmalloc",
        predicted={"before@tcmalloc": between(-0.022, -0.018)},
        facts={"before@tcmalloc": between(-0.002, -0.001)},
    )
    assert [promise(cell).is_preload for cell in (less, preload)] == [False, True]
    text = case_studies.bounds([CELL, less, within, preload])
    assert "of 3 promises of a local allocator" in text
    assert (
        "saved less in 2, by the medians, and in 1 of these beyond both intervals (Boost.JSON, small)" in text
    )
    assert str(score.count_local([CELL, less, within, preload], score.at_least_promised)) == "2 of 3"
    assert "2 of 3 of a local allocator" in case_studies.summary([CELL, less, within, preload])
    assert "0 of 1 of another malloc" in case_studies.summary([CELL, less, within, preload])


def test_summary_names_cells_measured_early() -> None:
    later = replace(CELL, advised_first=False)
    text = case_studies.order([replace(CELL, advised_first=True), later])
    assert "in 1 of 2 cells" in text
    assert "Boost.JSON, small" in text
    assert case_studies.order([replace(CELL, advised_first=True)]).endswith("in 1 of 1 cells.")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    history.git(tmp_path, "init", "--quiet")
    return tmp_path


def commit(repository: Path, **files: dict[str, Any]) -> None:
    """A commit with these results of Lua, by their folder."""
    for folder, cells in files.items():
        (repository / folder).mkdir(exist_ok=True)
        results_file(repository / folder, "lua").write_bytes(pack({"cells": cells}))
    history.git(repository, "add", ".")
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    history.git(repository, *author, "commit", "--quiet", "--message", "results")


def test_advice_counts_if_committed_first(repository: Path) -> None:
    commit(repository, advice={"a": {"v": 1}, "b": {"v": 1}, "c": {"v": 1}})
    commit(repository, facts={"a": {}, "b": {}})
    commit(repository, advice={"a": {"v": 1}, "b": {"v": 2}, "c": {"v": 1}, "d": {"v": 1}}, facts={"d": {}})
    history_entry = history.from_git("lua", repository / "advice", repository / "facts", repository)
    first = {name: cell["advised_first"] for name, cell in history_entry.items()}
    assert first == {"lua a": True, "lua b": False, "lua c": True, "lua d": False}


def test_facts_on_another_input_are_of_another_cell(repository: Path) -> None:
    earlier, today = ({"commands": [["jq", "a"], ["jq", second]]} for second in "bc")
    commit(repository, advice={"a": earlier}, facts={"a": {}})
    commit(repository, advice={"a": today}, facts={})
    commit(repository, facts={"a": {}})
    folders = repository / "advice", repository / "facts"
    assert history.from_git("lua", *folders, repository)["lua a"]["advised_first"]
    commit(repository, advice={"a": today | {"v": 2}})
    assert not history.from_git("lua", *folders, repository)["lua a"]["advised_first"]


def test_stored_history_is_that_of_git() -> None:
    stored = history.stored()
    commits = {cell[name] for cell in stored.values() for name in ("advised", "measured")}
    results = [
        subprocess.run(
            ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
        )
        for commit in commits
    ]
    if any(result.returncode for result in results):
        pytest.skip("this copy of the source tree lacks the commits")
    computed = history.compute()
    assert computed == stored
