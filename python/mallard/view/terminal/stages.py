"""The stages of the project's tests as they run: the progress and outcome of each, and the time left."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from mallard.stages import Outcome, Stage
from mallard.stages.progress import Forecast, Progress, duration

TAIL_LINES = 40
MOST_FAILURES = 10
TAIL_WIDTH = 400  # a command may name every file of the tree
SECONDS_BETWEEN_LINES = 20.0
"""The time between lines of progress without a terminal."""


class StagesView:
    def __init__(self, forecast: Forecast) -> None:
        self.forecast = forecast
        self.console = Console(highlight=False, soft_wrap=True)

    @contextlib.contextmanager
    def watching(self, stage: Stage) -> Iterator[Progress]:
        """Shows progress in the last line of a terminal; without one, as a line now and then."""
        if self.console.is_terminal:
            with self.console.status(f"{stage.name}: {escape(stage.text)}") as status:
                yield Progress(lambda now: status.update(escape(self.line_of(stage, now))))
        else:
            yield Progress(self.teller(stage))
        self.forecast.finish(stage.name)

    def teller(self, stage: Stage) -> Callable[[Progress], None]:
        told = time.monotonic()

        def tell(now: Progress) -> None:
            nonlocal told
            if time.monotonic() - told > SECONDS_BETWEEN_LINES:
                told = time.monotonic()
                self.console.print(f"        {escape(self.line_of(stage, now))}")

        return tell

    def line_of(self, stage: Stage, now: Progress) -> str:
        """asan: compiling reuse/order_test.cpp, 35 of 179 - 3 min 10 s left"""
        work = f"{now.what or stage.text}, {now.count}" if now.count else now.what or stage.text
        return f"{stage.name}: {work} - {duration(self.forecast.seconds_left(stage.name, now.share))} left"

    def show(self, stage: Stage, outcome: Outcome, seconds: float, log: Path) -> None:
        word, style = ("FAILED", "bold red") if outcome.failed else ("passed", "green")
        if not outcome.failed and not outcome.passed:
            word, style = "skipped", "yellow"
        counts = f"{outcome.passed:5} passed {outcome.failed:4} failed {outcome.skipped:4} skipped"
        self.console.print(f"[{style}]{word:8}[/]{stage.name:14}{counts} {seconds:8.1f} s")
        for note in outcome.notes:
            self.console.print(f"        {escape(note)}")
        for failure in outcome.failures[:MOST_FAILURES]:
            self.console.print(f"        {escape(failure.name)}")
            self.quote(failure.lines)
        if outcome.failed and not outcome.failures:
            self.quote(log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:])
        if outcome.failed:
            self.console.print(f"        the whole output is in {escape(str(log))}")

    def quote(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.console.print(f"        | {escape(line[:TAIL_WIDTH])}")
