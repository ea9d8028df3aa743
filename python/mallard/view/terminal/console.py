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
