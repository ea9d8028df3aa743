"""A profile in the terminal: one screen for the whole program, or one scope in depth."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Figures
from mallard.advisor.view.terminal.profile.diffusion import show_diffusion
from mallard.advisor.view.terminal.profile.lines import bar, fact, paragraph, print_cut
from mallard.advisor.view.terminal.profile.scopes import show_in_depth, show_markers, show_scopes
from mallard.advisor.view.terminal.profile.unowned import show_unowned

LETTERS = "DVLUCF"
SHORT_BAR = 3


def show_facts(console: Console, profile: Profile) -> None:
    print_cut(console, Text(sentences.command(profile), "bold"))
    paragraph(console, sentences.process_facts(profile), "dim")
    withheld = profile.completeness.withheld
    if others := sentences.other_processes(profile):
        fact(console, "other processes", f"{others}: --process NAME")
    fact(console, "stacks complete", sentences.completeness(profile), "bold red" if withheld else "")
    if not profile.completeness.events:
        return
    fact(console, "in the allocator", sentences.time_inside(profile))
    fact(console, "allocations", sentences.totals(profile))
    fact(console, "alive at the end", sentences.alive(profile))
    fact(console, "sizes", sentences.block_sizes(profile))
    fact(console, "overall, 0 to 1", dimensions_line(profile.figures))
    if withheld:
        console.print()
        paragraph(console, sentences.withheld(profile), "bold red")


def dimensions_line(figures: Figures) -> str:
    """`D █░░░ 0.08  V ███░ 0.71  ...`"""
    scaled = [(letter, figures.dimension(letter).scaled) for letter in LETTERS]
    return " ".join(
        f"{letter} {bar(value, SHORT_BAR)} {'-' if value is None else f'{value:.2f}'.removeprefix('0'):<3}"
        for letter, value in scaled
    ).rstrip()


def show_losses(console: Console, profile: Profile) -> None:
    losses = sentences.losses(profile)
    if losses:
        console.print()
    for sentence in losses:
        paragraph(console, sentence, "yellow")


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
        show_diffusion(console, profile, names, all_rows=all_rows)
    show_losses(console, profile)
