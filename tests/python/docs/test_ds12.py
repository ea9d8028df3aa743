"""The figures of DS12, from made-up rows and the printed table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from synthetic_rows import native_row

from mallard.bench.papers.printed import P0089
from mallard.bench.papers.registry import own_table
from mallard.bench.result import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
from figures import ds12
from figures.stored import StoredRun

FACTORS = {
    "new-delete": 100.0,
    "new-delete/base": 103.0,
    "monotonic": 25.0,
    "monotonic/base": 24.0,
    "monotonic/wink": 20.0,
    "monotonic-walk": 24.0,
    "monotonic/base/wink": 18.0,
    "multipool": 50.0,
    "multipool/wink": 40.0,
}


def stored(sizes: tuple[int, ...], pages: str = "small", hashing: str = "prefix") -> StoredRun:
    options = {"pages": [pages], "buffer": "warm", "hash": hashing}
    parameters = {"ds": "DS12", "product_log2": 20, "inner_log2": 7, "buffer": "warm", "hash": hashing}
    rows = [
        native_row(
            "density",
            {**parameters, "size_log2": size, "pages": pages},
            name,
            repetition,
            factor * (1.0 + 0.1 * size),
            1 << 20,
        )
        for size in sizes
        for name, factor in FACTORS.items()
        for repetition in range(3)
    ]
    return StoredRun({"options": options}, [Row.from_native(len(sizes), row) for row in rows])


@pytest.fixture(autouse=True)
def _runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [
        stored((6, 8)),
        stored((6, 7, 8)),
        stored((6, 7, 8, 9), "huge"),
        stored((5, 6, 7, 8), hashing="full"),
    ]
    monkeypatch.setattr(ds12, "stored_runs", lambda experiment: runs)


def test_table_has_both_figures_of_each_size() -> None:
    lines = ds12.table().splitlines()
    assert lines[0].startswith("| elements | new-delete, ns | new-delete/base, % | monotonic, %")
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| 2^6", "| 2^7", "| 2^8"]
    printed = own_table(P0089, "DS12")
    nanoseconds, percent = printed.nanoseconds((7,), "new-delete"), printed.percent_of_base((7,), "monotonic")
    cells = lines[3].strip("| ").split(" | ")
    assert cells[1] == f"170 / {nanoseconds:.0f}"
    assert cells[3] == f"25 / {percent:.0f}"


def test_observations_span_the_sizes() -> None:
    lines = [line.strip("| ").split(" | ") for line in ds12.observations(whole=True).splitlines()[2:]]
    here = {line[0]: line[2] for line in lines}
    assert here["`new-delete` / `monotonic`"].startswith("4.00 (2^")
    assert here["`monotonic/base/wink` / `monotonic/base`"].startswith("0.75")
    assert here["`new-delete`: a leaf / one at the size before"] == "1.06 (2^7 to 2^8) to 1.06 (2^6 to 2^7)"
    there = {line[0]: line[1] for line in lines}
    assert there["`monotonic/base` / `monotonic-walk`"] == ""
    assert here["`monotonic/base` / `monotonic-walk`"].startswith("1.00")
    assert there["`new-delete`: a leaf / one at the size before"].endswith(")")
    assert "2^7 to 2^8" in there["`new-delete`: a leaf / one at the size before"]


def test_page_has_lines_of_the_whole_table() -> None:
    page, whole = (ds12.observations(whole=whole).splitlines() for whole in (False, True))
    assert [line for line in whole if line in page] == page
    assert len(page) == 2 + 4


def test_one_size_has_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ds12, "stored_runs", lambda experiment: [stored((6,))])
    assert "a leaf / one at the size before" not in ds12.observations(whole=True)
