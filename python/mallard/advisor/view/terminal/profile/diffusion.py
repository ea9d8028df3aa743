"""Scopes whose live blocks are scattered over pages, in the terminal."""

from __future__ import annotations

from rich.console import Console

from mallard.advisor.profile.diffusion import ABOUT, HEADS, cells, diffused_scopes
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.view.terminal.profile.lines import (
    Column,
    count_prefix,
    figures_line,
    heading,
    heads,
    print_cut,
    print_name,
)

WIDTHS = (13, 10, 10, 8, 8, 8, 9)
COLUMNS = tuple(Column(head, width) for head, width in zip(HEADS, WIDTHS, strict=True))
INDENT = 1
MOST_SCOPES = 2


def show_diffusion(console: Console, profile: Profile, names: Names, *, all_rows: bool) -> None:
    """Prints nothing if no scope is diffused."""
    rows = diffused_scopes(profile)
    if not rows:
        return
    shown = rows if all_rows else rows[:MOST_SCOPES]
    heading(console, "diffusion", f"{count_prefix(len(shown), len(rows))}{ABOUT}")
    print_cut(console, heads(COLUMNS, INDENT))
    for row in shown:
        print_name(console, " - ", names.scope_within(row.scope), names.source(row.scope.function))
        print_cut(console, figures_line(cells(row), COLUMNS, INDENT))
