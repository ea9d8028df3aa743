"""The terminal's views of locality, utilization, contention and fragmentation, from rows whose figures are
known beforehand.
"""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from synthetic_experiments import (
    ALL_LOCALITY,
    PRIVATE,
    SHARED,
    contention_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_rows import failed_row

from mallard.bench.analysis.labels import column_words
from mallard.bench.result import Row
from mallard.bench.store import Run
from mallard.bench.strategy_names import of_papers
from mallard.bench.view.terminal import show_run
from mallard.bench.view.terminal.progress import ProgressDisplay
from mallard.bench.view.terminal.table import Block, block, fitting, show_beside
from mallard.shared.view.terminal.console import PlainConsole

Natives = list[dict[str, Any]]
AF = tuple(2**exponent for exponent in range(8, -1, -1))


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def make_run(experiment: str) -> Run:
    return Run(
        id=4,
        started="2026-01-02T03:04:05+00:00",
        finished=None,
        experiment=experiment,
        command="mallard bench",
        scale="quick",
        seed=1,
        repetitions=3,
        identity="",
        options={},
        machine={"cpu": "Made-up Processor", "cores": 2, "libc": "glibc 2.36"},
        runner={"compiler": "g++ 12"},
        commit="abc",
        load_start=0.0,
        load_end=0.0,
    )


def make_console(width: int, *, colour: bool = False) -> Console:
    return PlainConsole(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )


def console_text(console: Console) -> str:
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def shown(natives: Natives, width: int = 120, *, colour: bool = False) -> str:
    console = make_console(width, colour=colour)
    rows = [Row.from_native(4, native) for native in natives]
    show_run(console, make_run(rows[0].experiment), rows, everything=True)
    return console_text(console)


def table_below(text: str, title: str) -> list[list[str]]:
    """The words of the lines from below a title to the next empty line."""
    lines = text[text.index(title) :].splitlines()[1:]
    return [line.split() for line in lines[: [line.strip() for line in lines].index("")]]


# ---- locality -----------------------------------------------------------------------------------------


def test_locality_shows_degradation_by_length_and_factor() -> None:
    text = shown(locality_rows(access_factors=AF), 80)
    heads, first, second, *_ = table_below(text, "new-delete: shuffled / unshuffled")
    assert heads == ["|S|", *(f"2^{exponent}" for exponent in range(8, -1, -1))]
    assert first == ["2^21", *["1.00="] * 9]
    assert (second[0], second[1], second[-1]) == ("2^18", "4.47", "7.91")


def test_locality_compares_shuffled_times_with_as1() -> None:
    text = shown(locality_rows(access_factors=AF), 80)
    assert table_below(text, "multipool / new-delete, both shuffled")[2][-1] == "0.20"
    assert table_below(text, "new-delete: ns an access, shuffled")[2][-1] == "8.07"


def test_locality_shows_costs_besides_accesses() -> None:
    text = shown(locality_rows(), 80)
    heads, first, *_ = table_below(text, "multipool: beside the accesses")
    assert heads == ["|S|", "lists", "build", "move", "refill", "again", "built", "after"]
    assert first == ["2^21", "2^0", "5.10", "40.8", "10.2", "2.04", "32.0", "48.0"]


def test_table_15_has_shuffle_factor_columns() -> None:
    text = shown(shuffle_table_rows(), 80)
    heads, first, second, *_ = table_below(text, "new-delete: after n shuffles / before, af = 10")
    assert heads == ["|S|", *map(str, range(10))]
    assert first[:3] == ["10^7", "1.00=", "1.00="]
    assert second[:4] == ["10^6", "1.00=", "4.60", "4.96"]


def test_locality_ends_with_answer() -> None:
    text = " ".join(shown(locality_rows(ALL_LOCALITY)).split())
    assert "multipool-lowest pays at every access factor for |S| = 2^4 to 2^18" in text
    assert "slowest multipool-random" in text


def test_out_of_memory_length_is_marked() -> None:
    natives = locality_rows(("new-delete", "multipool"), (512, 1))
    parameters = natives[-1]["parameters"]
    natives = [
        native
        for native in natives
        if native["strategy"] == "new-delete" or native["parameters"]["list_length"] != 1
    ]
    natives.append(failed_row("locality", parameters, "multipool", 0, "out_of_memory", "needs 64 GiB"))
    assert table_below(shown(natives, 40), "multipool: shuffled / unshuffled")[2] == ["2^0", "mem"]


def test_blocks_are_side_by_side_if_possible() -> None:
    natives = locality_rows(("new-delete", "multipool"), access_factors=AF)
    titles = "new-delete: shuffled / unshuffled", "new-delete: ns an access, shuffled"
    assert any(all(title in line for title in titles) for line in shown(natives, 120).splitlines())
    assert not any(all(title in line for title in titles) for line in shown(natives, 80).splitlines())


# ---- utilization and contention -----------------------------------------------------------------------


def test_utilization_has_lines_by_t_a_s() -> None:
    text = shown(utilization_rows(), 80)
    lines = [line.split() for line in text.splitlines() if line.startswith("2^") and "," not in line]
    assert lines[0] == [
        *("2^30", "2^15", "2^10", "5.0", "20.4", "105", "400!", "410!", "40*", "50", "45", "55")
    ]
    assert lines[-1][:8] == ["2^35", "2^20", "2^10", "5.0", "20.4", "105", "mem", "mem"]
    assert "buffer cold, final frees timed" in text
    assert "Held at the end, at most: null 1.0 MiB" in text


def test_contention_shows_wall_time_and_cpu_time() -> None:
    text = shown(contention_rows(), 80)
    wall = [line.split() for line in text[: text.index("CPU ns")].splitlines() if line.startswith("2^")]
    assert wall[1] == [
        *("2^15", "2^6", "2", "20.4", "110", "25", "30", "6.0*", "12", "6.5", "13", "20", "300")
    ]
    cpu = [line.split() for line in text[text.index("CPU ns") :].splitlines() if line.startswith("2^")]
    assert cpu[1][-2:] == ["4.08", "61.2"]
    assert "2 threads, sharing" in text
    assert "The slowest thread by the fastest, at most: new-delete 1.11, new-delete/base 1.11" in " ".join(
        text.split()
    )


def test_shared_allocators_form_a_family() -> None:
    heads = shown(contention_rows(PRIVATE + SHARED)).splitlines()[3:6]
    assert re.search("_shared_+$", heads[0])
    assert heads[1].split()[-2:] == ["concur-", "synchro-"]
    assert heads[2].split()[-2:] == ["rent", "nized"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new-delete", ("type", "")),
        ("multipool/base/wink", ("/base", "/wink")),
        ("new-delete@jemalloc", ("type", "jemalloc")),
        ("new-delete/base@jemalloc", ("/base", "jemalloc")),
        ("multipool-lowest", ("lowest", "")),
        ("new-delete-keep", ("keep", "")),
        ("concurrent-multipool", ("concur-", "rent")),
        ("null", ("null", "")),
    ],
)
def test_columns_name_the_variant(name: str, words: tuple[str, str]) -> None:
    assert column_words(name) == words


# ---- fragmentation ------------------------------------------------------------------------------------


def test_fragmentation_shows_r_by_structure_and_share() -> None:
    text = shown(fragmentation_rows(), 80)
    families, heads, variants, first, _ = table_below(text, "DS2 vector<string>, D = N/2")
    assert [word.strip("_") for word in families] == ["new-delete", "monotonic", "multipool", "multi+mono"]
    assert heads == ["size", "/base", *["type"] * 6]
    assert variants == ["/wink"] * 3
    assert first == ["2^6", "1.00=", *["0.80"] * 6]
    assert [title for title in ("D = N/4", "D = N/8") if f"DS3 unordered_set<int>, {title}" in text]


def test_fragmentation_ends_with_means_and_print() -> None:
    text = shown(fragmentation_rows(strategies=of_papers()), 120)
    means = table_below(text, "R, mean over 2 structures and their sizes")
    assert means[-2][:6] == ["all", "but", "N", "1.25", "1.00=", "0.80"]
    assert means[-1][:4] == ["P0213", "0.96", "0.80", "0.81"]


def test_settings_omit_derived_parameters() -> None:
    text = shown(fragmentation_rows(buffer="warm", buffer_bytes=1 << 30), 120)
    assert "\nbuffer warm, hash prefix, pages huge, product 2^20" in text


# ---- all of them --------------------------------------------------------------------------------------

EVERY = {
    "locality": locality_rows(ALL_LOCALITY, access_factors=AF) + shuffle_table_rows(),
    "utilization": utilization_rows(),
    "contention": contention_rows(),
    "fragmentation": fragmentation_rows(strategies=of_papers()) + fragmentation_rows(upstream="heap"),
}


@pytest.mark.parametrize("experiment", EVERY)
@pytest.mark.parametrize("width", [120, 80, 60])
def test_everything_fits_the_width(experiment: str, width: int) -> None:
    lines = shown(EVERY[experiment], width).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width


@pytest.mark.parametrize("experiment", EVERY)
def test_monochrome_output_has_equal_text(experiment: str) -> None:
    plain, coloured = shown(EVERY[experiment]), shown(EVERY[experiment], colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == plain.split()


@pytest.mark.parametrize("experiment", EVERY)
def test_one_repetition_shows_no_intervals(experiment: str) -> None:
    natives = [native for native in EVERY[experiment] if native["repetition"] == 0]
    assert "inf" not in re.sub(r"\binfinite|information\b", "", shown(natives))


def test_compilers_stand_side_by_side() -> None:
    natives = contention_rows(("new-delete", "multipool"), compiler="g++")
    slower = contention_rows(("new-delete", "multipool"), compiler="clang++")
    for native in slower:
        native["wall_ns"] *= 1 + (native["strategy"] == "multipool")
    text = shown(natives + slower)
    means = table_below(text, "Time with another compiler / with g++")
    assert means[-1] == ["clang++", "1.00=", "2.00"]
    assert "compiler clang++" in text


def test_single_compiler_has_no_comparison() -> None:
    assert "another compiler" not in shown(contention_rows(("new-delete",), compiler="clang++"))


# ---- blocks and progress ------------------------------------------------------------------------------


def test_blocks_of_unequal_height_stay_aligned() -> None:
    console = make_console(40)
    first_block = Block([Text("title"), Text("a")], 5)
    right = Block([Text("other"), Text("b"), Text("c")], 5)
    show_beside(console, [first_block, right])
    assert console_text(console).splitlines() == ["title  other", "a      b", "       c", ""]


def test_block_width_covers_title_and_columns() -> None:
    assert block("t", "x", [["a", "b"]], [("2^10", [])]).width == len("2^10 ") + 12
    assert block("a long title indeed", "x", [["a"]], [("1", [])]).width == len("a long title indeed")


def test_columns_are_shared_out_evenly() -> None:
    assert [len(group) for group in fitting(range(13), 73)] == [7, 6]
    assert fitting([1, 2], 5) == [[1], [2]]
    assert fitting([], 80) == []


@pytest.mark.parametrize(
    ("natives", "words"),
    [
        (locality_rows(("multipool",), (512,), 1), "|S| 2^9 multipool"),
        (utilization_rows(("multipool",), [(30, 15, 10)], 1), "T 2^30 A 2^15 S 2^10 multipool"),
        (contention_rows(("multipool",), (2,), [(15, 6)], 1), "S 2^6 N 2^15 W 2 multipool"),
    ],
)
def test_progress_names_the_cell(natives: Natives, words: str) -> None:
    console = PlainConsole(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    display = ProgressDisplay(console)
    display.begin(0, 10)
    display.measured(Row.from_native(1, natives[0]), 5, 120.0)
    display.tick()
    display.end()
    assert words in console_text(console)
