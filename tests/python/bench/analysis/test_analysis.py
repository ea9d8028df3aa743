"""Cells, means and verdicts, on rows with known figures."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_run import RATIO, density_rows, failed, formula, row

from mallard.bench.analysis.averages import cost_of_dispatch, gain_of_winking_out, mean_over_rows
from mallard.bench.analysis.cell_tables import density_tables
from mallard.bench.analysis.names import ranked_strategies
from mallard.bench.analysis.panel.density import judge_structure, sentence, summaries
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.papers.catalogue import DISPATCH_PAIRS, WINK_OUT_PAIRS
from mallard.bench.papers.printed import P0213
from mallard.bench.papers.registry import own_table
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers


def build_tables(natives: list[dict[str, Any]]) -> list[Any]:
    return density_tables([Row.from_native(1, native) for native in natives])


def own_runs_of_p0213() -> list[Any]:
    """P0213's own seconds as if they were rows of one repetition: our means must be the printed ones."""
    natives = []
    for number in range(1, 13):
        table = own_table(P0213, f"DS{number}")
        for (size,), line in table.rows.items():
            times = {name: table.nanoseconds((size,), name) for name in line}
            natives += [row(table.structure, size, name, 0, times[name]) for name in line]
    return build_tables(natives)


def test_tables_follow_the_order_of_papers() -> None:
    tables = build_tables(density_rows(names=("DS10", "DS2", "DS1"), sizes=(10, 6)))
    assert [table.structure for table in tables] == ["DS1", "DS2", "DS10"]
    assert tables[2].type == "unordered_set<vector<string>>"
    assert [line.size_log2 for line in tables[0].lines] == [6, 10]
    assert tables[0].strategies == [
        "null",
        "new-delete",
        "new-delete-keep",
        *of_papers(2),
    ]
    assert ranked_strategies(tables[0].strategies) == [*of_papers()]


def test_buffer_size_does_not_split_cells() -> None:
    """It follows from the free memory."""
    natives = density_rows(names=("DS2",), sizes=(6,))
    for native in natives:
        native["parameters"] = native["parameters"] | {"buffer_bytes": 1 << (29 + native["repetition"] % 2)}
    (table,) = build_tables(natives)
    assert len(table.line(6).cells["multipool"].times) == 3
    assert "buffer_bytes" not in dict(table.setting)


def test_cell_has_median_spread_faults_and_memory() -> None:
    cell = build_tables(density_rows())[1].line(10).cells["multipool"]
    base = formula("DS2", 10, "multipool")
    assert cell.ns_per_operation == pytest.approx(base * 1.02, rel=1e-4)
    assert cell.spread == pytest.approx((base, base * 1.04), rel=1e-4)
    assert cell.ratio.median == pytest.approx(RATIO["multipool"], rel=1e-4)
    assert cell.faults_per_1000 == pytest.approx(1048 * 9 * 1000 / 2**20)
    assert cell.peak_rss_bytes == 18 << 20
    assert cell.system_share == pytest.approx(0.1, abs=1e-3)


def test_settings_have_separate_tables() -> None:
    cold = density_rows(names=("DS1",))
    for native in cold:
        native["parameters"] = native["parameters"] | {"buffer": "cold"}
    tables = build_tables(density_rows(names=("DS1",)) + cold)
    assert [dict(table.setting)["buffer"] for table in tables] == ["cold", "warm"]
    assert all(len(table.lines) == 2 for table in tables)


def test_ignores_rows_of_another_experiment() -> None:
    native = row("DS1", 6, "new-delete", 0, 1.0) | {
        "experiment": "primitives",
        "parameters": {"operation": "pair"},
    }
    assert build_tables([native]) == []


def test_ratio_pairs_repetitions() -> None:
    natives = [row("DS1", 6, "new-delete", r, t) for r, t in enumerate((10.0, 20.0, 40.0))]
    natives += [row("DS1", 6, "multipool", r, t) for r, t in ((0, 5.0), (2, 20.0))]
    cell = build_tables(natives)[0].line(6).cells["multipool"]
    assert cell.ratio.median == pytest.approx(0.5)
    assert cell.ratio.n == 2


def test_unfinished_cell_keeps_its_status() -> None:
    natives = density_rows(names=("DS1",), sizes=(6,), strategies=("new-delete", "monotonic"))
    natives += [failed("DS1", 6, "monotonic/wink", r, "crashed", "SIGSEGV") for r in range(3)]
    cell = build_tables(natives)[0].line(6).cells["monotonic/wink"]
    assert (cell.status, cell.detail, cell.finished, cell.ratio) == ("crashed", "SIGSEGV", False, None)


def test_partly_failed_cell_keeps_figures_and_detail() -> None:
    natives = density_rows(names=("DS1",), sizes=(6,), strategies=("new-delete", "monotonic"), repetitions=2)
    natives.append(failed("DS1", 6, "monotonic", 2, "timed_out", "after 60 s"))
    cell = build_tables(natives)[0].line(6).cells["monotonic"]
    assert (cell.status, cell.detail, len(cell.times)) == ("ok", "after 60 s", 2)


def test_means_weigh_rows_equally() -> None:
    def times(structure: str, size: int, strategy: str) -> float:
        return {"new-delete": 100.0, "monotonic": 20.0 if size == 6 else 60.0}[strategy] * (
            1000 if structure == "DS2" else 1
        )

    mean = mean_over_rows(
        build_tables(density_rows(strategies=("new-delete", "monotonic"), times=times)), "monotonic"
    )
    assert mean.median == pytest.approx(0.4, rel=1e-4)
    assert mean.n == 4


def test_mean_without_rows_is_none() -> None:
    assert (
        mean_over_rows(build_tables(density_rows(strategies=("new-delete", "monotonic"))), "multipool")
        is None
    )


def test_interval_reflects_the_repetitions() -> None:
    natives = [row("DS1", size, "new-delete", r, 100.0) for size in range(6, 17) for r in range(3)]
    natives += [row("DS1", size, "monotonic", r, 50.0 + 10 * r) for size in range(6, 17) for r in range(3)]
    wide = mean_over_rows(build_tables(natives), "monotonic")
    assert wide.low < 0.6 < wide.high
    assert 0.01 < wide.high - wide.low < 0.2


def test_dispatch_and_wink_out_on_known_figures() -> None:
    tables = build_tables(density_rows(names=("DS1", "DS5"), sizes=(6, 8, 10)))
    dispatch, wink = cost_of_dispatch(tables), gain_of_winking_out(tables)
    assert dispatch.overall.median == pytest.approx(10.0, abs=0.01)
    assert dispatch.overall.n == 6 * 7
    assert dispatch.overall.low <= dispatch.overall.median <= dispatch.overall.high
    assert wink.overall.median == pytest.approx(10.0, abs=0.01)
    assert wink.overall.n == 6 * 6
    assert list(dispatch.pairs) == list(DISPATCH_PAIRS)
    assert list(wink.pairs) == list(WINK_OUT_PAIRS)


def test_formulas_reproduce_p0213() -> None:
    """On its own printed seconds: 8.4 % for winking out, 0.78 % for dispatch (0.81 from the rounded
    figures).
    """
    tables = own_runs_of_p0213()
    dispatch, wink = cost_of_dispatch(tables), gain_of_winking_out(tables)
    assert wink.overall.median == pytest.approx(8.4, abs=0.05)
    assert wink.overall.n == 792
    assert dispatch.overall.median == pytest.approx(0.78, abs=0.04)
    assert dispatch.overall.n == 924
    assert dispatch.local_only.median == pytest.approx(0.10, abs=0.01)


def test_picks_the_fastest_of_a_row() -> None:
    natives = []
    for name, times in {
        "null": (1, 1, 1),
        "new-delete": (100, 101, 99),
        "monotonic": (30, 31, 29),
        "monotonic/wink": (30.1, 30.9, 29.2),
        "multipool": (60, 61, 59),
    }.items():
        natives += [row("DS1", 6, name, r, t) for r, t in enumerate(times)]
    assert pick_strategy(build_tables(natives)[0].lines[0]) == "monotonic", "null is not a strategy"


def test_row_without_finished_strategies_has_no_pick() -> None:
    (table,) = build_tables([failed("DS1", 6, "new-delete", 0, "crashed", "SIGSEGV")])
    assert pick_strategy(table.lines[0]) is None


def test_verdict_names_best_gain_and_alternative() -> None:
    verdict = judge_structure(build_tables(density_rows(names=("DS2",)))[0])
    assert verdict.best.strategy == "monotonic/wink"
    assert verdict.best.ratio.median == pytest.approx(0.27, rel=1e-3)
    assert verdict.reusing.strategy == "multipool+monotonic/wink"
    assert verdict.worth_it
    text = sentence(verdict)
    assert text.startswith(
        "vector<string>: use monotonic/wink (bound by type parameter, winked out): 27 % (27 to 27) of "
        "new-delete's time"
    )
    assert "3.7 times as fast" in text
    assert "multipool+monotonic/wink, 36 %" in text
    assert "Switching page return off alone brings new-delete to 80 %" in text


def test_keeps_the_global_allocator_if_nothing_is_faster() -> None:
    def times(structure: str, size: int, strategy: str) -> float:
        return 10.0 if strategy == "new-delete" else 11.0

    verdict = judge_structure(build_tables(density_rows(names=("DS1",), times=times))[0])
    assert not verdict.worth_it
    assert sentence(verdict) == "vector<int>: keep new-delete; no strategy is faster beyond its interval."


def test_noise_does_not_change_the_verdict() -> None:
    natives = [row("DS1", 6, "new-delete", r, t) for r, t in enumerate((100.0, 100.0, 100.0))]
    natives += [row("DS1", 6, "monotonic", r, t) for r, t in enumerate((80.0, 99.0, 130.0))]
    (table,) = build_tables(natives)
    verdict = judge_structure(table)
    assert verdict.best.strategy == "monotonic"
    assert not verdict.worth_it
    assert "monotonic comes closest: 99 %" in sentence(verdict)
    assert pick_strategy(table.lines[0]) == "new-delete"


def test_unfinished_strategy_is_named_but_not_compared() -> None:
    natives = [
        native
        for native in density_rows(names=("DS2",))
        if not (native["strategy"] == "monotonic/wink" and native["parameters"]["size_log2"] == 10)
    ]
    natives += [failed("DS2", 10, "monotonic/wink", 0, "out_of_memory", "")]
    verdict = judge_structure(build_tables(natives)[0])
    assert verdict.unfinished == ("monotonic/wink",)
    assert verdict.best.strategy == "monotonic/base/wink"


def test_no_verdict_without_base() -> None:
    verdict = judge_structure(
        build_tables(density_rows(names=("DS2",), strategies=("monotonic", "monotonic/wink")))[0]
    )
    assert verdict.best is None
    assert "no verdict" in sentence(verdict)


def test_one_repetition_decides_nothing() -> None:
    verdict = judge_structure(build_tables(density_rows(names=("DS2",), repetitions=1))[0])
    assert not verdict.worth_it, "one repetition cannot tell a difference"


def test_verdict_reports_the_effect_of_page_return() -> None:
    def times(structure: str, size: int, strategy: str) -> float:
        return {"new-delete": 100.0, "new-delete-keep": 20.0}.get(strategy, 60.0)

    text = sentence(judge_structure(build_tables(density_rows(names=("DS1",), times=times))[0]))
    assert "Switching page return off does more: it brings new-delete to 20 %" in text


def test_best_of_a_row_has_the_lowest_ratio() -> None:
    """Medians of times and medians of paired ratios can disagree about the first place."""
    natives = []
    for name, times in {
        "new-delete": (100, 200, 400),
        "monotonic": (50, 120, 200),
        "monotonic/wink": (60, 110, 300),
    }.items():
        natives += [row("DS1", 6, name, r, t) for r, t in enumerate(times)]
    line = build_tables(natives)[0].lines[0]
    assert line.cells["monotonic/wink"].ns_per_operation < line.cells["monotonic"].ns_per_operation
    assert pick_strategy(line) == "monotonic"


def test_summary_names_the_best_and_equals() -> None:
    def times(structure: str, size: int, strategy: str) -> float:
        return {"new-delete": 100.0, "monotonic": 30.0, "monotonic/base": 30.0}.get(strategy, 60.0)

    results = summaries(Row.from_native(1, native) for native in density_rows(times=times))
    assert len(results) == 1
    assert results[0].rows == 4
    assert {"monotonic", "monotonic/base"} < set(results[0].strategies)
    assert results[0].best_overall.strategy == "monotonic"
    assert results[0].equals_overall == ("monotonic/base",)
