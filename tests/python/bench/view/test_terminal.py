"""The terminal's views of rows whose figures are known beforehand."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from looks_of_runs import shown

from mallard.bench.analysis.labels import column_words, strategy_heads
from mallard.bench.analysis.panels import panel_report
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers
from mallard.bench.view.terminal.progress import ProgressDisplay, format_remaining
from mallard.shared.console import PlainConsole, print_line
from mallard.shared.report.figures import cell_text
from mallard.shared.report.terminal_map import Column, header, ratio_style

ALL = ["null", "new-delete", "new-delete-keep", *of_papers(2)]


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The abilities of the developer's terminal must not change the output."""
    monkeypatch.setenv("TERM", "xterm-256color")


def rows(times: dict[str, Sequence[float]], size: int = 6, **changes: Any) -> list[Row]:
    """Nanoseconds a leaf element of each repetition, by strategy."""
    return [
        Row(
            run_id=4,
            experiment="density",
            parameters={"ds": "DS2", "size_log2": size, "product_log2": 20, "buffer": "warm"},
            strategy=strategy,
            repetition=repetition,
            seed=1,
            status="ok",
            cpu_ns=round(ns * 1000),
            operations=1000,
            **changes,
        )
        for strategy, repetitions in times.items()
        for repetition, ns in enumerate(repetitions)
    ]


def find_line(text: str, size: int) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(f"2^{size} ")).split()


def test_shows_percent_of_as1() -> None:
    text = shown(
        rows(
            {
                "new-delete": (60.0, 61.0, 60.0),
                "monotonic": (30.0, 30.5, 30.0),
                "multipool": (90.0, 91.5, 90.0),
            }
        )
    )
    assert find_line(text, 6) == ["2^6", "60.0", "50*", "150"]


def test_difference_within_interval_is_marked_equal() -> None:
    text = shown(rows({"new-delete": (60.0, 61.0, 60.0), "monotonic": (58.0, 63.0, 60.5)}))
    # If nothing beats new-delete beyond its interval, new-delete is the one to use.
    assert find_line(text, 6) == ["2^6", "60.0*", "101="]


def test_answer_ends_with_line_per_structure() -> None:
    times = {"new-delete": (60.0, 61.0, 60.0), "monotonic": (30.0, 30.5, 30.0)}
    lines = shown(rows(times)).splitlines()
    at = lines.index("What to use")
    assert lines[at + 1].startswith("monotonic is fastest overall: 2.0 times as fast")
    assert lines[-3].split() == ["DS2", "vector<string>", "monotonic", "50", "50", "to", "50", "2.0", "x"]
    assert lines[-2:] == ["  if freed blocks are reused: the same", "  no difference from it: none"]
    assert "keep new-delete" in shown(rows({"new-delete": (60.0, 61.0, 60.0)})).splitlines()[-1]


def test_failures_appear_in_cells() -> None:
    result_rows = rows({"new-delete": (60.0, 61.0), "monotonic": (30.0, 30.5)})
    for strategy, status in (
        ("multipool", "crashed"),
        ("multipool/wink", "out_of_memory"),
        ("multipool/base", "timed_out"),
    ):
        result_rows.append(Row(4, "density", result_rows[0].parameters, strategy, 0, 1, status, detail="why"))
    assert find_line(shown(result_rows), 6)[3:] == ["died", "mem", "time"]


def test_strategy_without_base_shows_nanoseconds() -> None:
    assert find_line(shown(rows({"monotonic": (30.0, 30.5)})), 6) == ["2^6", "30.2ns*"]


def test_a_full_map_fits_100_columns() -> None:
    text = shown(rows(dict.fromkeys(ALL, (60.0, 61.0, 60.0))))
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100
    heading = next(line for line in text.splitlines() if line.startswith("size"))
    assert heading.split() == ["size", *(column_words(name)[0] for name in ALL)]
    families = r"_*none_* _*new-delete_* _*monotonic_* _*multipool_* _*multipool\+monotonic_*"
    assert re.search(families, " ".join(text.split()))


@pytest.mark.parametrize("width", [80, 60, 40])
def test_narrow_terminals_fold_the_columns(width: int) -> None:
    text = shown(rows(dict.fromkeys(ALL, (60.0, 61.0, 60.0))), width)
    heat_map = text[text.index("DS2 vector<string>") : text.index("Keep new-delete; no")].splitlines()
    assert max(len(line.rstrip()) for line in heat_map if "Processor" not in line) <= width
    headings = [line.split()[1:] for line in heat_map if line.startswith("size")]
    assert len(headings) > 1
    assert [name for heading in headings for name in heading] == [column_words(name)[0] for name in ALL]


@pytest.mark.parametrize("width", [100, 80, 60])
def test_tables_cut_neither_names_nor_figures(width: int) -> None:
    text = shown(rows(dict.fromkeys(ALL, (60.0, 61.0, 60.0))), width)
    averages = text[text.index("Averages over all rows") : text.index("Cost of virtual dispatch")]
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert averages.count("100.0 to 100.0") == len(ALL) - 1, "all but new-delete"
    assert max(len(line.rstrip()) for line in averages.splitlines()) <= width


def luminance(style: Any) -> float:
    colour = style.bgcolor.triplet
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue


def test_palette_runs_from_blue_to_orange() -> None:
    ratios = [0.1, 0.3, 0.7, 1.0, 1.5, 2.5, 5.0]
    colours = [ratio_style(ratio).bgcolor.triplet for ratio in ratios]  # type: ignore[union-attr]
    assert all(colour.blue > colour.red for colour in colours[:3])
    assert all(colour.red > colour.blue for colour in colours[4:])
    assert min(colours[3]) > 240
    pale = [luminance(ratio_style(ratio)) for ratio in ratios]
    assert pale[0] < pale[1] < pale[2] < pale[3] > pale[4] > pale[5] >= pale[6]


@pytest.mark.parametrize("ratio", [0.01, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.8, 2.5, 4.0, 100.0])
def test_figures_contrast_with_background(ratio: float) -> None:
    style = ratio_style(ratio)

    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    def light(colour: Any) -> float:
        return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue)

    text, background = light(style.color.triplet), light(style.bgcolor.triplet)  # type: ignore[union-attr]
    contrast = (max(text, background) + 0.05) / (min(text, background) + 0.05)
    assert contrast >= 4.5  # WCAG 2, level AA


def test_heading_lists_conditions() -> None:
    text = shown(rows({"new-delete": (60.0, 61.0)}), 200)
    assert "Run 4: density --quick; 3 repetitions or more; Made-up Processor, 2 cores; glibc" in text
    assert "glibc 2.36; g++ 12" in text
    assert "warm buffer of 1.0 GiB" in text


def test_effect_lists_parts_and_median() -> None:
    result_rows = []
    for size, behind_base in ((6, 60.0), (8, 60.0), (10, 300.0)):
        times = {
            "new-delete": 100.0,
            "monotonic": 50.0,
            "monotonic-walk": 55.0,
            "monotonic/base": behind_base,
        }
        result_rows += rows({name: [ns] * 3 for name, ns in times.items()}, size)
    report = panel_report("density", result_rows)
    (section,) = (section for section in report.sections if section.title == "Cost of virtual dispatch")
    lead, table = section.blocks
    assert lead.text.startswith("+180.0 % run time through the abstract base here")
    assert "+20.0 % in the middle cell" in lead.text
    parts = {cell_text(row.cells[0]): cell_text(row.cells[1]) for row in table.rows}
    walk = next(
        text for name, text in parts.items() if name.startswith("monotonic: the walk of the destructors")
    )
    assert walk.startswith("+10.0")
    assert any(name.startswith("monotonic: the call") for name in parts)


def test_rows_of_one_iteration_are_marked() -> None:
    result_rows = rows({"new-delete": [100.0] * 3, "multipool": [50.0] * 3}, 6)
    once = rows({"new-delete": [100.0] * 3, "multipool": [10.0] * 3}, 16)
    result_rows = [replace(row, iterations=7) for row in result_rows] + [
        replace(row, iterations=1) for row in once
    ]
    text = shown(result_rows)
    assert "2^16'" in text
    assert "2^6'" not in text
    multipool = next(line for line in text.splitlines() if line.startswith("multipool "))
    assert multipool.split()[2:5] == ["30.0", "30.0", "to"]
    assert "50.0" in multipool, "without the rows of one structure only"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "time left not known yet"),
        (12.4, "about 12 s left"),
        (600.0, "about 10 min left"),
        (9000.0, "about 2.5 h left"),
    ],
)
def test_formats_remaining_time(seconds: float | None, text: str) -> None:
    assert format_remaining(seconds) == text


def test_terminal_progress_shows_bar_and_time() -> None:
    console = PlainConsole(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    display = ProgressDisplay(console)
    display.begin(0, 10)
    (row,) = rows({"monotonic": [30.0]})
    display.measured(row, 5, 120.0)
    display.tick()
    display.end()
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    assert "5/10" in drawn
    assert "DS2 2^6 monotonic" in drawn
    assert "about 2 min left" in drawn


def test_progress_elsewhere_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("mallard.bench.view.terminal.progress.time.monotonic", lambda: clock[0])
    console = PlainConsole(file=io.StringIO(), width=100, force_terminal=False)
    display = ProgressDisplay(console)
    display.begin(0, 10)
    (row,) = rows({"monotonic": [30.0]})
    display.measured(row, 1, 99.0)
    clock[0] = 31.0
    display.measured(row, 5, 120.0)
    display.end()
    assert console.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "10 repetitions to run",
        " 50 %, 5 of 10, about 2 min left",
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["heap"], "  heap"),
        (["new-delete", "new-delete/base"], "  new-delete"),
        (["monotonic", "monotonic/wink", "monotonic/base"], " ____monotonic____"),
    ],
)
def test_family_rules_are_symmetric(names: list[str], expected: str) -> None:
    columns = [Column(head.words, family=head.family) for head in strategy_heads(names)]
    assert header(columns, "")[0].plain == expected


@pytest.mark.parametrize(("terminal", "lines"), [(True, 2), (False, 1)])
def test_only_terminals_wrap_lines(terminal: bool, lines: int) -> None:
    text = io.StringIO()
    print_line(PlainConsole(file=text, width=20, force_terminal=terminal), "[twenty] columns and more")
    assert len(text.getvalue().splitlines()) == lines
    assert text.getvalue().split() == ["[twenty]", "columns", "and", "more"]


def test_first_column_is_separated_from_corner() -> None:
    text = shown(rows({"new-delete": (10.0, 10.0), "concurrent-multipool": (1.0, 1.0)}), width=22)
    assert "size concur- " in [line[:13] for line in text.splitlines()]
