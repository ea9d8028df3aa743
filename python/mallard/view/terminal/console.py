"""The console that results are printed to."""

from __future__ import annotations

import os

from rich.console import Console

# A full heat map.
PIPE_WIDTH = 100


def output_console(pipe_width: int = PIPE_WIDTH) -> Console:
    """As wide as the terminal; elsewhere as wide as said, unless $COLUMNS says otherwise."""
    console = Console(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = pipe_width
    return console


def print_line(console: Console, text: str, style: str = "", *, markup: bool = False) -> None:
    """On a terminal broken between words; elsewhere one line, whatever its length."""
    console.print(text, style=style, markup=markup, soft_wrap=not console.is_terminal)
