"""The ledger: figures from rows, their verdicts, and the commands for missing rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from synthetic_experiments import contention_rows, locality_rows, utilization_rows
from synthetic_rows import to_rows
from synthetic_run import RATIO, density_rows

from mallard.bench.claims import (
    NOT_APPLICABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    Entry,
    counts,
    ledger,
)
from mallard.bench.claims.claim import Claim, figure_text
from mallard.bench.claims.judge import (
    STATEMENTS,
    Estimate,
    disagreements,
    estimate,
    exact,
    vague,
)
from mallard.bench.claims.rules import RULES, Rule
from mallard.bench.plan import Host, make_plan, selected_compilers
from mallard.bench.result import Row
from mallard.bench.runner import load_builds
from mallard.bench.strategy_names import of_papers
from mallard.cli import parse_command
from mallard.cli.verbs.bench import _request

DS2 = ("DS2",)


def find_entry(rows: list[Row], section: str, text: str) -> Entry:
    return next(entry for entry in ledger(rows) if (entry.section, entry.text) == (section, text))


def make_claim(low: float | None, high: float | None, unit: str = "x", metric: str = "speedup") -> Claim:
    return Claim("1", "P0089R1", "7", "made up", metric, low, high, unit, 0.5)


# ---- statements ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "low", "high", "agreeing", "differing"),
    [
        ("between", 4, 20, [3.6, 9, 20.4], [3.4, 9, 20]),
        ("between", 4, 20, [4, 20], [4, 20.6]),
        ("but one", 25, 32, [25, 28, 30, 32, 50], [25, 28, 30, 50, 51]),
        ("typically", 4, 20, [1, 12, 90], [1, 3, 90]),
        ("about", 100, 100, [60, 100, 140], [60, 60, 100]),
        ("about", 100, 100, [125], [126]),
        ("up to", None, 20, [1, 16], [1, 14.9]),
        ("up to", None, 20, [1, 25], [1, 25.1]),
        ("as low as", 50, 50, [60, 100], [63, 100]),
        ("at least", 2, None, [2, 9], [1.9, 9]),
        ("below", None, 3, [0.1, 3], [0.1, 3.1]),
        ("almost always at least", 4, None, [1, *[4] * 19], [1, 1, 1, *[4] * 17]),
        ("almost always close to", 2, None, [*[1.5] * 20], [*[1.4] * 20]),
        ("almost always below", None, 2, [9, *[2] * 19], [9, 9, 9, *[2] * 17]),
        ("sometimes", 8, 12, [*[1] * 8, 8, 9, 9], [*[1] * 19, 9]),
        ("occasionally", 12, 16, [*[1] * 30, 12], [*[1] * 30, 11]),
        ("in the middle at least", 2, None, [0, 2, 2], [1, 1, 9]),
        ("in the middle below", None, 75, [75, 75, 900], [1, 76, 76]),
    ],
)
def test_statements_accept_and_reject_cells(
    statement: str, low: float | None, high: float | None, agreeing: list[float], differing: list[float]
) -> None:
    claim = make_claim(low, high)
    for cells, agrees in ((agreeing, True), (differing, False)):
        figures = exact(estimate([judged.pick(cells)]) for judged in STATEMENTS[statement].judged)
        assert (disagreements(claim, STATEMENTS[statement], figures) == []) is agrees, cells


def test_small_differences_have_one_point_of_tolerance() -> None:
    for metric, agrees in (("overhead_percent", True), ("percent_of_AS1", False)):
        claim = make_claim(1.0, 1.0, "percent", metric)
        for value in (0.05, 1.95):
            assert (
                disagreements(claim, STATEMENTS["about"], [Estimate(value, value, value)]) == []
            ) is agrees
    claim = make_claim(1.0, 1.0, "percent", "overhead_percent")
    assert disagreements(claim, STATEMENTS["about"], [Estimate(2.1, 2.1, 2.1)])


def test_exponents_have_a_tolerance_of_one() -> None:
    claim = make_claim(18, 18, "log2", "log2_links")
    assert disagreements(claim, STATEMENTS["about"], [Estimate(17, 17, 17)]) == []
    assert disagreements(claim, STATEMENTS["about"], [Estimate(15, 15, 15)]) == ["2^15 is less than 2^17"]


def test_touching_interval_agrees_with_the_claim() -> None:
    claim = make_claim(None, 3.0)
    assert disagreements(claim, STATEMENTS["below"], [Estimate(4.0, 2.9, 5.1)]) == []
    assert disagreements(claim, STATEMENTS["below"], [Estimate(4.0, 3.1, 4.9)]) == ["4 x is more than 3 x"]
    claim = make_claim(3.0, None)
    assert disagreements(claim, STATEMENTS["at least"], [Estimate(2.0, 1.6, 2.4)]) == ["2 x is less than 3 x"]


def test_formats_printed_claims() -> None:
    percent = make_claim(28.0, 67.0, "percent")
    assert STATEMENTS["between"].printed_text(percent) == "28 to 67 %"
    assert STATEMENTS["typically"].printed_text(percent) == "about 28 to 67 %"
    assert STATEMENTS["about"].printed_text(make_claim(48.7, 48.7, "percent")) == "about 48.7 %"
    assert STATEMENTS["up to"].printed_text(make_claim(None, 6.0)) == "up to 6 x"
    assert (
        STATEMENTS["almost always at least"].printed_text(make_claim(4.0, 8.0))
        == "almost always at least 4 to 8 x"
    )
    assert STATEMENTS["at least"].printed_text(make_claim(5.0, None)) == "at least 5 x"
    assert STATEMENTS["about"].printed_text(make_claim(18.0, 18.0, "log2")) == "about 2^18"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (48.7, "48.7"),
        (0.78, "0.78"),
        (3.0, "3"),
        (255.4, "255"),
        (1e-9, "0"),
        (-0.001, "-0.001"),
        (27.04, "27"),
    ],
)
def test_formats_figures_with_three_digits(value: float, text: str) -> None:
    assert figure_text(value) == text


# ---- from rows to figures -----------------------------------------------------------------------------


def test_interval_is_students_over_repetitions() -> None:
    figure = estimate([1.0, 2.0, 3.0])
    assert figure.value == 2.0
    assert figure.high - 2.0 == pytest.approx(4.3027 / math.sqrt(3), rel=1e-3)
    assert not estimate([2.0]).bounded


@pytest.mark.parametrize(
    ("metric", "statement", "figure", "is_vague"),
    [
        ("speedup", "about", Estimate(10.0, 7.4, 12.6), True),
        ("speedup", "about", Estimate(10.0, 7.5, 12.5), False),
        ("speedup", "at least", Estimate(30.0, 10.0, 50.0), False),  # wide, but all of it agrees
        ("overhead_percent", "about", Estimate(0.0, -1.1, 1.1), True),
        ("overhead_percent", "about", Estimate(0.0, -1.0, 1.0), False),
    ],
)
def test_vague_interval_must_lie_inside_the_region(
    metric: str, statement: str, figure: Estimate, is_vague: bool
) -> None:
    assert vague(make_claim(10, 10, "percent", metric), STATEMENTS[statement], [figure]) is is_vague


def test_judges_figures_per_repetition_with_interval() -> None:
    rows = density_rows(names=DS2)
    for native in rows:
        if native["strategy"] in ("monotonic", "monotonic/wink", "monotonic/base", "monotonic/base/wink"):
            native["cpu_ns"] = round(native["cpu_ns"] * (0.95, 1.0, 1.05)[native["repetition"]])
    entry = find_entry(to_rows(rows), "9 DS2", "monotonic AS3-AS6 average")
    mean = 100 * sum(RATIO[name] for name in of_papers(3, 6)) / 4
    half = 4.3027 * 0.05 * mean / math.sqrt(3)
    (figure,) = entry.figures
    assert figure.value == pytest.approx(mean, rel=1e-6)
    assert figure.high - figure.value == pytest.approx(half, rel=1e-3)
    assert entry.verdict == NOT_REPRODUCED
    assert entry.reason == "29.9 % is less than 36 %"
    assert (entry.cells, entry.repetitions, entry.run, entry.command) == (8, 3, 1, "")
    assert entry.printed == "about 48 %"
    assert entry.ours == "29.9 %"
    assert entry.interval == "26.2 to 33.6"
    assert entry.all_cells == "27 to 33 %, in the middle 29.9 %"


def test_range_has_both_ends() -> None:
    entry = find_entry(to_rows(density_rows(names=DS2)), "9 DS2", "multipool+monotonic AS11-AS14 range")
    assert [round(figure.value) for figure in entry.figures] == [36, 44]
    assert entry.verdict == REPRODUCED
    assert entry.ours == "36 to 44 %"
    assert entry.interval.count(" to ") == 2
    assert "78.9 %" in entry.note


def test_ignores_repetitions_that_lack_cells() -> None:
    short = density_rows(names=DS2, sizes=(6,), repetitions=9)
    complete = density_rows(names=DS2, sizes=(10,))
    entry = find_entry(to_rows(short + complete), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.repetitions, entry.cells) == (3, 8)


def test_ignores_cells_of_one_repetition() -> None:
    few = density_rows(names=DS2, sizes=(14,), repetitions=1)
    entry = find_entry(to_rows(few + density_rows(names=DS2)), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.repetitions, entry.cells) == (3, 8)


def test_one_repetition_decides_nothing() -> None:
    entry = find_entry(to_rows(density_rows(names=DS2, repetitions=1)), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.verdict, entry.reason) == (NOT_MEASURED, "one repetition: no interval")
    assert entry.ours == "29.9 %"
    assert entry.interval == ""
    assert entry.command == "mallard bench density --ds 2 --reps 5"


def test_wide_interval_decides_nothing() -> None:
    rows = density_rows(names=DS2)
    for native in rows:
        if native["strategy"] in of_papers(3):
            native["cpu_ns"] = round(native["cpu_ns"] * (0.1, 1.0, 3.0)[native["repetition"]])
    entry = find_entry(to_rows(rows), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.verdict, entry.reason) == (NOT_MEASURED, "the interval is too wide to decide")


def test_one_structure_decides_no_general_claim() -> None:
    entry = find_entry(
        to_rows(density_rows(names=DS2)), "9 Analysis", "wink-out reduction, average over everything"
    )
    assert (entry.verdict, entry.command) == (NOT_MEASURED, "mallard bench density")
    assert entry.reason == "some cells of the claim were not measured"
    assert entry.figures == []


def test_newest_run_with_the_cells_decides() -> None:
    old = to_rows(density_rows(names=DS2))
    new = to_rows((), density_rows(names=("DS1",)))
    assert find_entry(old + new, "9 DS2", "monotonic AS3-AS6 average").run == 1
    assert find_entry(old + new, "9 DS1", "monotonic AS3-AS6 average").run == 2
    newer = to_rows((), (), density_rows(names=DS2, times=lambda *place: 10.0))
    entry = find_entry(old + newer, "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.run, entry.ours) == (3, "100 %")


def test_warm_buffer_is_preferred() -> None:
    cold = density_rows(names=DS2, times=lambda *place: 10.0)
    for native in cold:
        native["parameters"] = native["parameters"] | {"buffer": "cold"}
    entry = find_entry(to_rows(cold + density_rows(names=DS2)), "9 DS2", "monotonic AS3-AS6 average")
    assert entry.ours == "29.9 %"


def test_clang_rows_only_serve_clang_claims() -> None:
    names = ("DS5", "DS6", "DS7", "DS8")
    clang = density_rows(
        names=names,
        times=lambda ds, size, name: 20.0 if name in ("new-delete/base", "monotonic/base") else 10.0,
    )
    for native in clang:
        native["parameters"] = native["parameters"] | {"compiler": "clang++"}
    section, text = "7 general", "Clang: monotonic via abstract base vs default, DS5-DS8"
    gcc = density_rows(names=names)
    assert find_entry(to_rows(gcc), section, text).verdict == NOT_MEASURED
    assert find_entry(to_rows(gcc + clang), section, text).figures
    only_clang = find_entry(to_rows(clang), "7.5 DS5", "local better than global")
    assert only_clang.verdict == NOT_MEASURED


def test_times_of_another_machine_are_not_judged() -> None:
    rows = to_rows(utilization_rows(buffer="none"))
    entry = find_entry(rows, "9 B III", "first row (T=2^30;A=2^15;S=2^10): AS1 run time")
    assert entry.verdict == NOT_APPLICABLE
    assert entry.ours == "0.0214 s"


def test_judges_further_experiments() -> None:
    rows = to_rows(utilization_rows(buffer="none") + contention_rows(buffer="none") + locality_rows())
    first = find_entry(rows, "9 B III", "first row: AS3 relative to AS1 (0.277 s)")
    assert (first.verdict, first.ours) == (REPRODUCED, "400 %")
    pools = find_entry(rows, "10 B IV", "multipool-based strategies (AS7;AS9;AS11;AS13) over default")
    assert pools.verdict == NOT_REPRODUCED
    multipool = find_entry(rows, "8 B II", "degradation with local multipool, always below")
    assert multipool.verdict == REPRODUCED
    # Six list lengths and three access factors.
    assert multipool.cells == 18


def test_reuse_order_is_judged_by_variants() -> None:
    strategies = ("new-delete", "multipool-first", "multipool-last")
    rows = to_rows(locality_rows(strategies))
    entries = {entry.number: entry for entry in ledger(rows)}
    assert (entries["M4"].verdict, entries["M4"].ours) == (NOT_REPRODUCED, "1 x")
    assert entries["M5"].verdict == NOT_REPRODUCED


def test_setting_of_the_papers_beats_newer_runs() -> None:
    def deciding(*pages: str) -> int | None:
        natives = density_rows(names=DS2)
        rows = to_rows(
            *(
                [{**row, "parameters": {**row["parameters"], "pages": size}} for row in natives]
                for size in pages
            )
        )
        return find_entry(rows, "9 DS2", "monotonic AS3-AS6 range").run

    assert deciding("small", "huge") == 1
    assert deciding("small", "small") == 2, "the newest in one setting"
    assert deciding("huge") == 1, "no other setting is there"


def test_every_claim_has_an_entry_without_rows() -> None:
    entries = ledger([])
    assert [entry.number for entry in entries[:166]] == [str(number) for number in range(1, 167)]
    assert [entry.number for entry in entries[166:]] == [f"M{number}" for number in range(1, 8)]
    assert {entry.verdict for entry in entries} == {NOT_APPLICABLE, NOT_MEASURED}
    for entry in entries:
        if entry.verdict == NOT_APPLICABLE:
            assert entry.reason
        else:
            assert entry.command.startswith("mallard bench ")
    assert sum(counts(entries).values()) == len(entries)


# ---- suggested commands -----------------------------------------------------------------------


COMMANDS = sorted({(rule.command, rule.experiment) for rule in RULES.values()})


def measured_by(command: str) -> list[Row]:
    """The rows that a command produces, with 10 ns for every time."""
    request = _request(parse_command(command.split()[1:]).arguments)
    # The fake runner replaces the runner of every compiler.
    builds = load_builds(selected_compilers(replace(request, compilers=None)))
    plan = make_plan(request, builds.first, Host(64 << 30, 4), {})
    return to_rows(
        [
            {
                "experiment": row.experiment,
                "parameters": row.parameters,
                "strategy": strategy,
                "repetition": repetition,
                "seed": 1,
                "status": "ok",
                "cpu_ns": 10_000,
                "wall_ns": 10_000,
                "operations": 1000,
                "figures": figures_for(row.experiment, row.parameters),
            }
            for row in plan.rows
            for strategy in row.strategies
            for repetition in range(row.repetitions)
        ]
    )


def figures_for(experiment: str, parameters: dict[str, Any]) -> dict[str, float]:
    if experiment == "locality":
        return accesses(parameters)
    names = {
        "small-objects": ("allocate_ns", "free_ns", "reallocate_ns", "traverse_ns", "held_bytes"),
        "adaptive-pool": ("overhead_percent", "pool_bytes"),
        "expansion-forward": ("push_back_ns", "allocations"),
        "shrink-to-fit": ("shrink_ns",),
        "burst": ("insert_ns", "erase_ns"),
    }
    return dict.fromkeys(names.get(experiment, ()), 10.0)


def accesses(parameters: dict[str, Any]) -> dict[str, float]:
    return {
        f"sf{shuffled}_af{factor}_ns": 1.0
        for shuffled in parameters["shuffle_factors"].split(",")
        for factor in parameters["access_factors"].split(",")
    }


@pytest.mark.parametrize(("command", "experiment"), COMMANDS, ids=lambda value: str(value))
def test_suggested_command_measures_its_claims(command: str, experiment: str, fake: Any) -> None:
    entries = {(entry.document, entry.section, entry.text): entry for entry in ledger(measured_by(command))}
    rules: list[Rule] = [rule for rule in RULES.values() if rule.command == command]
    for rule in rules:
        entry = next(entry for entry in entries.values() if entry.rule == rule.name)
        assert entry.figures, f"{rule.name} finds nothing in the rows of '{command}'"
        assert entry.repetitions >= 3
