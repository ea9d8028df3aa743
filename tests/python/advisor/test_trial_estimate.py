"""The messages about the time of many runs."""

from __future__ import annotations

import pytest

from mallard.advisor.trial.campaign import estimate, refuse_long, short
from mallard.shared.errors import UsageError


@pytest.mark.parametrize(
    ("runs", "seconds", "message"),
    [
        (300, 0.1, "A run takes 0.1 s; up to 300 runs take about 30 seconds."),
        (330, 0.412, "A run takes 0.41 s; up to 330 runs take about 2 minutes."),
        (1_000, 20.0, "A run takes 20 s; up to 1,000 runs take about 6 hours."),
        (5, 0.001, "A run takes 0.001 s; up to 5 runs take about 2 seconds."),
    ],
)
def test_formats_an_estimate(runs: int, seconds: float, message: str) -> None:
    assert estimate(runs, seconds) == message


def test_rejects_more_than_an_hour() -> None:
    refuse_long(100, 30.0)
    with pytest.raises(UsageError, match="or --rounds N"):
        refuse_long(100, 40.0)


def test_warns_about_short_programs() -> None:
    assert short(0.05) == ""
    assert short(0.04).startswith("The program takes 40 ms")
