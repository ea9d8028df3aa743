"""Parameters of which the default run takes a sample."""

from __future__ import annotations

from typing import Any

import pytest


def sampled(*values: Any, default: int = 2) -> list[Any]:
    """Values of one argument: the first ones for every run, the others for `mallard test --full`."""
    remaining = [pytest.param(value, marks=pytest.mark.full) for value in values[default:]]
    return [pytest.param(value) for value in values[:default]] + remaining
