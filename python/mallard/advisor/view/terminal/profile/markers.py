"""The markers of a program in the terminal: scopes, progress, instances, pools."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.figures import Amount
from mallard.advisor.profile.names import Names
from mallard.advisor.view.terminal.profile.lines import heading, print_cut, print_omitted
from mallard.advisor.view.terminal.profile.scopes import show_table

SHOWN = 5


def show_markers(console: Console, profile: Profile, names: Names, *, all_rows: bool) -> None:
    markers = profile.markers
    most = None if all_rows else SHOWN
    if markers and markers.scopes:
        heading(console, "marked scopes", "exact")
        total = Amount(profile.figures.allocations, profile.figures.bytes)
        show_table(console, markers.scopes[:most], total, names)
        print_omitted(console, 0 if most is None else len(markers.scopes[most:]), "scope")
    facts = sentences.marked(profile)
    if facts:
        heading(console, "marked progress, instances and pools")
    for fact in facts[:most]:
        print_cut(console, Text(f"   {fact}"))
    print_omitted(console, 0 if most is None else len(facts[most:]), "row")
