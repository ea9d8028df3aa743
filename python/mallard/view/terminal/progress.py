"""The progress of a run: a bar with the time left in a terminal, plain lines elsewhere.

The bar is drawn between the measured processes, and once a second during a long one. No thread of its own
draws it, so that a measured process has the machine to itself.
"""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from mallard.analysis.labels import place_heads, place_text
from mallard.analysis.words import amount
from mallard.experiments import EXPERIMENTS
from mallard.experiments.description.panel import Race
from mallard.pace import left_text
from mallard.result import Row
from mallard.view.terminal.console import print_line

DRAW_SECONDS = 0.2
# The least time between plain lines.
LINE_SECONDS = 30.0
RACES = tuple(
    dict.fromkeys(
        name for each in EXPERIMENTS.values() if isinstance(each.panel, Race) for name in each.places
    )
)


class ProgressDisplay:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._total = 0
        self._drawn = 0.0
        self._seconds_left: float | None = None
        self._counted = 0.0

    def begin(self, done: int, total: int) -> None:
        self._total = total
        self._drawn = time.monotonic()
        if not self._console.is_terminal:
            self._print(f"{total - done} repetitions to run")
            return
        self._bar = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TextColumn("{task.fields[what]:<14}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total, completed=done, what="", left="")
        self._bar.start()

    def measured(self, row: Row, done: int, seconds_left: float | None) -> None:
        self._seconds_left, self._counted = seconds_left, time.monotonic()
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, what=_what(row))
            if now - self._drawn >= DRAW_SECONDS:
                self._draw(now)
        elif now - self._drawn >= LINE_SECONDS:
            self._drawn = now
            share = 100 * done // self._total
            self._print(f"{share:3} %, {done} of {self._total}, {left_text(seconds_left)}")

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

    def _draw(self, now: float) -> None:
        assert self._bar is not None
        left = None if self._seconds_left is None else max(0.0, self._seconds_left - (now - self._counted))
        self._bar.update(self._task, left=left_text(left))
        self._bar.refresh()
        self._drawn = now


def _what(row: Row) -> str:
    """The row of the plan, by the parameters that tell it from others of its experiment."""
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
