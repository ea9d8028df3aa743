"""Known answers, and the share of intervals that hold the truth."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mallard.shared.stats import (
    Ratio,
    geometric_mean_ratio,
    mean_ratio,
    median,
    median_distribution,
    paired_ratio,
    quantile,
    spread,
    student_quantile,
)

TIMES = st.lists(st.floats(min_value=1e-3, max_value=1e9), min_size=2, max_size=7)


def noisy(generator: random.Random, n: int, deviation: float) -> list[float]:
    """Times around 1 whose logarithms are normal."""
    return [math.exp(generator.gauss(0.0, deviation)) for _ in range(n)]


def test_median_and_spread() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 2.0, 3.0]) == 2.5
    result = spread([5.0, 2.0, 9.0])
    assert (result.median, result.low, result.high, result.n) == (5.0, 2.0, 9.0, 3)


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="no values"):
        median([])


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 3.0), (0.9, 8.2), (1.0, 11.0)]
)
def test_quantiles_lie_between_values_in_proportion(share: float, expected: float) -> None:
    assert quantile([4.0, 11.0, 1.0, 2.0, 3.0], share) == pytest.approx(expected)
    assert quantile([7.0], share) == 7.0


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)],
)
def test_student_quantiles_match_tables(freedom: int, expected: float) -> None:
    assert student_quantile(freedom) == pytest.approx(expected, rel=0.002)


def test_ratio_is_paired_by_repetition() -> None:
    # The machine was three times slower in the second repetition; the ratio was 0.5 there too.
    ratio = paired_ratio([50.0, 150.0, 50.0], [100.0, 300.0, 100.0])
    assert ratio.median == pytest.approx(0.5)
    assert ratio.low == pytest.approx(0.5)
    assert ratio.high == pytest.approx(0.5)
    assert ratio.verdict == "faster"


def test_one_repetition_has_no_interval() -> None:
    ratio = paired_ratio([50.0], [100.0])
    assert ratio.median == pytest.approx(0.5)
    assert (ratio.low, ratio.high) == (0.0, math.inf)
    assert not ratio.bounded
    assert ratio.verdict == "no difference"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.5, 0.9, "faster"), (1.1, 2.0, "slower"), (0.9, 1.1, "no difference"), (0.9, 1.0, "no difference")],
)
def test_interval_containing_one_means_no_difference(low: float, high: float, verdict: str) -> None:
    assert Ratio((low + high) / 2, low, high, 3).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.95, 1.05, "even"),
        (0.94, 1.0, "not resolved"),
        (1.0, 1.06, "not resolved"),
        (0.0, math.inf, "not resolved"),
        (0.96, 0.99, "faster"),
        (1.01, 1.04, "slower"),
    ],
)
def test_even_is_an_interval_within_five_percent(low: float, high: float, outcome: str) -> None:
    assert Ratio(1.0, low, high, 3).outcome == outcome


@pytest.mark.parametrize("n", range(1, 8))
def test_median_distribution_matches_enumeration(n: int) -> None:
    middles = Counter((draw[(n - 1) // 2], draw[n // 2]) for draw in map(sorted, product(range(n), repeat=n)))
    table = {(low, high): probability for low, high, probability in median_distribution(n)}
    assert table == pytest.approx({place: middles[place] / n**n for place in table})
    assert middles.keys() == {place for place, probability in table.items() if probability > 1e-12}


@pytest.mark.parametrize("n", [9, 10, 99, 100])
def test_probabilities_of_many_repetitions_add_up(n: int) -> None:
    assert sum(probability for _, _, probability in median_distribution(n)) == pytest.approx(1.0)


def test_interval_of_three_repetitions_by_hand() -> None:
    # The median of three draws is the least in 7 of 27 cases, the greatest in as many.
    ratio = paired_ratio([math.exp(-0.1), 1.0, math.exp(0.1)], [1.0, 1.0, 1.0])
    half = student_quantile(2) * 0.1 * math.sqrt(14 / 27)
    assert (ratio.low, ratio.high) == pytest.approx((math.exp(-half), math.exp(half)))


def test_two_repetitions_use_students_interval() -> None:
    ratio = paired_ratio([math.exp(-0.1), math.exp(0.1)], [1.0, 1.0])
    assert math.log(ratio.high) == pytest.approx(student_quantile(1) * 0.1)


def test_equal_repetitions_have_zero_width() -> None:
    ratio = paired_ratio([0.7, 1.4, 2.1, 0.7], [0.1, 0.2, 0.3, 0.1])
    assert ratio.high / ratio.low == pytest.approx(1.0, abs=1e-12)
    constant = paired_ratio([3.0, 3.0, 3.0], [1.0, 1.0, 1.0])
    assert constant.low == constant.median == constant.high


def test_interval_ignores_order_of_repetitions() -> None:
    times, base = [1.0, 1.3, 1.1, 0.9], [2.0, 2.2, 2.1, 2.4]
    assert paired_ratio(times, base) == paired_ratio(times[::-1], base[::-1])


@pytest.mark.parametrize(
    ("times", "base", "message"),
    [([1.0], [1.0, 2.0], "paired"), ([], [], "no repetitions"), ([0.0], [1.0], "above 0")],
)
def test_refuses_invalid_ratios(times: list[float], base: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_ratio(times, base)


@given(times=TIMES)
def test_a_strategy_does_not_differ_from_itself(times: list[float]) -> None:
    ratio = paired_ratio(times, times)
    assert ratio.median == 1.0
    assert ratio.verdict == "no difference"


@given(pairs=st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=2, max_size=6))
def test_the_inverse_ratio_has_the_inverse_interval(pairs: list[tuple[float, float]]) -> None:
    times, base = [a for a, _ in pairs], [b for _, b in pairs]
    one, inverse = paired_ratio(times, base), paired_ratio(base, times)
    assert one.median * inverse.median == pytest.approx(1.0)
    assert one.low * inverse.high == pytest.approx(1.0)
    assert one.low <= one.median <= one.high


@pytest.mark.parametrize("repetitions", [2, 3, 5, 10])
def test_intervals_cover_the_true_ratio(repetitions: int) -> None:
    generator = random.Random(7)
    trials, held = 600, 0
    for _ in range(trials):
        times = [0.5 * time for time in noisy(generator, repetitions, 0.05)]
        ratio = paired_ratio(times, noisy(generator, repetitions, 0.05))
        held += ratio.low <= 0.5 <= ratio.high
    # Three standard deviations below 95 %; a plain percentile interval of three holds 75 %.
    assert held / trials > 0.95 - 3 * math.sqrt(0.95 * 0.05 / trials)


def test_intervals_are_not_wide_for_nothing() -> None:
    generator = random.Random(8)
    widths = []
    for _ in range(200):
        ratio = paired_ratio(noisy(generator, 3, 0.02), noisy(generator, 3, 0.02))
        widths.append(math.log(ratio.high / ratio.low))
    # Student's interval for the mean of three normal logarithms has 0.12 on average.
    assert fmean(widths) < 0.20


def test_mean_ratio_is_the_mean_of_the_rows() -> None:
    mean = mean_ratio([([50.0, 50.0], [100.0, 100.0]), ([300.0, 300.0], [200.0, 200.0])])
    assert mean.median == pytest.approx(1.0)
    assert mean.n == 2
    assert mean.low == pytest.approx(1.0)


def test_mean_ratio_of_single_repetitions_has_no_interval() -> None:
    mean = mean_ratio([([50.0], [100.0]), ([75.0, 75.0], [100.0, 100.0])])
    assert mean.median == pytest.approx(0.625)
    assert not mean.bounded


def test_mean_ratio_combines_variances_of_rows() -> None:
    spread_row = ([0.9, 1.0, 1.1], [1.0, 1.0, 1.0])
    mean = mean_ratio([spread_row, ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0])])
    assert mean.median == pytest.approx(1.5)
    assert mean.high - mean.median == pytest.approx(student_quantile(4) * 0.1 * math.sqrt(14 / 27) / 2)


def test_geometric_mean_ratio_makes_up_half_by_twice() -> None:
    mean = geometric_mean_ratio([([1.0, 1.1], [2.0, 2.2]), ([2.0, 4.0], [1.0, 2.0])])
    assert (mean.low, mean.median, mean.high) == pytest.approx((1.0, 1.0, 1.0))


def test_mean_ratio_covers_truth_more_narrowly() -> None:
    generator = random.Random(9)
    truths = [0.3 + 0.6 * row / 19 for row in range(20)]
    held = 0
    for _ in range(150):
        pairs = [([truth * time for time in noisy(generator, 3, 0.05)], [1.0, 1.0, 1.0]) for truth in truths]
        mean = mean_ratio(pairs)
        held += mean.low <= fmean(truths) <= mean.high
        assert mean.high - mean.low < 0.15
    assert held >= 137


def test_mean_ratio_of_no_rows() -> None:
    with pytest.raises(ValueError, match="no rows"):
        mean_ratio([])
