"""The stages of the project's tests as they run: progress and time left, then counts and failures."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rich.console import Console

from dev.check import Counts, Stage

MOST_REASONS = 10
LINE_WIDTH = 400  # a command may name every file of the tree
SECONDS_BETWEEN_LINES = 20.0
"""The time between lines of progress without a terminal."""


class StagesView:
    """The costs, in seconds of another machine, are relative: the pace of this one is measured on the way."""

    def __init__(self, costs: Mapping[str, float]) -> None:
        self.costs = costs
        self.begin = time.monotonic()
        self.done = 0.0
        self.console = Console(highlight=False, soft_wrap=True, markup=False)

    @contextlib.contextmanager
    def watching(self, stage: Stage, log: Path) -> Iterator[Callable[[float], None]]:
        """Shows progress in the last line of a terminal; without one, as a line now and then."""
        printed = time.monotonic()

        def line(share: float) -> str:
            left = self.remaining_seconds(stage.name, share, time.monotonic() - self.begin)
            return f"{stage.name}: {share:.0%} of {stage.text} - {duration(left)} left"

        if self.console.is_terminal:
            with self.console.status(line(0.0)) as status:
                yield lambda share: status.update(line(share))
        else:

            def show(share: float) -> None:
                nonlocal printed
                if time.monotonic() - printed > SECONDS_BETWEEN_LINES:
                    printed = time.monotonic()
                    self.console.print(f"        {line(share)}")

            yield show
        self.done += self.costs[stage.name]

    def remaining_seconds(self, name: str, share: float, passed: float) -> float:
        """The rest after `share` of a stage and `passed` seconds. At first only the costs count."""
        whole = sum(self.costs.values())
        done = self.done + self.costs[name] * share
        return max(0.0, whole - done) * (passed / done if done > whole / 20 else 1.0)

    def show(self, stage: Stage, counts: Counts, seconds: Mapping[str, float], log: Path) -> None:
        word, style = ("FAILED", "bold red") if counts.failed else ("passed", "green")
        if not counts.failed and not counts.passed:
            word, style = "skipped", "yellow"
        self.console.print(f"{word:8}", style=style, end="")
        numbers = f"{counts.passed:5} passed {counts.failed:4} failed {counts.skipped:4} skipped"
        self.console.print(f"{stage.name:14}{numbers} {seconds['wall']:7.1f} s, {seconds['user']:.0f} s user")
        for reason in counts.skips[:MOST_REASONS] + counts.failures[:MOST_REASONS]:
            for line in reason.splitlines():
                self.console.print(f"        {line[:LINE_WIDTH]}")
        if counts.failed:
            self.console.print(f"        the whole output is in {log}")


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
