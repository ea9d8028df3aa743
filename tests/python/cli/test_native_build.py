"""The progress of a native build, on a clock of the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mallard.cli import native_build
from mallard.cli.native_build import STEP, Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    seconds = [0.0]
    monkeypatch.setattr(native_build.time, "monotonic", lambda: seconds[0])
    return seconds


def test_the_remaining_time_is_by_the_pace(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    for clock[0], number in ((10.0, 1), (20.0, 2), (60.0, 6)):
        progress.ended(number, 12)
    assert capsys.readouterr().err == (
        "mallard: built 2 of 12, about 2 min left\nmallard: built 6 of 12, about 60 s left\n"
    )


@pytest.mark.parametrize(
    ("line", "numbers"), [("[3/12] Building CXX", ("3", "12")), ("[ 50%] Linking", ("50", None))]
)
def test_steps_of_ninja_and_make_are_read(line: str, numbers: tuple[str, str | None]) -> None:
    step = STEP.match(line)
    assert step is not None
    assert step.groups() == numbers
