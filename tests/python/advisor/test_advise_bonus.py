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
    made = tmp_path_factory.mktemp("bonus") / "mallard.db"
    write_everything(made)
    return made


def test_the_bonus_is_that_of_the_newest_run_of_density(database: Path) -> None:
    found = read_bonus("multipool", database)
    assert found
    with Store(database, writing=False) as store:
        run = max(run.id for run in store.runs() if run.finished and run.experiment == "density")
        means = summaries(store.rows(run))[0].means
    assert found.run == run
    assert found.by_base == pytest.approx(1 - means["multipool/base"].median)
    assert found.winked_out == pytest.approx(1 - means["multipool/base/wink"].median)


def test_a_strategy_that_density_does_not_have(database: Path) -> None:
    assert read_bonus("adaptive-pool", database) is None


def test_a_machine_without_rows(tmp_path: Path) -> None:
    assert read_bonus("multipool", tmp_path / "none.db") is None
    assert not (tmp_path / "none.db").exists()
