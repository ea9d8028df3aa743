"""The progress of work whose steps are counted: a bar in a terminal, nothing elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextlib.contextmanager
def count_on(console: Console, what: str) -> Iterator[Callable[[int, int], None]]:
    """Gives a function that is told the steps that are done, and of how many. Nothing is drawn between its
    calls, so that a measured process has the machine to itself."""
    columns = (TextColumn(what), BarColumn(bar_width=30), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task(what)

        def tick(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)
            if console.is_terminal:
                bar.refresh()

        yield tick


@contextlib.contextmanager
def steps_on(console: Console) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Gives a function that begins a step of work, and returns its tick. One bar shows all of them."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("")

        def step(name: str) -> Callable[[int, int], None]:
            def tick(done: int, of: int) -> None:
                bar.update(task, description=name, completed=done, total=of)
                if console.is_terminal:
                    bar.refresh()

            tick(0, 1)
            return tick

        yield step
