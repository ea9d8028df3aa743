"""The time left of a series of runs, on a clock of the tests."""

from __future__ import annotations

from typing import Any

import pytest

from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.plan import Plan
from mallard.bench.plan.assembly import PlannedRow
from mallard.bench.plan.request import SURVEY
from mallard.cli import measuring

PROCESSES = {"density": 20, "locality": 10, "burst": 40}


class Recorder:
    """A display that keeps the forecasts."""

    def __init__(self) -> None:
        self.total = 0
        self.remaining: list[float | None] = []

    def begin(self, done: int, total: int) -> None:
        self.total = total

    def measured(self, row: Any, done: int, remaining_seconds: float | None) -> None:
        self.remaining.append(remaining_seconds)

    def tick(self) -> None: ...
    def say(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def end(self) -> None: ...


def plan(experiment: str) -> Plan:
    row = PlannedRow(experiment, {}, ("new-delete",), PROCESSES[experiment])
    return Plan(experiment, SURVEY, (row,), PROCESSES[experiment], 1, 60.0, None, {})


@pytest.mark.parametrize("slowness", [0.5, 1.0, 4.0])
def test_survey_forecast_is_right_within_a_third(slowness: float) -> None:
    seconds = {name: slowness * measuring._PROCESS_SECONDS[name] * 1.2 for name in PROCESSES}
    seconds["burst"] *= 1.5  # this machine differs in more than its pace
    elapsed, finish = 0.0, sum(seconds[name] * count for name, count in PROCESSES.items())
    display = Recorder()
    series = measuring._Series(display, [plan(name) for name in PROCESSES], lambda: elapsed)
    for name, count in PROCESSES.items():
        series.begin(0, count)
        for done in range(1, count + 1):
            elapsed += seconds[name]
            series.measured(None, done, seconds[name] * (count - done))
            assert display.remaining[-1] == pytest.approx(finish - elapsed, rel=1 / 3, abs=1e-6)
        series.end()
    assert display.total == len(display.remaining) == sum(PROCESSES.values())


def test_every_run_of_the_survey_has_a_forecast() -> None:
    assert {question.experiment for question in QUESTIONS} <= set(measuring._PROCESS_SECONDS)
