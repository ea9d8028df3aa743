"""The bonus of an advice, from the rows of density in a database."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_page import write_everything

from mallard.advice.bonus import read_bonus
from mallard.analysis.summary import summaries
from mallard.store import Store


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bonus") / "mallard.db"
    write_everything(file)
    return file


def test_reads_the_newest_run_of_density(database: Path) -> None:
    bonus = read_bonus("multipool", database)
    assert bonus
    with Store(database, writing=False) as store:
        run = max(run.id for run in store.runs() if run.finished and run.experiment == "density")
        means = summaries(store.rows(run))[0].means
    assert bonus.run == run
    assert bonus.by_base == pytest.approx(1 - means["multipool/base"].median)
    assert bonus.winked_out == pytest.approx(1 - means["multipool/base/wink"].median)


def test_returns_none_for_a_missing_strategy(database: Path) -> None:
    assert read_bonus("adaptive-pool", database) is None


def test_returns_none_without_a_database(tmp_path: Path) -> None:
    assert read_bonus("multipool", tmp_path / "none.db") is None
    assert not (tmp_path / "none.db").exists()
