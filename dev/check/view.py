"""The stages of the project's tests as they run: progress and time left, then counts and failures."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

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
        self.begin = self.printed = time.monotonic()
        self.running: dict[Stage, float] = {}
        """The share that is complete of each stage that runs."""
        self.done = 0.0
        self.console = Console(highlight=False, soft_wrap=True, markup=False)
        self.status = self.console.status("") if self.console.is_terminal else None
        self.lock = threading.RLock()

    def __enter__(self) -> StagesView:
        if self.status:
            self.status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status:
            self.status.stop()

    @contextlib.contextmanager
    def watching(self, stage: Stage) -> Iterator[Callable[[float], None]]:
        """Shows progress in the last line of a terminal; without one, as a line now and then."""
        self.show_progress(stage, 0.0)
        try:
            yield lambda share: self.show_progress(stage, share)
        finally:
            with self.lock:
                del self.running[stage]
                self.done += self.costs[stage.name]

    def show_progress(self, stage: Stage, share: float) -> None:
        with self.lock:
            self.running[stage] = share
            left = duration(self.remaining_seconds(time.monotonic() - self.begin))
            if self.status:
                shares = (f"{stage.name}: {share:.0%}" for stage, share in self.running.items())
                self.status.update(f"{', '.join(shares)} - {left} left")
            elif time.monotonic() - self.printed > SECONDS_BETWEEN_LINES:
                self.printed = time.monotonic()
                self.console.print(f"        {stage.name}: {share:.0%} of {stage.text} - {left} left")

    def remaining_seconds(self, passed: float) -> float:
        """The rest after so many seconds. At first only the costs count."""
        whole = sum(self.costs.values())
        done = self.done + sum(self.costs[stage.name] * share for stage, share in self.running.items())
        return max(0.0, whole - done) * (passed / done if done > whole / 20 else 1.0)

    def show(self, stage: Stage, counts: Counts, seconds: Mapping[str, float], log: Path) -> None:
        with self.lock:
            self.show_counts(stage, counts, seconds, log)

    def show_counts(self, stage: Stage, counts: Counts, seconds: Mapping[str, float], log: Path) -> None:
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
