"""The messages about the time of many runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.advisor.trial.campaign import (
    AgedRuns,
    Campaign,
    estimate,
    refuse_long,
    short,
    split_by_age,
)
from mallard.advisor.trial.program import Program
from mallard.shared.age import levels
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


def test_the_estimate_has_the_time_of_histories() -> None:
    aged = [AgedRuns("an old heap", 20, 2.5)]
    message = "A run takes 0.1 s, and 2.5 s on an old heap; up to 120 runs take about 60 seconds."
    assert estimate(100, 0.1, aged) == message
    with pytest.raises(UsageError, match=r"and 200 s on an old heap, so 120 runs would take about 67 min"):
        refuse_long(100, 0.1, [AgedRuns("an old heap", 20, 200.0)])


def test_runs_are_split_by_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each age with a history runs once to find out its time."""
    seconds = {"used": 0.5, "old": 2.5}
    monkeypatch.setattr(
        "mallard.advisor.trial.campaign.timed_run", lambda program, malloc, age: (None, seconds[age.name])
    )
    ages = tuple(levels().values())
    campaign = Campaign(("monotonic",), ("glibc", "mimalloc"), ages, 5, 1)
    runs, aged = split_by_age(Program(["x"], Path("x")), campaign)
    assert runs == 30
    assert aged == [AgedRuns("a used heap", 31, 0.5), AgedRuns("an old heap", 31, 2.5)]


def test_rejects_more_than_an_hour() -> None:
    refuse_long(100, 30.0)
    with pytest.raises(UsageError, match="or --rounds N"):
        refuse_long(100, 40.0)


def test_warns_about_short_programs() -> None:
    assert short(0.05) == ""
    assert short(0.04).startswith("The program takes 40 ms")
