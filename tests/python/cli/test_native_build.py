"""The forecast of a native build, on a clock of the tests."""

from __future__ import annotations

import random

import pytest

from mallard.cli.native_build import Forecast, step_seconds, step_text

HEAVY = "Building CXX object bench/CMakeFiles/mallard-bench-survey.dir/workload/churn/reuse.cpp.o"
LIGHT = "Building CXX object CMakeFiles/mallard.dir/src/mallard/bind/pooled.cpp.o"
LINK = "Linking CXX executable bench/mallard-bench"
STEPS = [LIGHT] * 30 + [HEAVY] * 12 + [LINK]


def course(steps: list[str], slowness: float) -> list[tuple[float, str]]:
    """The ends of the steps on two processors that take a multiple of the expected seconds."""
    free = [0.0, 0.0]
    ends = []
    for step in steps:
        free.sort()
        free[0] += slowness * step_seconds(step)
        ends.append((free[0], step))
    return sorted(ends)


@pytest.mark.parametrize("slowness", [0.7, 1.0, 3.0])
@pytest.mark.parametrize("order", [STEPS, STEPS[::-1], random.Random(1).sample(STEPS, len(STEPS))])
def test_forecast_is_right_within_a_third(slowness: float, order: list[str]) -> None:
    ends = course(order, slowness)
    finish = ends[-1][0]
    forecast = Forecast(STEPS, 2)
    for number, (at, step) in enumerate(ends, 1):
        forecast.ended(step, number, len(ends), at)
        remaining = forecast.remaining_seconds(at)
        if 0.25 * finish < at < 0.85 * finish:
            assert remaining == pytest.approx(finish - at, rel=1 / 3)


def test_remaining_time_decreases_between_steps() -> None:
    forecast = Forecast([HEAVY] * 4, 2)
    begun = forecast.remaining_seconds(0.0)
    assert begun == pytest.approx(2 * step_seconds(HEAVY))
    assert forecast.remaining_seconds(1.0) == pytest.approx(begun - 1.0)


def test_part_of_a_build_needs_no_list() -> None:
    forecast = Forecast(STEPS, 1)
    forecast.ended(LIGHT, 1, 4, 10.0)
    assert forecast.remaining_seconds(10.0) == pytest.approx(30.0, rel=1 / 3)


def test_make_reports_percents_only() -> None:
    forecast = Forecast((), 1)
    assert forecast.remaining_seconds(0.0) is None
    forecast.ended(LIGHT, 50, 100, 60.0)
    assert forecast.remaining_seconds(60.0) == pytest.approx(60.0, rel=1 / 3)


def test_command_is_identified_by_object() -> None:
    command = "c++ -O3 -include bench/cmake_pch.hxx -MF x.d -o CMakeFiles/mallard.dir/x.cpp.o -c /src/x.cpp"
    assert step_text(command) == "Building CMakeFiles/mallard.dir/x.cpp.o"
    assert step_seconds(step_text(command)) == step_seconds(LIGHT)
    assert step_text(": && c++ -O3 a.o -o bench/mallard-bench && :") == "Linking"
