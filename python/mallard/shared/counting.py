"""The progress of work whose steps are counted: a bar in a terminal, nothing elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


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
