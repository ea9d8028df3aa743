"""The advice on programs whose runs are made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_program import fake_advice


@pytest.fixture
def advise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    return fake_advice(monkeypatch, tmp_path)
