"""Vectors that grow in exports and comparisons, from rows whose figures are known beforehand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from looks_of_runs import write_runs
from synthetic_heaps import growth_rows

from mallard.cli import main


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(
        tmp_path_factory.mktemp("heaps") / "mallard.db",
        {
            name: growth_rows(name, types=("int", "myint"))
            for name in ("expansion-forward", "expansion-backward")
        },
    )


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
