"""The display of `mallard test` while it runs: the stage, its number among all, the time left."""

import pytest

from mallard.stages.progress import Forecast, Progress, duration

LINES = [
    (
        "[35/140] Building CXX object tests/unit/CMakeFiles/mallard_unit_tests.dir/reuse/order_test.cpp.o",
        ("compiling reuse/order_test.cpp", "35 of 140", 0.25),
    ),
    ("[7/14] Linking CXX executable units", ("Linking CXX executable units", "7 of 14", 0.5)),
    (
        "[ 20%] Building CXX object CMakeFiles/mallard.dir/src/mallard/upstream/pages.cpp.o",
        ("compiling src/mallard/upstream/pages.cpp", "20 %", 0.2),
    ),
    (" 3/12 Test  #5: units.1 ......   Passed    0.53 sec", ("units.1", "3 of 12", 0.25)),
    ("tests/python/test_run.py .......... [ 45%]", ("python/test_run.py", "45 %", 0.45)),
    ("............................. [ 9%]", ("", "9 %", 0.09)),
    ("include/mallard/a.hpp:3: warning: [1/2 of it", ("", "", 0.0)),
    ("[0/0] nothing to do", ("nothing to do", "0 of 0", 0.0)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_of_a_command_tells_how_far_it_is(line, expected):
    progress = Progress()
    progress.begin((0.0, 1.0))
    progress.read(line)
    assert (progress.what, progress.count, pytest.approx(progress.share)) == expected


def test_a_command_is_a_part_of_its_stage():
    told = []
    progress = Progress(lambda now: told.append(now.share))
    progress.begin((0.0, 0.8))
    progress.read("[1/2] a")
    progress.begin((0.8, 1.0))
    progress.read("1/2 Test #1: b")
    assert told == pytest.approx([0.0, 0.4, 0.8, 0.9])


def test_the_rest_takes_as_long_as_its_cost_at_the_pace_so_far():
    forecast = Forecast({"first": 100, "second": 300}, begin=0.0)
    assert forecast.seconds_left("first", 0.01, now=1000.0) == pytest.approx(399)
    assert forecast.seconds_left("first", 0.5, now=100.0) == pytest.approx(700)
    forecast.finish("first")
    assert forecast.seconds_left("second", 0.0, now=200.0) == pytest.approx(600)
    assert forecast.seconds_left("second", 1.0, now=800.0) == 0


def test_durations_are_read_at_a_glance():
    words = [duration(seconds) for seconds in (0.4, 59, 60, 125)]
    assert words == ["0 s", "59 s", "1 min 00 s", "2 min 05 s"]
