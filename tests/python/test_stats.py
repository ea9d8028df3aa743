"""Known answers, and how often an interval holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mallard.stats import Ratio, mean_ratio, median, paired_ratio, spread, student_quantile

TIMES = st.lists(st.floats(min_value=1e-3, max_value=1e9), min_size=2, max_size=7)


def test_median_and_spread() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 2.0, 3.0]) == 2.5
    found = spread([5.0, 2.0, 9.0])
    assert (found.median, found.low, found.high, found.n) == (5.0, 2.0, 9.0, 3)


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="no values"):
        median([])


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)],
)
def test_student_quantiles_are_those_of_the_tables(freedom: int, expected: float) -> None:
    assert student_quantile(freedom) == pytest.approx(expected, rel=0.002)


def test_ratio_is_paired_by_repetition() -> None:
    # The machine was three times slower in the second repetition; the ratio was 0.5 all the same.
    ratio = paired_ratio([50.0, 150.0, 50.0], [100.0, 300.0, 100.0])
    assert ratio.median == pytest.approx(0.5)
    assert ratio.low == pytest.approx(0.5)
    assert ratio.high == pytest.approx(0.5)
    assert ratio.verdict == "faster"


def test_one_repetition_gives_no_interval_and_no_verdict() -> None:
    ratio = paired_ratio([50.0], [100.0])
    assert ratio.median == pytest.approx(0.5)
    assert (ratio.low, ratio.high) == (0.0, math.inf)
    assert not ratio.bounded
    assert ratio.verdict == "no difference"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.5, 0.9, "faster"), (1.1, 2.0, "slower"), (0.9, 1.1, "no difference"), (0.9, 1.0, "no difference")],
)
def test_an_interval_that_contains_one_is_no_difference(low: float, high: float, verdict: str) -> None:
    assert Ratio((low + high) / 2, low, high, 3).verdict == verdict


def test_the_same_seed_gives_the_same_interval() -> None:
    times, base = [1.0, 1.3, 1.1, 0.9], [2.0, 2.2, 2.1, 2.4]
    assert paired_ratio(times, base, seed=5) == paired_ratio(times, base, seed=5)
    assert paired_ratio(times, base, seed=5) != paired_ratio(times, base, seed=6)


@pytest.mark.parametrize(
    ("times", "base", "what"),
    [([1.0], [1.0, 2.0], "paired"), ([], [], "no repetitions"), ([0.0], [1.0], "above 0")],
)
def test_ratios_of_what_has_none(times: list[float], base: list[float], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        paired_ratio(times, base)


@given(times=TIMES)
def test_a_strategy_does_not_differ_from_itself(times: list[float]) -> None:
    ratio = paired_ratio(times, times)
    assert ratio.median == 1.0
    assert ratio.verdict == "no difference"


@given(pairs=st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=2, max_size=6))
def test_the_inverse_ratio_has_the_inverse_interval(pairs: list[tuple[float, float]]) -> None:
    times, base = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = paired_ratio(times, base), paired_ratio(base, times)
    assert one.median * other.median == pytest.approx(1.0)
    assert one.low * other.high == pytest.approx(1.0)
    assert one.low <= one.median <= one.high


@pytest.mark.parametrize("repetitions", [2, 3, 5, 10])
def test_intervals_hold_the_true_ratio_as_often_as_they_say(repetitions: int) -> None:
    generator = np.random.default_rng(7)
    trials, held = 600, 0
    for _ in range(trials):
        times = 0.5 * np.exp(0.05 * generator.standard_normal(repetitions))
        base = np.exp(0.05 * generator.standard_normal(repetitions))
        ratio = paired_ratio(list(times), list(base))
        held += ratio.low <= 0.5 <= ratio.high
    # Three standard deviations below 95 %; a plain percentile interval of three holds 75 %.
    assert held / trials > 0.95 - 3 * math.sqrt(0.95 * 0.05 / trials)


def test_intervals_are_not_wide_for_nothing() -> None:
    generator = np.random.default_rng(8)
    widths = []
    for _ in range(200):
        times, base = np.exp(0.02 * generator.standard_normal((2, 3)))
        ratio = paired_ratio(list(times), list(base))
        widths.append(math.log(ratio.high / ratio.low))
    # Student's interval for the mean of three normal logarithms has 0.12 on average.
    assert np.mean(widths) < 0.20


def test_mean_ratio_is_the_mean_of_the_rows() -> None:
    mean = mean_ratio([([50.0, 50.0], [100.0, 100.0]), ([300.0, 300.0], [200.0, 200.0])])
    assert mean.median == pytest.approx(1.0)
    assert mean.n == 2
    assert mean.low == pytest.approx(1.0)


def test_mean_ratio_of_single_repetitions_has_no_interval() -> None:
    mean = mean_ratio([([50.0], [100.0]), ([75.0, 75.0], [100.0, 100.0])])
    assert mean.median == pytest.approx(0.625)
    assert not mean.bounded


def test_mean_ratio_holds_the_truth_and_is_narrower_than_its_rows() -> None:
    generator = np.random.default_rng(9)
    truths = np.linspace(0.3, 0.9, 20)
    held = 0
    for _ in range(150):
        pairs = [
            (list(truth * np.exp(0.05 * generator.standard_normal(3))), [1.0, 1.0, 1.0]) for truth in truths
        ]
        mean = mean_ratio(pairs)
        held += mean.low <= truths.mean() <= mean.high
        assert mean.high - mean.low < 0.15
    assert held >= 137


def test_mean_ratio_of_no_rows() -> None:
    with pytest.raises(ValueError, match="no rows"):
        mean_ratio([])
