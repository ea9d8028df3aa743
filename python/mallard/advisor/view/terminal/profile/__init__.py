"""A profile in the terminal: one screen for the whole program, or one scope in depth."""

from __future__ import annotations

from rich.console import Console

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.view.terminal.profile.facts import show_facts, show_losses
from mallard.advisor.view.terminal.profile.in_depth import show_in_depth
from mallard.advisor.view.terminal.profile.markers import show_markers
from mallard.advisor.view.terminal.profile.scopes import show_scopes
from mallard.advisor.view.terminal.profile.unowned import show_unowned


def show_profile(console: Console, profile: Profile, *, all_rows: bool = False) -> None:
    """Prints the document's scope in depth, or all scopes if it has none; `all_rows` prints long lists."""
    names = Names(profile)
    if profile.scope is not None:
        show_in_depth(console, profile, profile.scope, names, all_rows=all_rows)
    else:
        show_facts(console, profile)
        show_markers(console, profile, names, all_rows=all_rows)
        show_scopes(console, profile, names, all_rows=all_rows)
        show_unowned(console, profile, names, all_rows=all_rows)
    show_losses(console, profile)
