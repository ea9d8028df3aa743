"""The printed tables: complete, in place, and consistent with the papers' own aggregates."""

from __future__ import annotations

import pytest

from mallard.bench.papers.catalogue import (
    SIZES_LOG2,
    strategies,
    strategy_text,
    structures,
)
from mallard.bench.papers.notes import notes_for
from mallard.bench.papers.printed import P0089, P0213
from mallard.bench.papers.registry import AVERAGES, own_table, table_named, tables_of

ALL_NAMES = [f"p0089:{number}" for number in range(3, 15)] + [
    f"p0213:{number}" for number in (*range(4, 9), *range(21, 43))
]


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
