"""The console that results are printed to."""

from __future__ import annotations

import os

from rich.console import Console

# A full heat map.
PIPE_WIDTH = 100


def output_console(pipe_width: int = PIPE_WIDTH) -> Console:
    """A console as wide as the terminal; without a terminal, $COLUMNS or `pipe_width` wide."""
    console = Console(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = pipe_width
    return console


def print_line(console: Console, text: str, style: str = "", *, markup: bool = False) -> None:
    """Prints a line, wrapped between words on a terminal, unwrapped elsewhere."""
    console.print(text, style=style, markup=markup, soft_wrap=not console.is_terminal)
