"""The terminal's views of locality, utilization, contention and fragmentation, from rows whose figures are
known beforehand.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from looks_of_runs import RUN
from looks_of_runs import shown as screen
from rich.style import Style
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
from synthetic_rows import to_rows
from synthetic_run import density_rows

from mallard.bench.analysis.labels import column_words
from mallard.bench.strategy_names import of_papers
from mallard.bench.view.terminal.progress import ProgressDisplay
from mallard.shared.console import PlainConsole
from mallard.shared.report.terminal_map import Block, Column, blocks, show_in_rows

Natives = list[dict[str, Any]]
AF = tuple(2**exponent for exponent in range(8, -1, -1))


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def shown(natives: Natives, width: int = 120, *, colour: bool = False) -> str:
    rows = to_rows(natives)
    return screen(rows, width, colour=colour, run=replace(RUN, experiment=rows[0].experiment, options={}))


def table_below(text: str, title: str) -> list[list[str]]:
    """The words of the lines from below a title to the next empty line."""
    lines = text[text.index(title) :].splitlines()[1:]
    return [line.split() for line in lines[: [line.strip() for line in lines].index("")]]


# ---- blocks of figures --------------------------------------------------------------------------------


def test_blocks_are_side_by_side_if_possible() -> None:
    natives = locality_rows(("new-delete", "multipool"), access_factors=AF)
    titles = ["multipool: shuffled \u00f7 unshuffled, here" + more for more in (" ", ", ns an access")]
    assert any(all(title in line for title in titles) for line in shown(natives, 140).splitlines())
    assert not any(all(title in line for title in titles) for line in shown(natives, 80).splitlines())


def test_fastest_equal_and_faulting_cells_are_marked() -> None:
    text = shown(utilization_rows(), 80)
    assert table_below(text, "T = 2^30 bytes")[2] == [
        *("2^15", "2^10", "5.0", "20.4", "105", "400!", "410!", "40*", "50", "45", "55")
    ]
    assert table_below(text, "T = 2^35 bytes")[-1][:7] == ["2^20", "2^10", "5.0", "20.4", "105", "mem", "mem"]
    assert "!: page faults are most of the time" in " ".join(text.split())


def test_families_have_one_heading() -> None:
    families, heads, variants, *_ = table_below(shown(contention_rows(PRIVATE + SHARED)), "N = 2^15, S = 2^6")
    assert families[-1].strip("_") == "shared"
    assert heads[-2:] == ["concur-", "synchro-"]
    assert variants[-2:] == ["rent", "nized"]


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


# ---- all of them --------------------------------------------------------------------------------------

EVERY = {
    "density": density_rows(),
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


def test_blocks_of_unequal_height_stay_aligned() -> None:
    console = PlainConsole(file=io.StringIO(), width=40)
    first_block = Block([Text("title"), Text("a")])
    right = Block([Text("other"), Text("b"), Text("c")])
    show_in_rows(console, [first_block, right])
    assert console.file.getvalue().splitlines() == ["title  other", "a      b", "       c", ""]


def test_columns_that_do_not_fit_go_below() -> None:
    columns = [Column((str(number),), (("1.00 ", Style()),)) for number in range(13)]
    parts = list(blocks("title", ["size ", "2^6  "], columns, 40))
    assert [len(part.lines[1].plain.split()) for part in parts] == [1 + 5, 1 + 5, 1 + 3]
    assert max(part.width for part in parts) <= 40
    assert [part.lines[0].plain for part in blocks("a long title", ["x "], columns[:1], 8)] == ["a long"]


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
    display.measured(to_rows(natives)[0], 5, 120.0)
    display.tick()
    display.end()
    assert words in console.file.getvalue()
