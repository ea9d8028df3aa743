"""Tables that a page shortens: no winner is hidden, and sums are those of all rows."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
from figures import claims, reuse, runs, strategy_table, testing
from figures.stored import StoredRun
from refresh import BLOCKS


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


@pytest.mark.parametrize(
    ("module", "name"),
    [
        *((strategy_table, name) for name in ("small_objects", "fixed_block", "adaptive_pool")),
        *((strategy_table, "growth_forward"), (reuse, "reuse")),
    ],
)
def test_shortened_table_keeps_the_fastest_of_each_column(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another library too: a page hides no loss."""
    page = columns(BLOCKS[name]())
    chooser = "_decisive" if module is reuse else "decisive"
    monkeypatch.setattr(module, chooser, lambda names, *_: names)
    whole = columns(BLOCKS[name]())
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


def test_caption_of_many_runs_has_number_and_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    days = {1: "2026-01-02T08", 2: "2026-01-01T09", 3: "2026-01-03T10"}
    stored = [StoredRun({"id": number, "experiment": "x", "started": days[number]}, []) for number in days]
    monkeypatch.setattr(claims, "runs", lambda: stored)
    monkeypatch.setattr(claims, "is_current", lambda run: run.run["id"] == 1)
    linked = "([conditions](runs.md))"
    assert claims.runs_text("Decided by", {1}) == f"Decided by 1 run of 1 experiment {linked}, 2026-01-02."
    text = f"Compared in 2 runs of 1 experiment {linked}, 2026-01-01 to 2026-01-02."
    assert claims.runs_text("Compared in", {1, 2}) == f"{text} The library has changed since 1 of them."
    assert claims.runs_text("Compared in", {2}).endswith(", 2026-01-01. The library has changed since.")
    stored[2].run["notes"] = [{"kind": "busy", "text": "x"}]
    assert "([conditions](runs.md); 1 on a busy machine), 2026" in claims.runs_text("Compared in", {1, 2, 3})


def test_setups_state_common_facts_once() -> None:
    table, _, common = runs.setups().partition("\n\nIn common: ")
    heading, _, *lines = table.splitlines()
    assert len(lines) > 1
    for place, head in enumerate(heading.strip("| ").split(" | ")):
        assert len({line.strip("| ").split(" | ")[place] for line in lines}) > 1, head
    assert "cores 2" in common


def test_bare_debians_have_a_line_for_each_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = tmp_path / "fresh.json"
    monkeypatch.setattr(testing, "FRESH", times)
    entries = {
        "sid, root, a": {"seconds": 1000, "date": "2026-01-01"},
        "sid, a user with sudo, a": {"seconds": 2, "date": "2026-01-03"},
        "bookworm, root, b": {"seconds": 3, "date": "2026-01-02"},
    }
    times.write_text(json.dumps(entries))
    table, _, period = testing.fresh().partition("\n\n")
    heading, _, *lines = table.splitlines()
    assert heading == "| s, as root / by sudo | bookworm | sid |"
    assert lines == ["| `a` |  | 1,000 / 2 |", "| `b` | 3 |  |"]
    assert period == "Run 2026-01-01 to 2026-01-03."


def test_mutants_have_a_line_for_each_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mutation.json"
    monkeypatch.setattr(testing, "MUTATION", file)
    run = {
        "seed": 7,
        "commit": "aaa",
        "judged": 10,
        "killed": 5,
        "killed_percent": 50.0,
        "interval_percent": [23.7, 76.3],
        "killed_by_random_operations": 2,
        "survived": 5,
    }
    file.write_text(json.dumps([run]))
    assert "| 7 | aaa | 10 | 5, 50.0 % | 23.7 to 76.3 % | 2 | 5 |\n" in testing.mutation()
