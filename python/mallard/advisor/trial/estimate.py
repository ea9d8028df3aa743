"""Messages shown before a user's program runs many times: what happens, and how long it takes."""

from __future__ import annotations

import os

from mallard.shared.errors import UsageError

MOST_SECONDS = 3600.0  # limit for a command without --rounds
SHORT_SECONDS = 0.05
EMPTY_INPUT = (
    "The program had no terminal, and its standard input was empty; if it reads it, give it --input FILE."
)


def runs_again(program: str) -> str:
    return (
        f"{os.path.basename(program)} runs many times, in this folder: files that it writes are written "
        "again each time."
    )


def estimate(runs: int, seconds: float) -> str:
    return f"A run takes {_seconds(seconds)}; up to {runs:,} runs take about {_long(runs * seconds)}."


def refuse_long(runs: int, seconds: float) -> None:
    if runs * seconds > MOST_SECONDS:
        raise UsageError(
            f"a run takes {_seconds(seconds)}, so {runs:,} runs would take about {_long(runs * seconds)}; "
            "give the program less work, or --rounds N (at least 3, 21 for a narrow interval) to wait"
        )


def short(seconds: float) -> str:
    """A warning for a program that is too short to measure well; empty otherwise."""
    if seconds >= SHORT_SECONDS:
        return ""
    return (
        f"The program takes {1e3 * seconds:.0f} ms; with more work, the answer is surer, and its start "
        "weighs less."
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _long(seconds: float) -> str:
    for unit, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(seconds, 2):.0f} seconds"
