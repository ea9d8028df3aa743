"""The ledger: figures from rows, their verdicts, the commands for missing rows, and the views."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from synthetic_experiments import contention_rows, locality_rows, utilization_rows
from synthetic_run import RATIO, density_rows

from mallard.claims import (
    NOT_APPLICABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    Entry,
    counts,
    ledger,
)
from mallard.claims.claim import Claim, figure_text
from mallard.claims.judge import Estimate, disagreements, estimate, exact, vague
from mallard.claims.rule import Rule
from mallard.claims.rules import RULES
from mallard.claims.statement import (
    ABOUT,
    AS_LOW_AS,
    AT_LEAST,
    BELOW,
    BETWEEN,
    BUT_ONE,
    MIDDLE_AT_LEAST,
    MIDDLE_BELOW,
    MOSTLY_AT_LEAST,
    MOSTLY_BELOW,
    MOSTLY_CLOSE_TO,
    OCCASIONALLY,
    SOMETIMES,
    TYPICALLY,
    UP_TO,
    Statement,
)
from mallard.cli import understood
from mallard.cli.bench import _request
from mallard.plan import Host, make_plan, selected_compilers
from mallard.result import Row
from mallard.runner import load_builds
from mallard.strategy_names import of_papers

DS2 = ("DS2",)


def rows_of(natives: list[dict[str, Any]], run: int = 1) -> list[Row]:
    return [Row.from_native(run, native) for native in natives]


def entry_of(rows: list[Row], section: str, text: str) -> Entry:
    return next(entry for entry in ledger(rows) if (entry.section, entry.text) == (section, text))


def claim_of(low: float | None, high: float | None, unit: str = "x", metric: str = "speedup") -> Claim:
    return Claim("1", "P0089R1", "7", "made up", metric, low, high, unit, 0.5)


# ---- statements ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "low", "high", "agreeing", "differing"),
    [
        (BETWEEN, 4, 20, [3.6, 9, 20.4], [3.4, 9, 20]),
        (BETWEEN, 4, 20, [4, 20], [4, 20.6]),
        (BUT_ONE, 25, 32, [25, 28, 30, 32, 50], [25, 28, 30, 50, 51]),
        (TYPICALLY, 4, 20, [1, 12, 90], [1, 3, 90]),
        (ABOUT, 100, 100, [60, 100, 140], [60, 60, 100]),
        (ABOUT, 100, 100, [125], [126]),
        (UP_TO, None, 20, [1, 16], [1, 14.9]),
        (UP_TO, None, 20, [1, 25], [1, 25.1]),
        (AS_LOW_AS, 50, 50, [60, 100], [63, 100]),
        (AT_LEAST, 2, None, [2, 9], [1.9, 9]),
        (BELOW, None, 3, [0.1, 3], [0.1, 3.1]),
        (MOSTLY_AT_LEAST, 4, None, [1, *[4] * 19], [1, 1, 1, *[4] * 17]),
        (MOSTLY_CLOSE_TO, 2, None, [*[1.5] * 20], [*[1.4] * 20]),
        (MOSTLY_BELOW, None, 2, [9, *[2] * 19], [9, 9, 9, *[2] * 17]),
        (SOMETIMES, 8, 12, [*[1] * 8, 8, 9, 9], [*[1] * 19, 9]),
        (OCCASIONALLY, 12, 16, [*[1] * 30, 12], [*[1] * 30, 11]),
        (MIDDLE_AT_LEAST, 2, None, [0, 2, 2], [1, 1, 9]),
        (MIDDLE_BELOW, None, 75, [75, 75, 900], [1, 76, 76]),
    ],
    ids=lambda value: value.name if isinstance(value, Statement) else None,
)
def test_what_agrees_with_a_statement(
    statement: Statement, low: float | None, high: float | None, agreeing: list[float], differing: list[float]
) -> None:
    claim = claim_of(low, high)
    for cells, agrees in ((agreeing, True), (differing, False)):
        figures = exact(estimate([judged.pick(cells)]) for judged in statement.judged)
        assert (disagreements(claim, statement, figures) == []) is agrees, cells


def test_a_small_difference_in_percent_has_a_point_either_way() -> None:
    for metric, agrees in (("overhead_percent", True), ("percent_of_AS1", False)):
        claim = claim_of(1.0, 1.0, "percent", metric)
        for value in (0.05, 1.95):
            assert (disagreements(claim, ABOUT, [Estimate(value, value, value)]) == []) is agrees
    assert disagreements(claim_of(1.0, 1.0, "percent", "overhead_percent"), ABOUT, [Estimate(2.1, 2.1, 2.1)])


def test_an_exponent_of_two_may_be_one_off_and_not_a_quarter() -> None:
    claim = claim_of(18, 18, "log2", "log2_links")
    assert disagreements(claim, ABOUT, [Estimate(17, 17, 17)]) == []
    assert disagreements(claim, ABOUT, [Estimate(15, 15, 15)]) == ["2^15 is less than 2^17"]


def test_an_interval_that_touches_agrees_and_the_difference_is_told() -> None:
    claim = claim_of(None, 3.0)
    assert disagreements(claim, BELOW, [Estimate(4.0, 2.9, 5.1)]) == []
    assert disagreements(claim, BELOW, [Estimate(4.0, 3.1, 4.9)]) == ["4 x is more than 3 x"]
    assert disagreements(claim_of(3.0, None), AT_LEAST, [Estimate(2.0, 1.6, 2.4)]) == ["2 x is less than 3 x"]


def test_how_claims_are_printed() -> None:
    percent = claim_of(28.0, 67.0, "percent")
    assert BETWEEN.printed_text(percent) == "28 to 67 %"
    assert TYPICALLY.printed_text(percent) == "about 28 to 67 %"
    assert ABOUT.printed_text(claim_of(48.7, 48.7, "percent")) == "about 48.7 %"
    assert UP_TO.printed_text(claim_of(None, 6.0)) == "up to 6 x"
    assert MOSTLY_AT_LEAST.printed_text(claim_of(4.0, 8.0)) == "almost always at least 4 to 8 x"
    assert AT_LEAST.printed_text(claim_of(5.0, None)) == "at least 5 x"
    assert ABOUT.printed_text(claim_of(18.0, 18.0, "log2")) == "about 2^18"


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
def test_figures_have_three_digits(value: float, text: str) -> None:
    assert figure_text(value) == text


# ---- from rows to figures -----------------------------------------------------------------------------


def test_the_interval_is_students_over_the_repetitions() -> None:
    found = estimate([1.0, 2.0, 3.0])
    assert found.value == 2.0
    assert found.high - 2.0 == pytest.approx(4.3027 / math.sqrt(3), rel=1e-3)
    assert not estimate([2.0]).bounded


@pytest.mark.parametrize(
    ("metric", "statement", "figure", "is_vague"),
    [
        ("speedup", ABOUT, Estimate(10.0, 7.4, 12.6), True),
        ("speedup", ABOUT, Estimate(10.0, 7.5, 12.5), False),
        ("speedup", AT_LEAST, Estimate(30.0, 10.0, 50.0), False),  # wide, but all of it agrees
        ("overhead_percent", ABOUT, Estimate(0.0, -1.1, 1.1), True),
        ("overhead_percent", ABOUT, Estimate(0.0, -1.0, 1.0), False),
    ],
)
def test_a_wide_interval_agrees_only_if_all_of_it_does(
    metric: str, statement: Statement, figure: Estimate, is_vague: bool
) -> None:
    assert vague(claim_of(10, 10, "percent", metric), statement, [figure]) is is_vague


def test_a_figure_is_formed_in_each_repetition_and_judged_with_its_interval() -> None:
    rows = density_rows(names=DS2)
    for native in rows:
        if native["strategy"] in ("monotonic", "monotonic/wink", "monotonic/base", "monotonic/base/wink"):
            native["cpu_ns"] = round(native["cpu_ns"] * (0.95, 1.0, 1.05)[native["repetition"]])
    entry = entry_of(rows_of(rows), "9 DS2", "monotonic AS3-AS6 average")
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


def test_a_range_has_both_ends() -> None:
    entry = entry_of(rows_of(density_rows(names=DS2)), "9 DS2", "multipool+monotonic AS11-AS14 range")
    assert [round(each.value) for each in entry.figures] == [36, 44]
    assert entry.verdict == REPRODUCED
    assert entry.ours == "36 to 44 %"
    assert entry.interval.count(" to ") == 2
    assert "78.9 %" in entry.note


def test_repetitions_that_lack_cells_do_not_count() -> None:
    short = density_rows(names=DS2, sizes=(6,), repetitions=9)
    whole = density_rows(names=DS2, sizes=(10,))
    entry = entry_of(rows_of(short + whole), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.repetitions, entry.cells) == (3, 8)


def test_cells_of_one_repetition_do_not_take_the_interval_from_the_others() -> None:
    few = density_rows(names=DS2, sizes=(14,), repetitions=1)
    entry = entry_of(rows_of(few + density_rows(names=DS2)), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.repetitions, entry.cells) == (3, 8)


def test_one_repetition_decides_nothing_and_more_are_asked_for() -> None:
    entry = entry_of(rows_of(density_rows(names=DS2, repetitions=1)), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.verdict, entry.reason) == (NOT_MEASURED, "one repetition: no interval")
    assert entry.ours == "29.9 %"
    assert entry.interval == ""
    assert entry.command == "mallard bench density --ds 2 --reps 5"


def test_an_interval_too_wide_decides_nothing() -> None:
    rows = density_rows(names=DS2)
    for native in rows:
        if native["strategy"] in of_papers(3):
            native["cpu_ns"] = round(native["cpu_ns"] * (0.1, 1.0, 3.0)[native["repetition"]])
    entry = entry_of(rows_of(rows), "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.verdict, entry.reason) == (NOT_MEASURED, "the interval is too wide to decide")


def test_a_claim_about_all_structures_is_not_judged_by_one() -> None:
    entry = entry_of(
        rows_of(density_rows(names=DS2)), "9 Analysis", "wink-out reduction, average over everything"
    )
    assert (entry.verdict, entry.command) == (NOT_MEASURED, "mallard bench density")
    assert entry.reason == "some cells of the claim were not measured"
    assert entry.figures == []


def test_the_newest_run_with_the_cells_decides() -> None:
    old = rows_of(density_rows(names=DS2), run=1)
    new = rows_of(density_rows(names=("DS1",)), run=2)
    assert entry_of(old + new, "9 DS2", "monotonic AS3-AS6 average").run == 1
    assert entry_of(old + new, "9 DS1", "monotonic AS3-AS6 average").run == 2
    newer = rows_of(density_rows(names=DS2, times=lambda *place: 10.0), run=3)
    entry = entry_of(old + newer, "9 DS2", "monotonic AS3-AS6 average")
    assert (entry.run, entry.ours) == (3, "100 %")


def test_the_warm_buffer_is_judged_where_several_were_measured() -> None:
    cold = density_rows(names=DS2, times=lambda *place: 10.0)
    for native in cold:
        native["parameters"] = native["parameters"] | {"buffer": "cold"}
    entry = entry_of(rows_of(cold + density_rows(names=DS2)), "9 DS2", "monotonic AS3-AS6 average")
    assert entry.ours == "29.9 %"


def test_claims_about_clang_take_its_rows_and_no_others_do() -> None:
    names = ("DS5", "DS6", "DS7", "DS8")
    clang = density_rows(
        names=names,
        times=lambda ds, size, name: 20.0 if name in ("new-delete/base", "monotonic/base") else 10.0,
    )
    for native in clang:
        native["parameters"] = native["parameters"] | {"compiler": "clang++"}
    section, text = "7 general", "Clang: monotonic via abstract base vs default, DS5-DS8"
    gcc = density_rows(names=names)
    assert entry_of(rows_of(gcc), section, text).verdict == NOT_MEASURED
    assert entry_of(rows_of(gcc + clang), section, text).figures
    only_clang = entry_of(rows_of(clang), "7.5 DS5", "local better than global")
    assert only_clang.verdict == NOT_MEASURED


def test_times_of_the_authors_machine_are_shown_and_not_judged() -> None:
    rows = rows_of(utilization_rows(buffer="none"))
    entry = entry_of(rows, "9 B III", "first row (T=2^30;A=2^15;S=2^10): AS1 run time")
    assert entry.verdict == NOT_APPLICABLE
    assert entry.ours == "0.0214 s"


def test_figures_of_the_other_experiments() -> None:
    rows = rows_of(utilization_rows(buffer="none") + contention_rows(buffer="none") + locality_rows())
    first = entry_of(rows, "9 B III", "first row: AS3 relative to AS1 (0.277 s)")
    assert (first.verdict, first.ours) == (REPRODUCED, "400 %")
    pools = entry_of(rows, "10 B IV", "multipool-based strategies (AS7;AS9;AS11;AS13) over default")
    assert pools.verdict == NOT_REPRODUCED
    multipool = entry_of(rows, "8 B II", "degradation with local multipool, always below")
    assert multipool.verdict == REPRODUCED
    # Six list lengths and three access factors.
    assert multipool.cells == 18


def test_the_order_of_reuse_is_judged_by_the_variants() -> None:
    strategies = ("new-delete", "multipool-first", "multipool-last")
    rows = rows_of(locality_rows(strategies))
    entries = {entry.number: entry for entry in ledger(rows)}
    assert (entries["M4"].verdict, entries["M4"].ours) == (NOT_REPRODUCED, "1 x")
    assert entries["M5"].verdict == NOT_REPRODUCED


def test_the_papers_setting_decides_before_newer_runs() -> None:
    def deciding(*pages: str) -> int | None:
        rows = []
        for run, size in enumerate(pages, start=1):
            natives = density_rows(names=DS2)
            settings = [
                {**native, "parameters": {**native["parameters"], "pages": size}} for native in natives
            ]
            rows += rows_of(settings, run)
        return entry_of(rows, "9 DS2", "monotonic AS3-AS6 range").run

    assert deciding("small", "huge") == 1
    assert deciding("small", "small") == 2, "the newest in one setting"
    assert deciding("huge") == 1, "no other setting is there"


def test_without_rows_every_claim_has_its_place() -> None:
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


# ---- the commands that are told -----------------------------------------------------------------------


COMMANDS = sorted({(rule.command, rule.experiment) for rule in RULES.values() if rule.experiment})


def measured_by(command: str) -> list[Row]:
    """The rows that a command would make, every time 10 ns."""
    request = _request(understood(command.split()[1:]).arguments)
    # The fake runner stands for every compiler's.
    builds = load_builds(selected_compilers(replace(request, compilers=None)))
    plan = make_plan(request, builds.first, Host(64 << 30, 4), {})
    return rows_of(
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
                "figures": figures_of(row.experiment, row.parameters),
            }
            for row in plan.rows
            for strategy in row.strategies
            for repetition in range(row.repetitions)
        ]
    )


def figures_of(experiment: str, parameters: dict[str, Any]) -> dict[str, float]:
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
def test_the_command_that_is_told_measures_the_claim(command: str, experiment: str, fake: Any) -> None:
    entries = {(entry.document, entry.section, entry.text): entry for entry in ledger(measured_by(command))}
    told: list[Rule] = [rule for rule in RULES.values() if rule.command == command]
    for rule in told:
        entry = next(each for each in entries.values() if each.rule == rule.name)
        assert entry.figures, f"{rule.name} finds nothing in what '{command}' measures"
        assert entry.repetitions >= 3


def test_an_interval_of_both_ends_is_told() -> None:
    entry = entry_of(rows_of(density_rows(names=DS2)), "9 DS2", "monotonic AS3-AS6 range")
    assert entry.interval.count(";") == 1
