"""`mallard bench --against`: the table, its verdict, and the errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report_lines import screen
from synthetic_rows import failed_row, native_row

from mallard.bench.analysis.against import PARTS, Line, build_lines, mean, rival_strategies, verdict
from mallard.bench.expected_runner import expected_runner
from mallard.bench.plan import Host, make_plan
from mallard.bench.result import Row
from mallard.bench.view.against import against_report
from mallard.cli import main, parse_command
from mallard.shared.errors import UsageError
from mallard.shared.report.model import Figure, Mood, Paragraph

Native = dict[str, Any]

PROGRAM = {"program": "json", "size": "small", "operations": 100_000}
DENSITY = {"ds": "DS3", "size_log2": 12, "inner_log2": 0, "product_log2": 20, "hash": "full"}
REUSE = {"block_bytes": 512, "live": 4096, "pattern": "random", "sizes": "mixed", "operations": 1000}
FREED_BY_OWNER = {"threads": 2, "block_log2": 8, "iterations_log2": 15, "freed_by": "self"}
FREED_BY_OTHER = {"threads": 2, "block_log2": 6, "iterations_log2": 15, "freed_by": "other"}


def cell(experiment: str, parameters: Native, times: dict[str, float]) -> list[Row]:
    """Five repetitions; each is a percent longer than the one before."""
    rows = [
        native_row(experiment, parameters, name, repetition, ns * (1 + 0.01 * repetition), 1000)
        for name, ns in times.items()
        for repetition in range(5)
    ]
    return [Row.from_native(1, row) for row in rows]


def program(name: str, times: dict[str, float]) -> list[Row]:
    return cell("programs", PROGRAM | {"program": name}, times)


def measured() -> list[list[Row]]:
    return [
        program("graph", {"new-delete": 100, "new-delete@mi": 50, "multipool": 40, "multipool/inline": 50})
        + program("json", {"new-delete": 100, "new-delete@mi": 80, "multipool": 50, "multipool/inline": 40}),
        cell(
            "density",
            DENSITY,
            {
                "new-delete": 100,
                "new-delete@mi": 50,
                "multipool": 40,
                "multipool/inline": 44,
                "monotonic/wink": 20,
            },
        )
        + cell(
            "density", DENSITY | {"ds": "DS11"}, {"new-delete": 100, "new-delete@mi": 50, "multipool": 50}
        ),
        cell("reuse", REUSE, {"new-delete": 100, "new-delete@mi": 20, "multipool": 30}),
        cell("contention", FREED_BY_OWNER, {"new-delete": 100, "new-delete@mi": 50, "multipool": 20}),
        cell(
            "contention", FREED_BY_OTHER, {"new-delete": 100, "new-delete@mi": 10, "concurrent-multipool": 8}
        ),
    ]


def lines() -> list[Line]:
    return build_lines(measured())


def test_lines_follow_parts_and_values() -> None:
    assert [(line.part, line.cell) for line in lines()] == [
        ("programs", "json"),
        ("programs", "graph"),
        ("build and destroy", "set<int>, 2^12"),
        ("build and destroy", "set<set<int>>, 2^12"),
        ("free, allocate again", "16 to 512 B, 2^12, random"),
        ("2 threads, own frees", "blocks of 2^8 bytes"),
        ("2 threads, the other frees", "blocks of 2^6 bytes"),
    ]
    assert rival_strategies(lines()) == ["new-delete@mi"]


def test_one_strategy_represents_mallard() -> None:
    assert [line.ours for line in lines()] == ["multipool"] * 6 + ["concurrent-multipool"]
    average = mean(lines()[2:], "")
    assert average.median == pytest.approx((0.4 + 0.5 + 0.3 + 0.2 + 0.08) / 5)


def test_programs_decide_first() -> None:
    assert verdict(lines(), "new-delete@mi")[0] == (
        "In 2 programs multipool is faster than mi: it takes 71 % (71 to 71) of mi's time, geometric mean; "
        "multipool/inline 71 % (71 to 71). multipool is faster in 2, slower in 0, beyond the interval."
    )


@pytest.mark.parametrize(
    ("graph", "json", "sentence"),
    [
        (60, 104, "multipool is slower than mi: it takes 125 % (125 to 125) of mi's time, geometric mean. "),
        (50, 80, "multipool is as fast as mi: it takes 100 % (100 to 100) of mi's time, geometric mean. "),
    ],
)
def test_reports_a_malloc_that_is_ahead(graph: float, json: float, sentence: str) -> None:
    rows = measured()
    rows[0] = program("graph", {"new-delete": 100, "new-delete@mi": 50, "multipool": graph})
    rows[0] += program("json", {"new-delete": 100, "new-delete@mi": 80, "multipool": json})
    first = verdict(build_lines(rows), "new-delete@mi")[0]
    assert sentence in first
    named = "slower in 2, beyond the interval: json (130 %) and graph (120 %)."
    assert first.endswith(named if graph > 50 else "slower in 0, beyond the interval.")


def test_verdict_names_cells_to_preload_for() -> None:
    _, average, by_part, counts, right = verdict(lines(), "new-delete@mi")
    assert by_part == (
        "By part, mi and mallard: build and destroy (2) 50 % : 45 %; free, allocate again (1) 20 % : 30 %; "
        "2 threads, own frees (1) 50 % : 20 %; 2 threads, the other frees (1) 10 % : 8 %."
    )
    assert average == (
        "In the other parts, which explain, preloading mi takes 36 % (36 to 36) of glibc's time on average, "
        "and mallard 30 % (30 to 30)."
    )
    assert counts == "There mallard is faster than mi in 3 of 5 cells, slower in 1, beyond the interval."
    assert right == (
        "Preload mi for: free, allocate again: 16 to 512 B, 2^12, random "
        "(mallard takes 150 % (150 to 150) of it)."
    )


def test_losing_malloc_is_not_recommended() -> None:
    kept = [line for line in lines() if "16 to" not in line.cell]
    assert not any(sentence.startswith("Preload") for sentence in verdict(kept, "new-delete@mi"))


def test_names_cells_that_dominate_a_mean() -> None:
    rows = measured()
    rows[2] = cell("reuse", REUSE, {"new-delete": 100, "new-delete@mi": 300, "multipool": 30})
    carried = verdict(build_lines(rows), "new-delete@mi")[2]
    assert carried == (
        "Without the cells that carry its mean (free, allocate again: 16 to 512 B, 2^12, random), mi and "
        "mallard: 40 % : 30 %."
    )


def test_unfinished_cell_has_its_reason() -> None:
    rows = measured()
    failed = failed_row("density", DENSITY, "new-delete@other", 0, "timed_out", "")
    rows[1].append(Row.from_native(1, failed))
    table = build_lines(rows)
    assert rival_strategies(table) == ["new-delete@mi", "new-delete@other"]
    assert verdict(table, "new-delete@other") == ["other finished in no cell that mallard finished."]
    (row,) = [row for row in cells(table) if row[0] == "  set<int>, 2^12"]
    assert row[2] == "time"


def cells(table: list[Line]) -> list[tuple[object, ...]]:
    (block,) = against_report(table).sections[0].blocks
    return [row.cells for row in block.rows]


def test_report_has_a_row_for_each_part_and_cell() -> None:
    rows = cells(lines())
    assert [row[0] for row in rows[:4]] == ["programs", "  json", "  graph", "build and destroy"]
    (row,) = [row for row in rows if row[0] == "  set<int>, 2^12"]
    values = [cell.value if isinstance(cell, Figure) else cell for cell in row[1:]]
    assert values == [pytest.approx(0.5), pytest.approx(0.4), pytest.approx(0.44), None, pytest.approx(0.2)]
    assert [cell.mood for cell in row[1:] if isinstance(cell, Figure)] == [None, None, None, Mood.GOOD]


def test_report_answers_with_the_verdict() -> None:
    report = against_report(lines())
    first, *others = verdict(lines(), "new-delete@mi")
    assert report.answer.text == first
    assert report.sections[1].blocks == tuple(map(Paragraph, others))
    assert "monotonic/wink: a region that ends as a whole, without destructors" in report.notes


def test_table_fits_eighty_columns() -> None:
    shown = screen(against_report(lines()))
    assert not any("\u2026" in line for line in shown)
    assert max(map(len, shown)) <= 80


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.heading)
def test_plans_every_part(part: Any) -> None:
    plan = make_plan(part.request("glibc"), expected_runner(), Host(16 << 30, 2))
    assert {name for row in plan.rows for name in row.strategies} >= {"new-delete", *part.strategies}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--against", "--against: its value is missing\nsee 'mallard bench --help'"),
        ("--against=", "--against '' selects nothing; allowed are glibc, jemalloc, mimalloc, tcmalloc"),
        ("--against glibc", "--against 'glibc': every percent is of it"),
        ("--against mimaloc", "--against 'mimaloc' is unknown (did you mean mimalloc?)"),
        ("--against /no/such.so", "--against '/no/such.so': there is no file /no/such.so"),
        ("density --against jemalloc", "--against measures cells of its own; leave 'density' out"),
        ("--against jemalloc --quick", "--quick: --against takes only --reps, --seed, --no-pin, --db,"),
        ("--against jemalloc --malloc glibc", "--malloc: --against takes only --reps, --seed, --no-pin,"),
    ],
)
def test_rejects_a_wrong_malloc_before_setup(words: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_command(["bench", *words.split()])
    assert message in str(error.value)


def test_rejects_a_missing_malloc_before_measuring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mallard.cli.verbs.bench.find_library", lambda name: None)
    database = tmp_path / "mallard.db"
    assert main(["bench", "--against", "jemalloc", "--db", str(database)]) == 2
    assert "--against 'jemalloc': its library is not installed" in capsys.readouterr().err
    assert not database.exists()
