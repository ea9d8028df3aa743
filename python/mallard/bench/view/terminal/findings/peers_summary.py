"""mallard beside other libraries on one screen: counterpart beside counterpart, then a line for each
library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.peers.comparison import (
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    UNFINISHED,
    Duel,
    peers_in,
    standings,
)
from mallard.bench.analysis.peers.contests import TIME
from mallard.bench.analysis.peers.counterparts import PLAIN, Counterpart, nearest
from mallard.bench.analysis.peers.words import counterpart_sentence, figure, worst_text

LEGEND = (
    "ratio: mallard's time / the other's, a mean of experiments; by library that of the fastest of each "
    "side, chosen after the fact, lowest to highest experiment."
)
FIGURE = 6  # columns of the longest figure, <0.001
WIDE = 100  # columns of a terminal with room for the worst experiment
MORE = "'mallard show peers EXPERIMENT' has one in full, 'mallard show peers --all' every one"


def show_peers_summary(console: Console, duels: Sequence[Duel], pairs: Sequence[Counterpart]) -> None:
    """The first table has the plain strategies alone, each with its fastest counterpart."""
    plain = [pair for pair in nearest(pairs) if pair.ours in PLAIN]
    if plain:
        console.print(counterparts_table(plain, worst=console.width >= WIDE))
        console.print(counterpart_sentence(pairs), markup=False)
    console.print(_by_library([duel for duel in duels if duel.quantity == TIME]))
    console.print(f"{LEGEND}", style="dim", markup=False)
    console.print(MORE, markup=False)


def _by_library(timed: Sequence[Duel]) -> Table:
    all_standings = standings(timed)
    grid = _grid("library", "faster", "even", "slower", "unfinished", "ratio")
    for peer in peers_in(all_standings):
        peer_standings = [standing for standing in all_standings if standing.peer == peer]
        counts = sum((standing.counts for standing in peer_standings), Counter[str]())
        means = sorted(standing.mean.median for standing in peer_standings if standing.mean)
        texts = dict.fromkeys(figure(mean) for mean in (means[:1] + means[-1:]))
        numbers = [str(counts[verdict]) for verdict in (FASTER, NO_DIFFERENCE, SLOWER, UNFINISHED)]
        grid.add_row(peer, *numbers, " to ".join(texts) or "-")
    return grid


def counterparts_table(counterparts: Sequence[Counterpart], *, worst: bool) -> Table:
    """`worst`: with the experiment in which mallard's strategy is slowest."""
    grid = _grid("mallard's", "its counterpart", "ratio", "faster", "even", "slower")
    grid.columns[1].justify = "left"
    for names in grid.columns[:2]:
        names.no_wrap, names.overflow, names.min_width = False, "fold", None
    if worst:
        grid.add_column(Text("slowest in"), overflow="fold")
    for pair in counterparts:
        numbers = [str(pair.counts[verdict]) for verdict in (FASTER, NO_DIFFERENCE, SLOWER)]
        ratio = figure(pair.ratio) if pair.ratio else "-"
        grid.add_row(pair.ours, pair.theirs, ratio, *numbers, *([worst_text(pair)] if worst else []))
    return grid


def _grid(first: str, *headings: str) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    grid.add_column(Text(first), no_wrap=True)
    for heading in headings:
        width = max(len(heading), FIGURE)
        grid.add_column(Text(heading), justify="right", no_wrap=True, min_width=width)
    return grid
