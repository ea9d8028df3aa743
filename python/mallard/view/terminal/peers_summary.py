"""mallard beside other libraries on one screen: a line for each library, and one for each experiment with a
loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.analysis.contests import TIME
from mallard.analysis.peer_words import figure, peer_sentences, ratio_text
from mallard.analysis.peers import (
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    UNFINISHED,
    Duel,
    losses,
    peers_in,
    standings,
)

LEGEND = (
    "ratio: the time of mallard's fastest strategy / that of the library's fastest; by library the lowest to "
    "the highest mean of an experiment. Below 1 mallard is faster. unfinished: the library."
)
MOST_EXPERIMENTS = 6
MORE = "'mallard peers EXPERIMENT' has one in full, 'mallard peers --all' every one"


def show_peers_summary(console: Console, found: Sequence[Duel]) -> None:
    timed = [duel for duel in found if duel.quantity == TIME]
    for sentence in peer_sentences(found)[:1]:
        console.print(f"{sentence}\n", markup=False)
    console.print(_by_library(timed))
    lost = losses(timed)
    if lost:
        console.print()
        console.print(_by_experiment(timed, lost))
    console.print(f"\n{LEGEND}", style="dim", markup=False)
    console.print(MORE, markup=False)


def _by_library(timed: Sequence[Duel]) -> Table:
    every = standings(timed)
    grid = _grid("library", "faster", "even", "slower", "unfinished", "ratio")
    for peer in peers_in(every):
        its = [each for each in every if each.peer == peer]
        counts = sum((each.counts for each in its), Counter[str]())
        means = sorted(each.mean.median for each in its if each.mean)
        texts = dict.fromkeys(figure(mean) for mean in (means[:1] + means[-1:]))
        numbers = [str(counts[verdict]) for verdict in (FASTER, NO_DIFFERENCE, SLOWER, UNFINISHED)]
        grid.add_row(peer, *numbers, " to ".join(texts) or "-")
    return grid


def _by_experiment(timed: Sequence[Duel], lost: Sequence[Duel]) -> Table:
    """The experiments in which a library is faster in some cell, the worst first, as many as fit a screen."""
    grid = _grid("slower in", "cells", "of", "at the worst beside", "ratio")
    for experiment in list(dict.fromkeys(duel.experiment for duel in lost))[:MOST_EXPERIMENTS]:
        its = [duel for duel in lost if duel.experiment == experiment]
        cells = {duel.cell for duel in timed if duel.experiment == experiment}
        slower = {duel.cell for duel in its}
        worst = its[0]
        grid.add_row(
            experiment, str(len(slower)), str(len(cells)), worst.peer, ratio_text(worst.ratio) or "-"
        )
    return grid


def _grid(first: str, *headings: str) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    grid.add_column(Text(first), no_wrap=True)
    for heading in headings:
        grid.add_column(Text(heading), justify="right", no_wrap=True)
    return grid
