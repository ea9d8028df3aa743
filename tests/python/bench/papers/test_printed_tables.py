"""The printed tables of Benchmarks II to V: complete, under the right columns, consistent with the papers'
own seconds, and compared with this machine's figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from report_lines import lines, report_of
from synthetic_experiments import (
    CONTENTION_NS,
    UTILIZATION_RATIO,
    access_ns,
    contention_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_run import write_run

from mallard.bench.papers.notes import notes_for
from mallard.bench.papers.registry import all_tables, in_ranges, table_named
from mallard.bench.strategy_names import of_papers
from mallard.cli import main
from mallard.shared.errors import UsageError

NAMES = [
    *(f"p0089:{number}" for number in range(3, 22)),
    *(f"p0089:III-{total}" for total in range(30, 36)),
    *(f"p0089:IV-{n}-{s}" for n, s in ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))),
    *(f"p0213:{number}" for number in range(4, 72)),
    *("loki:memory", "loki:time-in-order", "loki:time-shuffled"),
    "optimized:times",
]


def texts(name: str) -> str:
    return " ".join(note.text for note in notes_for(table_named(name)))


def test_registry_follows_the_order_of_papers() -> None:
    assert list(all_tables()) == NAMES


def test_joins_neighbours_to_ranges() -> None:
    names = ["p0089:3", "p0089:4", "p0089:5", "p0089:III-35", "p0089:IV-15-6", "p0213:4"]
    assert in_ranges(names) == ["p0089:3 to p0089:5", *names[3:]]
    assert in_ranges(["p0213:12", "p0213:13", "p0213:47"]) == ["p0213:12", "p0213:13", "p0213:47"]
    assert in_ranges([name for name in NAMES if name.startswith("loki")]) == [
        *("loki:memory", "loki:time-in-order", "loki:time-shuffled")
    ]


def test_list_shows_all_tables_and_naming(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["show", "tables", "--all"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if re.match(r"p0|loki:|optimized:", line)] == NAMES
    assert "III-T (T as an exponent of two) and IV-N-S" in " ".join(shown.split())


def test_every_figure_is_in_a_table() -> None:
    def cells(names: Sequence[str]) -> int:
        return sum(len(line) for name in names for line in table_named(name).rows.values())

    assert cells([f"p0089:{number}" for number in range(16, 22)]) == 1296
    assert cells([name for name in NAMES if "III" in name]) == 528
    assert cells([name for name in NAMES if "IV" in name]) == 448
    assert cells([f"p0213:{number}" for number in (9, 10, 11, 43, 44, 45, 46)]) == 1386
    assert cells([f"p0213:{number}" for number in (12, *range(47, 58))]) == 1056
    assert cells([f"p0213:{number}" for number in (14, 16, *range(58, 72))]) == 1024
    assert cells([f"p0213:{number}" for number in range(17, 21)]) == 442
    # Without the shuffling of unshuffled lists, 12 zeroes, and the speed-ups that follow from the times,
    # 5.
    assert cells([name for name in NAMES if name.startswith("loki")]) == 78 - 12
    assert cells(["optimized:times"]) == 15 - 5


@pytest.mark.parametrize("name", ["p0213:72", "p0213:3", "p0089:2", "p0089:III-36", "6", "", "n4000:1"])
def test_rejects_an_unknown_table(name: str) -> None:
    with pytest.raises(UsageError, match=r"p0089:III-30.*p0213:4 to p0213:71.*mallard show tables"):
        table_named(name)


def test_cells_match_the_papers() -> None:
    assert table_named("p0089:15").rows[(10**6,)]["9"] == 16.2
    assert table_named("p0089:16").rows[(1,)]["1"] == 4.06
    assert table_named("p0089:17").rows[(1 << 24,)]["256"] == 0.5
    assert table_named("P0089:iii-30").rows[(30, 15, 10)]["monotonic"] == 440
    assert table_named("p0089:III-35").rows[(35, 20, 15)]["multipool+monotonic/base"] is None
    assert table_named("p0089:IV-15-6").rows[(1,)]["multipool/base"] == 26
    assert table_named("p0213:9").rows[(1 << 21,)]["256"] == 1.01
    assert table_named("p0213:14").rows[(4,)]["multipool"] == 76
    assert table_named("p0213:20").rows[()]["multipool"] == 0.78
    assert table_named("loki:time-shuffled").rows[(50, 2)] == {"new-delete": 0.149, "loki": 13.875}
    assert table_named("Loki:Memory").rows[(1,)] == {"new-delete": 57196, "loki": 30012}
    assert table_named("optimized:times").rows[(2,)] == pytest.approx(
        {"new-delete": 76.2e-6, "fixed block": 11.6e-6}
    )


def test_corrects_shifted_columns() -> None:
    for name in ("p0213:18", "p0213:19"):
        table = table_named(name)
        assert table.columns == [*of_papers(1, 13)]
        assert {line["new-delete"] for line in table.rows.values()} == {1.0}
        assert "under wrong headings" in texts(name)
    assert table_named("p0213:17").columns == [*of_papers(2)]
    assert "under wrong headings" not in texts("p0213:17")


@pytest.mark.parametrize(
    ("percents", "seconds"), [("12", "47"), ("53", "48"), ("57", "52"), ("14", "58"), ("16", "65")]
)
def test_percents_follow_from_seconds(percents: str, seconds: str) -> None:
    shown, absolute = table_named(f"p0213:{percents}"), table_named(f"p0213:{seconds}")
    for key, line in shown.rows.items():
        for name in line:
            printed, computed = shown.percent_of_base(key, name), absolute.percent_of_base(key, name)
            # Seconds have three decimals: of 0.002 s a unit in the last place is half.
            coarse = 60.0 * 0.001 / (absolute.rows[key]["new-delete"] or 1.0)
            assert computed == pytest.approx(printed, rel=0.02 + coarse), (key, name)


def test_ratios_follow_from_seconds() -> None:
    for ratio, above, below in (("9", "44", "43"), ("10", "46", "45"), ("11", "46", "44")):
        for key, line in table_named(f"p0213:{ratio}").rows.items():
            for factor, printed in line.items():
                over = table_named(f"p0213:{above}").rows[key][factor]
                under = table_named(f"p0213:{below}").rows[key][factor]
                assert over / under == pytest.approx(printed, rel=0.02, abs=0.006), (ratio, key, factor)


def test_converts_seconds_to_nanoseconds_per_operation() -> None:
    assert table_named("p0089:III-30").nanoseconds((30, 15, 10), "new-delete") == pytest.approx(
        0.063e9 / 2**20
    )
    assert table_named("p0089:III-30").nanoseconds((30, 15, 10), "multipool") == pytest.approx(
        0.46 * 0.063e9 / 2**20
    )
    assert table_named("p0089:III-35").nanoseconds((35, 20, 10), "monotonic") is None
    assert table_named("p0213:58").nanoseconds((1,), "new-delete") == pytest.approx(0.103e9 / (100 * 2**15))
    assert table_named("loki:time-in-order").nanoseconds((1, 2), "loki") == pytest.approx(50.0)
    assert table_named("loki:memory").nanoseconds((20,), "loki") == pytest.approx(45720 * 1024 / 1e6)
    assert table_named("optimized:times").nanoseconds((3,), "new-delete") == pytest.approx(142_000.0)
    assert table_named("p0213:43").nanoseconds((1,), "256") == pytest.approx(
        (table_named("p0213:43").rows[(1,)]["256"] or 0) * 1e9 / (2560 * 2**21)
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p0213:13", "T = 2^31"),
        ("p0213:16", "N = 2^15"),
        ("p0089:17", "bad runs"),
        ("p0089:21", "bad runs"),
        ("p0089:19", "bad run"),
        ("p0089:IV-15-6", "0.041 s"),
        ("p0213:14", "43 %"),
        ("p0213:15", "33 %"),
        ("p0213:12", "6 %"),
        ("p0213:19", "vector<string>"),
        ("p0213:70", "forks processes"),
    ],
)
def test_known_errors_are_notes(name: str, message: str) -> None:
    assert message in texts(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_notes_with_sources(name: str) -> None:
    notes = notes_for(table_named(name))
    assert notes
    assert all(note.text and note.source and note.kind in {"error", "departure", "reading"} for note in notes)


# ---- compared with this machine ----------------------------------------------------------------------------


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """The lines of the report of `mallard show table` for synthetic rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)

    def shown(rows: list[dict[str, Any]], *words: str) -> list[list[str]]:
        if rows:
            write_run(tmp_path / "mallard.db", rows)
        return lines(report_of("show.table", "show", "table", *words))

    return shown


def lines_from(shown: list[list[str]], *start: str) -> list[list[str]]:
    return shown[next(n for n, line in enumerate(shown) if line[: len(start)] == list(start)) :]


def degradation(strategy: str, length: int, factor: int) -> float:
    links = 1 << 21
    return access_ns(strategy, links, length, 5, factor) / access_ns(strategy, links, length, 0, factor)


@pytest.mark.parametrize(
    ("name", "strategy"), [("p0089:16", "new-delete"), ("p0089:18", "multipool"), ("p0213:10", "multipool")]
)
def test_compares_degradation_with_print(show: Any, name: str, strategy: str) -> None:
    measured, printed, ratio = lines_from(show(locality_rows(), name), "2^12", "here")[:3]
    columns = [str(1 << exponent) for exponent in range(8, -1, -1)]
    for factor in (256, 16, 1):
        index = columns.index(str(factor))
        assert float(measured[2 + index]) == pytest.approx(degradation(strategy, 1 << 12, factor), abs=0.06)
        printed_value = float(printed[1 + index])
        assert printed_value == pytest.approx(table_named(name).rows[(1 << 12,)][str(factor)], rel=0.02)
    # An access factor that was not measured has no ratio.
    assert measured[2 + columns.index("64")] == "-"
    assert float(ratio[1]) == pytest.approx(float(measured[2]) / float(printed[1]), rel=0.03)


def test_improvement_divides_two_degradations(show: Any) -> None:
    measured = lines_from(show(locality_rows(), "p0089:20"), "2^18", "here")[0]
    expected = degradation("new-delete", 1 << 18, 256) / degradation("multipool", 1 << 18, 256)
    assert float(measured[2]) == pytest.approx(expected, rel=0.01)


def test_shuffled_times_are_local_over_global(show: Any) -> None:
    measured = lines_from(show(locality_rows(), "p0213:11"), "2^18", "here")[0]
    links = 1 << 21
    expected = access_ns("multipool", links, 1 << 18, 5, 256) / access_ns(
        "new-delete", links, 1 << 18, 5, 256
    )
    assert float(measured[2]) == pytest.approx(expected, abs=0.006)


def test_compares_absolute_access_times(show: Any) -> None:
    measured, printed, ratio = lines_from(show(locality_rows(), "p0213:44"), "2^12", "here")[:3]
    assert float(measured[2]) == pytest.approx(
        1.02 * access_ns("new-delete", 1 << 21, 1 << 12, 5, 256), rel=0.01
    )
    assert float(ratio[1]) == pytest.approx(float(measured[2]) / float(printed[1]), rel=0.02)


def test_compares_the_onset_of_shuffling(show: Any) -> None:
    measured, printed = lines_from(show(shuffle_table_rows(), "p0089:15"), "10^6", "here")[:2]
    assert [float(word.rstrip("=")) for word in measured[2:5]] == pytest.approx([1.0, 4.6, 4.96], abs=0.02)
    assert printed[1:4] == ["1.00", "11.4", "15.6"]


def test_utilization_is_in_percent_of_base(show: Any) -> None:
    shown = show(utilization_rows(), "p0089:III-30")
    measured, printed, ratio = lines_from(shown, "30", "15", "10", "here")[:3]
    assert measured[4:] == ["20.4", "105", "400", "410", "40", "50", "45", "55"]
    assert printed[1:4] == ["60.1", "103", "440"]
    assert float(ratio[4]) == pytest.approx(UTILIZATION_RATIO["monotonic/base"] / 4.35, abs=0.006)


def test_shows_failures_on_both_sides(show: Any) -> None:
    measured, printed, _ = lines_from(show(utilization_rows(), "p0089:III-35"), "35", "20", "10", "here")[:3]
    assert measured[6:8] == ["mem", "mem"]
    assert printed[3:5] == ["fail", "fail"]


def test_compares_contention_by_buffer(show: Any) -> None:
    rows = contention_rows() + contention_rows(buffer="none")
    shown = show(rows, "p0213:14")
    assert sum(line[:2] == ["here:", "run"] for line in shown) == 2
    measured = lines_from(shown, "2", "here")[0]
    assert measured[2] == "20.4"
    assert float(measured[6]) == pytest.approx(100 * CONTENTION_NS["multipool"] / 20, abs=0.6)


def test_ignores_contention_of_different_blocks(show: Any) -> None:
    shown = show(contention_rows(sizes=((15, 6),)), "p0089:IV-15-7")
    assert ["Not", "measured", "here"] in [line[:3] for line in shown]


def test_compares_r_and_its_mean(show: Any) -> None:
    rows = fragmentation_rows(names=("DS2",))
    measured = lines_from(show(rows, "p0213:19"), "2^10", "here")[0]
    assert measured[2:5] == ["1.00", "1.00=", "0.80"]
    shown = show([], "p0213:20")
    assert lines_from(shown, "here")[0][1:4] == ["1.00", "0.80", "0.80"]


def test_shows_print_and_command_without_rows(show: Any) -> None:
    for name, command in (
        ("p0089:18", "locality"),
        ("p0213:19", "fragmentation --ds 2"),
        ("p0213:52", "utilization"),
    ):
        assert ["mallard", "bench", *command.split()] in show([], name)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["p0089:18", "--nanoseconds"], "ratios only"),
        (["p0213:44", "--nanoseconds"], "in nanoseconds already"),
    ],
)
def test_rejects_options_that_do_not_apply(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "table", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["p0089:16", "p0089:III-30", "p0213:14", "p0213:19", "p0213:20", "p0213:43"])
def test_tables_fit_eighty_columns(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["show", "table", name]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "printed" in line.split()[:4]]
    assert rows
    assert max(map(len, rows)) <= 80
