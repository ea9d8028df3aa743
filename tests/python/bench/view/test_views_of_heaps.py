"""The views of vectors that grow and shrink, of bursts and of a heap that ages, in the terminal, on the page
and in exports, from rows whose figures are known beforehand."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from heat_maps import by_strategy, heat_maps, without_data
from line_plots import Plot, line_plots
from looks_of_runs import Natives, line_of, report_of, section, shown, text_of, write_runs
from page_reader import read
from synthetic_heaps import burst_rows, churn_rows, growth_rows, shrink_rows
from synthetic_run import density_rows, write_run

from mallard.cli import main

ALL: dict[str, Natives] = {
    "expansion-forward": growth_rows(types=("int", "myint")),
    "expansion-backward": growth_rows("expansion-backward"),
    "shrink-to-fit": shrink_rows(),
    "burst": burst_rows(),
    "heap-churn": churn_rows(),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("heaps") / "mallard.db", ALL)


@pytest.fixture(scope="module")
def page(database: Path) -> str:
    return report_of(database)


def plots(page: str, name: str) -> list[Plot]:
    return line_plots(page, name)


def shown_kinds(page: str, name: str, strategy: str, key: str) -> dict[str, str]:
    return by_strategy(page, name).cell(strategy, key).shown


# ---- the terminal -------------------------------------------------------------------------------------


def test_vectors_have_blocks_for_time_and_counts(database: Path) -> None:
    text = shown(database, "expansion-forward")
    assert "type int" in text
    assert "type myint" in text
    assert line_of(text, "push_back: push an element back, ns", "new-delete")[1:] == ["8.16", "2.04", "2.04"]
    assert line_of(text, "push_back: push an element back, ns", "heap-v2")[1:] == ["4.08*", "0.51*", "0.51*"]
    assert line_of(text, "push_back: push an element back, ns", "boost-allocator-v1")[-1] == "mem"
    assert line_of(text, "calls of the allocator", "new-delete")[1:] == ["5", "15", "21"]
    assert line_of(text, "growths of its block forward", "heap-v2")[1:] == ["3", "13", "19"]
    assert line_of(text, "elements that it can hold", "heap-v2")[1:] == ["10", "10,000", "1,000,000"]
    assert "iterations" not in text


def test_process_growth_needs_large_vectors(database: Path) -> None:
    text = shown(database, "expansion-backward")
    live = line_of(text, "held by a vector at its peak", "new-delete")
    assert " ".join(live) == "new-delete 60 B 59 KiB 5.7 MiB"
    assert line_of(text, "growth of resident memory at its peak", "new-delete") == [
        "new-delete",
        "5.7",
        "MiB",
    ]


def test_shrinking_reports_returned_memory(database: Path) -> None:
    text = shown(database, "shrink-to-fit")
    assert line_of(text, "shrink: erase the last elements", "heap-v2")[1:3] == ["22.4*", "20.4*"]
    assert line_of(text, "with its making: make a vector and shrink", "heap-v2")[1:3] == ["22.4*", "22.4*"]
    assert line_of(text, "shrinks of its block in place", "heap-v2")[1:3] == ["2", "100"]
    assert (
        " ".join(line_of(text, "given back to the system when one step is left", "heap-v1"))
        == "heap-v1 977 KiB"
    )


def test_bursts_have_range_columns(database: Path) -> None:
    text = shown(database, "burst")
    assert line_of(text, "insert warm: insert once more, ns a node", "heap-burst")[1:] == ["3.06"] * 4
    assert line_of(text, "pop: pop one node off the front, ns a node", "heap-burst")[1:] == ["5.10"] * 4
    assert line_of(text, "clear: clear the list, ns a node", "multipool-burst")[1:] == ["2.04*"] * 4
    assert line_of(text, "overhead of system memory", "new-delete")[1:] == ["33.3"] * 4


def test_ageing_heap_has_tenths_as_columns(database: Path) -> None:
    text = shown(database, "heap-churn", 140)
    assert line_of(text, "pair: free a block and allocate another, ns a pair", "heap")[1:] == ["20.4*"]
    ageing = line_of(text, "held / live as the operations go, number of live blocks 100,000", "multipool")
    assert ageing[1:] == [f"{1.3 + 0.02 * tenth:.2f}" for tenth in range(10)]
    assert line_of(text, "peak held bytes over peak live bytes", "heap")[1:] == ["1.059"]


# ---- the page -----------------------------------------------------------------------------------------


def test_page_is_well_formed_with_unique_ids(page: str) -> None:
    reader = read(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert "NaN" not in without_data(page)


def test_growth_plots_elements_by_type(page: str) -> None:
    drawn = plots(page, "expansion-forward")
    assert len(drawn) == 6, "times, calls and memory, of two types"
    assert drawn[0].value("heap-v2", "10") == "4.08"
    assert drawn[1].value("heap-v2", "10") == "4.00"
    assert drawn[2].value("new-delete", "10000") == "6.00"
    assert drawn[2].value("new-delete", "10\u2076") == "6.00", "large powers of ten stand as such"
    text = section(page, "expansion-forward")
    assert "type int" in text
    assert "type myint" in text
    plain, masked = (drawn[0].series[name].class_ for name in ("heap-v2", "heap-v2-masked"))
    assert masked == f"{plain} dashed", "told not to grow in place: the colour of what does, dashed"


def test_cell_has_time_counts_and_memory(page: str) -> None:
    assert shown_kinds(page, "expansion-forward", "heap-v2", "elements 10") == {
        "n": "4.08",
        "p": "50",
        "f": "4",
        "c": "3",
        "a": "10",
        "b": "0.00",
        "r": "0.00",
    }
    assert shown_kinds(page, "expansion-backward", "new-delete", "elements 1000000")["b"] == "5.72"
    shrunk = shown_kinds(page, "shrink-to-fit", "heap-v2", "elements 10000")
    assert shrunk == {
        "n": "20.4",
        "f": "22.4",
        "p": "0.8",
        "c": "1",
        "a": "2\u202f000",
        "b": "0.04",
        "r": "0.02",
        "s": "0.00",
        "v": "\u2013",
        "m": "0.04",
    }


def test_failed_cell_shows_status(page: str) -> None:
    tables = [table for table in heat_maps(page) if table.part == "expansion-forward"]
    failed = [cell.status for table in tables for cell in table.cells if cell.status]
    assert failed == ["out of memory: none left"] * 2


def test_bursts_are_dashed(page: str) -> None:
    drawn = plots(page, "burst")
    assert len(drawn) == 4
    assert drawn[0].value("heap-burst", "100") == "4.08"
    kinds = shown_kinds(page, "burst", "heap-burst", "range 1000")
    assert (kinds["n"], kinds["b"], kinds["r"], kinds["s"], kinds["v"]) == (
        "4.08",
        "6.12",
        "5.10",
        "2.55",
        "33.3",
    )


def test_ageing_heap_plots_time(page: str) -> None:
    (drawn,) = plots(page, "heap-churn")
    assert drawn.value("multipool", "100") == "1.48"
    assert len(drawn.series) == 6, "all but other mallocs"
    assert shown_kinds(page, "heap-churn", "heap", "live 100000") == {
        "n": "20.4",
        "f": "10.2",
        "p": "33",
        "c": "1.059",
        "a": "121",
        "b": "196",
        "r": "208",
        "s": "\u2013",
        "v": "0.00",
    }


def test_glance_lists_section_answers(page: str) -> None:
    text = text_of(re.findall(r'<section class="glance">.*?</section>', page)[0])
    assert "Backward growth Fastest to push an element back over 3 sizes: heap-v2" in text
    assert "Ageing heap Fastest to free a block and allocate another: heap" in text


def test_choices_have_distinct_letters(page: str) -> None:
    for name in ALL:
        labels = [choice["label"] for choice in by_strategy(page, name).cells[0].form["choices"].values()]
        assert len(labels) == len(set(labels)) > 4


def test_unmeasured_sections_name_commands(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", density_rows(names=("DS1",)))
    output = tmp_path / "one.html"
    assert main(["show", "page", "-o", str(output), "--db", str(tmp_path / "mallard.db")]) == 0
    text = output.read_text(encoding="utf-8")
    for name in ALL:
        assert f"mallard bench {name} --quick" in text_of(section(text, name))


# ---- exports and comparisons --------------------------------------------------------------------------


def test_figures_are_exported(database: Path, capsys: Any) -> None:
    words_ = ["show", "export", "--summary", "--format", "csv", "--run", "2", "--db", str(database)]
    assert main(words_) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    line = next(line for line in lines if (line["strategy"], line["elements"]) == ("heap-v2", "10"))
    assert json.loads(line["figures"])["expansions_backward"] == 3.0
    assert float(line["ratio_to_as1"]) == pytest.approx(0.5)


def test_compares_libraries_by_size_and_type(database: Path, capsys: Any) -> None:
    assert main(["show", "peers", "--all", "--db", str(database)]) == 0
    output = capsys.readouterr().out
    assert "expansion-forward" in output
    assert "Boost.Container" in output
