"""The progress of a run: a bar with the time left in a terminal, plain lines elsewhere.

The bar is drawn between the measured processes, and once a second during a long one. No separate thread
draws it, so that a measured process is not disturbed.
"""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from mallard.bench.analysis.labels import place_heads, place_text
from mallard.bench.analysis.words import amount
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Race
from mallard.bench.pace import format_remaining
from mallard.bench.result import Row
from mallard.shared.console import print_line

DRAW_SECONDS = 0.2
# The least time between plain lines.
LINE_SECONDS = 30.0
RACES = tuple(
    dict.fromkeys(
        name
        for experiment in EXPERIMENTS.values()
        if isinstance(experiment.panel, Race)
        for name in experiment.places
    )
)


class ProgressDisplay:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._total = 0
        self._drawn = 0.0
        self._remaining_seconds: float | None = None
        self._counted = 0.0

    def begin(self, done: int, total: int) -> None:
        self._total = total
        self._drawn = time.monotonic()
        if not self._console.is_terminal:
            self._print(f"{total - done} repetitions to run")
            return
        self._bar = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.completed:.0f}/{task.total:.0f}", markup=False),
            TextColumn("{task.fields[what]:<14}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total, completed=done, what="", left="")
        self._bar.start()

    def measured(self, row: Row, done: int, remaining_seconds: float | None) -> None:
        self._remaining_seconds, self._counted = remaining_seconds, time.monotonic()
        timestamp = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, what=_describe_row(row))
            if timestamp - self._drawn >= DRAW_SECONDS:
                self._draw(timestamp)
        elif timestamp - self._drawn >= LINE_SECONDS:
            self._drawn = timestamp
            share = 100 * done // self._total
            self._print(f"{share:3} %, {done} of {self._total}, {format_remaining(remaining_seconds)}")

    def tick(self) -> None:
        if self._bar is not None:
            self._draw(time.monotonic())

    def say(self, text: str) -> None:
        self._print(f"mallard: {text}")

    def warn(self, text: str) -> None:
        self._print(f"mallard: warning: {text}", "bold")

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _print(self, text: str, style: str = "") -> None:
        print_line(self._console, text, style)

    def _draw(self, timestamp: float) -> None:
        assert self._bar is not None
        remaining = (
            None
            if self._remaining_seconds is None
            else max(0.0, self._remaining_seconds - (timestamp - self._counted))
        )
        self._bar.update(self._task, left=format_remaining(remaining))
        self._bar.refresh()
        self._drawn = timestamp


def _describe_row(row: Row) -> str:
    """The row of the plan, by the parameters that identify it in the experiment."""
    parameters = row.parameters
    if "ds" in parameters:
        return f"{parameters['ds']} 2^{parameters['size_log2']} {row.strategy}"
    if "list_length" in parameters:
        return f"|S| {amount(int(parameters['list_length']))} {row.strategy}"
    places = [name for name in RACES if name in parameters]
    if places:
        heads, values = place_heads(places), place_text(places, [int(parameters[name]) for name in places])
        words = " ".join(f"{head} {value}" for head, value in zip(heads, values, strict=True))
        return f"{words} {row.strategy}"
    return f"{parameters.get('operation', row.experiment)} {row.strategy}"
