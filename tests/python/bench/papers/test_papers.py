"""The printed tables: complete, in place, and consistent with the papers' own aggregates."""

from __future__ import annotations

from statistics import mean

import pytest

from mallard.bench.papers.catalogue import (
    DISPATCH_PAIRS,
    SIZES_LOG2,
    WINK_OUT_PAIRS,
    Pair,
    strategies,
    strategy_text,
    structures,
)
from mallard.bench.papers.files import read_csv
from mallard.bench.papers.notes import notes_for
from mallard.bench.papers.printed import P0089, P0213
from mallard.bench.papers.registry import AVERAGES, own_table, table_named, tables_of

OWN_RUNS = [own_table(P0213, name) for name in structures()]
ALL_NAMES = [f"p0089:{number}" for number in range(3, 15)] + [
    f"p0213:{number}" for number in (*range(4, 9), *range(21, 43))
]


@pytest.mark.parametrize(
    ("file", "rows"),
    [
        ("strategies.csv", 14),
        ("data_structures.csv", 12),
    ],
)
def test_reads_every_row_of_a_source(file: str, rows: int) -> None:
    assert len(read_csv(file)) == rows


def test_registry_names_tables_of_benchmark_one() -> None:
    assert [table.name for table in tables_of("density")] == ALL_NAMES


@pytest.mark.parametrize("name", [name for name in ALL_NAMES if name != AVERAGES])
def test_table_has_eleven_sizes_and_fourteen_strategies(name: str) -> None:
    table = table_named(name)
    assert tuple(sorted(table.rows)) == tuple((size,) for size in SIZES_LOG2)
    for line in table.rows.values():
        assert list(line) == list(strategies())
        assert all(seconds and seconds > 0 for seconds in line.values())


def test_cells_match_the_papers() -> None:
    assert table_named("p0213:6").rows[11,]["new-delete/base"] == 32.13
    assert table_named("p0213:4").rows[6,]["new-delete"] == 0.42
    assert table_named("p0213:7").rows[16,]["multipool+monotonic/base/wink"] == 25.20
    assert table_named("p0089:3").rows[6,]["new-delete/base"] == 1.9
    assert table_named(AVERAGES).rows[0,]["multipool"] == 125.73
    assert table_named("p0213:25").rows[16,]["multipool+monotonic/base/wink"] == 0.21


def test_tables_follow_the_order_of_structures() -> None:
    assert [table_named(f"p0089:{number}").structure for number in range(3, 15)] == list(structures())
    assert [table_named(f"p0213:{number}").structure for number in range(33, 43)] == list(structures())[2:]
    assert [table_named(f"p0213:{number}").structure for number in range(21, 33)] == list(structures())


def test_copies_in_p0213_match_p0089() -> None:
    for number in range(3, 15):
        original, copy = table_named(f"p0089:{number}"), table_named(f"p0213:{number + 18}")
        assert copy.data_paper == "P0089"
        for (size,), line in original.rows.items():
            for name, seconds in line.items():
                # P0089R1 prints DS1 with one decimal, the copy with two.
                tolerance = 0.0501 if original.structure == "DS1" else 1e-9
                assert copy.rows[size,][name] == pytest.approx(seconds, abs=tolerance), (number, size, name)
    assert table_named("p0213:5").rows == table_named("p0213:21").rows
    assert table_named("p0213:7").rows == table_named("p0213:22").rows


def test_own_tables_are_the_papers_runs() -> None:
    assert own_table(P0213, "DS2").name == "p0213:6"
    assert own_table(P0213, "DS12").name == "p0213:42"
    assert own_table(P0089, "DS1").name in {"p0213:5", "p0213:21"}
    assert own_table(P0089, "DS12").name == "p0213:32"


def test_converts_seconds_to_nanoseconds_per_leaf() -> None:
    assert table_named("p0213:6").nanoseconds((14,), "new-delete") == pytest.approx(249.52, abs=0.01)
    assert table_named("p0213:6").percent_of_base((14,), "monotonic") == pytest.approx(29.14, abs=0.01)


@pytest.mark.parametrize("name", list(strategies())[1:])
def test_table_8_averages_its_tables(name: str) -> None:
    percents = [table.percent_of_base(key, name) or 0.0 for table in OWN_RUNS for key in table.rows]
    assert len(percents) == 132
    assert mean(percents) == pytest.approx(table_named(AVERAGES).percent_of_base((0,), name), abs=0.15)


def mean_change(pairs: tuple[Pair, ...]) -> float:
    changes = [line[b] / line[a] - 1 for table in OWN_RUNS for line in table.rows.values() for a, b in pairs]
    assert len(changes) == 132 * len(pairs)
    return 100 * mean(changes)


def test_wink_out_gain_averages_rows_and_pairs() -> None:
    """P0213 says 8.4 %; other means of the same cells (of sums, of inverses, of differences) give 5.4 to
    10.2.
    """
    assert -mean_change(WINK_OUT_PAIRS) == pytest.approx(8.4, abs=0.05)


def test_dispatch_cost_matches_within_rounding() -> None:
    """P0213 says 0.78 %; the printed seconds, rounded to 0.01, give 0.81."""
    assert mean_change(DISPATCH_PAIRS) == pytest.approx(0.813, abs=0.001)
    # new-delete against new-delete/base carries nearly all of it: over the local allocators alone it is a
    # tenth of a percent.
    assert mean_change(DISPATCH_PAIRS[:1]) == pytest.approx(5.11, abs=0.01)
    assert mean_change(DISPATCH_PAIRS[1:]) == pytest.approx(0.10, abs=0.01)


def test_rounding_explains_the_difference() -> None:
    """The sum of the largest roundings of each cell spans 0.02 to 1.6 %, so 0.78 % is possible with the
    same formula.
    """
    half = 0.005
    ends = [
        100
        * mean(
            (line[b] + sign * half) / (line[a] - sign * half) - 1
            for table in OWN_RUNS
            for line in table.rows.values()
            for a, b in DISPATCH_PAIRS
        )
        for sign in (-1, 1)
    ]
    assert ends[0] < 0.78 < ends[1]


@pytest.mark.parametrize("name", ALL_NAMES)
def test_every_table_has_notes_with_sources(name: str) -> None:
    notes = notes_for(table_named(name))
    assert notes
    assert all(note.text and note.source and note.kind in {"error", "departure", "reading"} for note in notes)


def test_notes_concern_their_tables_only() -> None:
    def texts(name: str) -> str:
        return " ".join(note.text for note in notes_for(table_named(name)))

    assert "2,560" in texts("p0213:6")
    assert "2,560" not in texts("p0213:7"), "table 7 is P0089's data"
    assert "transposed" in texts("p0213:7")
    assert "78.9 %" in texts("p0213:6")
    assert "global counter" in texts("p0213:41")
    assert "global counter" not in texts("p0213:4"), "a vector hashes nothing"
    assert "its address" in texts("p0089:13")
    assert "210 %" in texts("p0213:8")


def test_describes_strategies() -> None:
    assert strategy_text("multipool+monotonic/wink") == "bound by type parameter, winked out", (
        "the name has the rest"
    )
    assert strategy_text("new-delete") == "global default, bound by type parameter, destroyed normally"
    assert strategy_text("heap/base/wink@jemalloc").endswith(
        "behind the abstract base, winked out, under jemalloc"
    )
    assert strategy_text("new-delete-keep").startswith("global default, page return off")
    assert strategy_text("unheard-of") == "unheard-of"
