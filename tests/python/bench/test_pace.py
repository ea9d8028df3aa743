"""Time left: the finest grain that knows a repetition speaks for it."""

from __future__ import annotations

import pytest

from mallard.bench.pace import Pace, grains
from mallard.bench.process import Repetition


def cell(structure: str, size: int, strategy: str, repetition: int = 0) -> Repetition:
    return Repetition("density", {"ds": structure, "size_log2": size}, strategy, repetition, 1)


def test_estimate_is_none_before_first_repetition() -> None:
    assert Pace().remaining_seconds([grains(cell("DS1", 6, "new-delete"))]) is None
    assert Pace().remaining_seconds([]) == 0.0


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [
        (cell("DS1", 6, "new-delete", 1), 2.0),  # the same cell
        (cell("DS1", 8, "new-delete"), 2.0),  # the same structure and strategy
        (cell("DS1", 8, "multipool/base"), 3.0),  # the same structure
        (cell("DS7", 6, "new-delete"), 4.0),  # anything
    ],
)
def test_the_nearest_speaks(ahead: Repetition, expected: float) -> None:
    pace = Pace()
    pace.add_sample(grains(cell("DS1", 6, "new-delete")), 2.0)
    pace.add_sample(grains(cell("DS1", 6, "new-delete/base")), 4.0)
    pace.add_sample(grains(cell("DS2", 6, "new-delete")), 6.0)
    assert pace.seconds(grains(ahead)) == pytest.approx(expected)


def test_remaining_time_is_a_sum() -> None:
    pace = Pace()
    pace.add_sample(grains(cell("DS1", 6, "new-delete")), 2.0)
    assert pace.remaining_seconds([grains(cell("DS1", 6, "new-delete", r)) for r in (1, 2)]) == pytest.approx(
        4.0
    )
