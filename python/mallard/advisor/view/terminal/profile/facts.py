"""The head of a profile's screen: completeness, time in the allocator, totals; and at its end, the losses."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.figures import Figures
from mallard.advisor.view.terminal.profile.lines import bar, fact, paragraph, print_cut

LETTERS = "DVLUCF"
SHORT_BAR = 3


def show_facts(console: Console, profile: Profile) -> None:
    print_cut(console, Text(sentences.command(profile), "bold"))
    paragraph(console, sentences.process_facts(profile), "dim")
    withheld = profile.completeness.withheld
    if others := sentences.other_processes(profile):
        fact(console, "other processes", f"{others}: --process N")
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
