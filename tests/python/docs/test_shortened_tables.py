"""Tables that a page shortens: no winner is hidden, and sums are those of all rows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
from figures import age, heaps, pools, reuse, testing
from refresh import WHOLE_TABLES


def test_platforms_of_a_page_are_counted_by_system() -> None:
    """A target that was only compiled does not pass with the others."""
    stored = testing.read(testing.PLATFORMS)
    rows = [line.strip("| ").split(" | ") for line in testing.platform_groups().splitlines()[2:]]
    assert sum(int(row[1]) for row in rows) == len(stored)
    assert {row[0] for row in rows} == {target.split(", ")[0] for target in stored}
    for system, _, _, outcome, dates in rows:
        outcomes = [run["outcome"] for target, run in stored.items() if target.split(", ")[0] == system]
        assert outcome != "passed" or not any("not run" in text for text in outcomes)
        assert re.fullmatch(r"20\d\d-\d\d-\d\d( to 20\d\d-\d\d-\d\d)?", dates)


def test_page_of_stages_has_the_sums_of_all() -> None:
    shown, whole = (testing.stages(whole=whole).splitlines() for whole in (False, True))
    assert [line for line in whole if line.startswith("| **")] == [
        line for line in shown if line.startswith("| **")
    ]
    assert set(shown) < set(whole)


@pytest.mark.parametrize("name", ["small_objects", "fixed_block", "adaptive_pool", "growth_forward", "reuse"])
def test_shortened_table_keeps_the_fastest_of_each_column(name: str) -> None:
    """Of another library too: a page hides no loss."""
    blocks = {**pools.blocks(), **heaps.blocks(), **reuse.blocks()}
    whole, page = columns(WHOLE_TABLES[name]()), columns(blocks[name]())
    compared = 0
    for head, shown in page.items():
        assert shown.items() <= whole[head].items()
        for part in range(max(cell.count("/") for cell in shown.values()) + 1):
            times = {
                strategy: float(figure.replace(",", ""))
                for strategy, cell in whole[head].items()
                if strategy != "null" and is_time(figure := f"{cell} / ".split(" / ")[part])
            }
            if times and all(is_time(cell.split(" / ")[0]) or not cell for cell in shown.values()):
                least = min(times.values())
                assert any(times.get(strategy) == least for strategy in shown), head
                compared += 1
    assert compared >= 4


def columns(table: str) -> dict[str, dict[str, str]]:
    """The cells of each column by the name of their line."""
    heading, _, *lines = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    )
    return {
        head: {line[0]: line[column] for line in lines} for column, head in enumerate(heading) if column > 0
    }


def is_time(text: str) -> bool:
    return re.fullmatch(r"[\d,]+(\.\d+)?", text) is not None


def test_which_malloc_follows_the_rows() -> None:
    """The malloc of the sentence has the least mean of its column."""
    blocks = age.blocks()
    rows = [line.strip("| ").split(" | ") for line in blocks["which_malloc"]().splitlines()[2:]]
    assert rows[0][0] == "glibc"
    sentence = blocks["which_malloc_answer"]()
    for column, period in ((1, "young"), (2, "old")):
        best = min(rows, key=lambda row: int(row[column].split()[0]))
        assert f"in {period} processes {best[0]} takes {best[column]} of the time" in sentence
        least = min(rows, key=lambda row: int(row[4].split(" / ")[column - 1].split()[0]))
        assert f"and {least[0]} {least[4].split(' / ')[column - 1]} of its memory" in sentence
    programs_of_run = sum(int(row[3].split(" / ")[0]) for row in rows)
    assert programs_of_run == sum(int(row[3].split(" / ")[1]) for row in rows) == 14
