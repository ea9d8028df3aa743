"""A place for the work of a stage."""

import pytest

from dev.check import Workplace


@pytest.fixture
def workplace(tmp_path):
    (tmp_path / "build/test-logs").mkdir(parents=True)
    (tmp_path / "stage.log").write_text("")
    return Workplace(tmp_path, tmp_path / "stage.log", jobs=0)
