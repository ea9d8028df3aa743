"""The console that results are printed to. It prints every text as it is: names of functions, scopes and
strategies come from programs, recordings and databases, and may hold markup or control characters.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment

from mallard.shared.prose import printable

# A full heat map.
PIPE_WIDTH = 100
SIZES = ("COLUMNS", "LINES")


class PlainConsole(Console):
    """A console without markup, emoji codes and highlighting, which escapes control characters."""

    def __init__(self, **options: Any) -> None:
        environment = _with_valid_sizes(os.environ)
        super().__init__(highlight=False, markup=False, emoji=False, _environ=environment, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


def _with_valid_sizes(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Leaves out sizes that are not up to four digits; a line of $COLUMNS blanks may need gigabytes."""
    invalid = {name for name in SIZES if not re.fullmatch("[1-9][0-9]{0,3}", environment.get(name, ""))}
    return {name: value for name, value in environment.items() if name not in invalid}


def output_console(pipe_width: int = PIPE_WIDTH) -> PlainConsole:
    """A console as wide as the terminal; without a terminal, $COLUMNS or `pipe_width` wide."""
    console = PlainConsole()
    if not console.is_terminal and "COLUMNS" not in _with_valid_sizes(os.environ):
        console.width = pipe_width
    return console


def print_line(console: Console, text: RenderableType, style: str = "") -> None:
    """Prints a line, wrapped between words on a terminal, unwrapped elsewhere."""
    console.print(text, style=style, soft_wrap=not console.is_terminal)


@contextlib.contextmanager
def count_progress(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that takes the finished and the total steps. Nothing is drawn between its
    calls, so that a measured process is not disturbed."""
    columns = (
        TextColumn(label, markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task(label)

        def tick(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            if console.is_terminal:
                bar.refresh()

        yield tick


@contextlib.contextmanager
def step_progress(console: Console) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Yields a function that begins a step of work, and returns its tick. One bar shows all steps."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=30), MofNCompleteColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("")

        def step(name: str) -> Callable[[int, int], None]:
            def tick(done: int, total: int) -> None:
                bar.update(task, description=name, completed=done, total=total)
                if console.is_terminal:
                    bar.refresh()

            tick(0, 1)
            return tick

        yield step
