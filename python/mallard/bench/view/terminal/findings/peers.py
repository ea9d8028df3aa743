"""mallard beside other libraries in the terminal: on one screen counterpart beside counterpart, and a line
for each library; or in full a table for each experiment, then the cells that another wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.peers import (
    COUNTED,
    EVEN,
    FASTER,
    PLAIN,
    SLOWER,
    TIME,
    UNFINISHED,
    UNRESOLVED,
    CellNames,
    Counterpart,
    Duel,
    Standing,
    by_quantity,
    counterpart_sentence,
    duel_text,
    losses,
    nearest,
    peer_sentences,
    peers_in,
    ratio_figure,
    standings,
    worst_text,
)
from mallard.bench.analysis.words import no_difference
from mallard.bench.store import Run
from mallard.shared.report.terminal_map import ratio_style
from mallard.shared.stats import Ratio

SUMMARY_LEGEND = (
    "ratio: mallard's time / the other's, a mean of experiments; by library that of the fastest of each "
    "side, chosen after the fact, lowest to highest experiment."
)
# The heads of the counted cells.
HEADS = {
    FASTER: "faster",
    EVEN: "even",
    UNRESOLVED: "open",
    SLOWER: "slower",
    UNFINISHED: "failed",
}
FIGURE = 6  # columns of the longest figure, <0.001
WIDE = 100  # columns of a terminal with room for the worst experiment
MORE = "'mallard show peers EXPERIMENT' has one in full, '--all' every one"


def show_peers_summary(console: Console, duels: Sequence[Duel], pairs: Sequence[Counterpart]) -> None:
    """The first table has the plain strategies alone, each with its fastest counterpart."""
    plain = [pair for pair in nearest(pairs) if pair.ours in PLAIN]
    if plain:
        console.print(counterparts_table(plain, worst=console.width >= WIDE))
        console.print(counterpart_sentence(pairs))
    console.print(_by_library([duel for duel in duels if duel.quantity == TIME]))
    console.print(f"{SUMMARY_LEGEND}", style="dim")
    console.print(MORE)


def _by_library(timed: Sequence[Duel]) -> Table:
    all_standings = standings(timed)
    grid = _grid("library", *HEADS.values(), "ratio", least=FIGURE)
    for peer in peers_in(all_standings):
        peer_standings = [standing for standing in all_standings if standing.peer == peer]
        counts = sum((standing.counts for standing in peer_standings), Counter[str]())
        means = sorted(standing.mean.median for standing in peer_standings if standing.mean)
        texts = dict.fromkeys(ratio_figure(mean) for mean in (means[:1] + means[-1:]))
        numbers = [str(counts[verdict]) for verdict in (*COUNTED, UNFINISHED)]
        grid.add_row(peer, *numbers, " to ".join(texts) or "-")
    return grid


def counterparts_table(counterparts: Sequence[Counterpart], *, worst: bool) -> Table:
    """`worst`: with the experiment in which mallard's strategy is slowest."""
    grid = _grid(
        "mallard's", "its counterpart", "ratio", *(HEADS[verdict] for verdict in COUNTED), least=FIGURE
    )
    grid.columns[1].justify = "left"
    for names in grid.columns[:2]:
        names.no_wrap, names.overflow, names.min_width = False, "fold", None
    if worst:
        grid.add_column(Text("slowest in"), overflow="fold")
    for pair in counterparts:
        numbers = [str(pair.counts[verdict]) for verdict in COUNTED]
        ratio = ratio_figure(pair.ratio) if pair.ratio else "-"
        grid.add_row(pair.ours, pair.theirs, ratio, *numbers, *([worst_text(pair)] if worst else []))
    return grid


def _grid(first: str, *headings: str, least: int = 0) -> Table:
    """`least`: columns of a figure, if there is room for it."""
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    grid.add_column(Text(first), no_wrap=True)
    for heading in headings:
        width = max(len(heading), least) if least else None
        grid.add_column(Text(heading), justify="right", no_wrap=True, min_width=width)
    return grid


LOSSES_SHOWN = 40
# Columns of the terminal.
LIBRARY, MEAN, GAP = 20, 7, 2
Column = tuple[str, dict[str, Standing]]  # a figure beside the time, by library
WIDTH_WITH_WORST = 140
LEGEND = (
    "ratio: the time of mallard's fastest strategy / that of the library's fastest, cell by cell; the "
    "geometric mean with its 95 % interval; below 1 mallard is faster. faster, even, slower: mallard, in "
    "cells; even: within 5 percent of 1; open: a wider interval that holds 1; failed: the other. "
    "=: no difference."
)


def show_peers(
    console: Console, duels: Sequence[Duel], pairs: Sequence[Counterpart], runs: Sequence[Run]
) -> None:
    if pairs:
        console.print(counterparts_table(pairs, worst=console.width >= WIDE))
        console.print()
    for sentence in peer_sentences(duels, pairs):
        console.print(sentence)
    console.print()
    for experiment in dict.fromkeys(duel.experiment for duel in duels):
        _show_experiment(console, [duel for duel in duels if duel.experiment == experiment])
    _show_losses(console, duels)
    console.print(LEGEND, style="dim")
    names = ", ".join(f"{run.experiment} {run.id} ({run.scale})" for run in runs)
    console.print(f"here: runs {names}", style="dim")


def _show_experiment(console: Console, duels: Sequence[Duel]) -> None:
    names = CellNames(duels)
    all_standings = standings(duels)
    cells = len({duel.cell for duel in duels})
    console.print(Text.assemble((duels[0].experiment, "bold"), f", {cells} cell{'' if cells == 1 else 's'}"))
    timed = [standing for standing in all_standings if standing.quantity == TIME]
    wide = console.width >= WIDTH_WITH_WORST
    console.print(_standings(timed, names if wide else None))
    if not wide:
        _show_worst(console, timed, names)
    quantities = {key: by_peer for key, by_peer in by_quantity(all_standings).items() if key[1] != TIME}
    columns = [(key[1].short, by_peer) for key, by_peer in quantities.items()]
    for part in _fitting(columns, console.width - LIBRARY):
        console.print(_means(peers_in(all_standings), part))
    console.print()


def _standings(all_standings: Sequence[Standing], names: CellNames | None) -> Table:
    """The table, with the worst cell of each library if there is room to name it."""
    counted = {
        verdict: word
        for verdict, word in HEADS.items()
        if verdict != UNFINISHED or any(standing.counts[UNFINISHED] for standing in all_standings)
    }
    grid = _grid("", "ratio", "interval", *counted.values())
    if names:
        grid.add_column("where it is slowest")
    for standing in all_standings:
        mean = standing.mean
        grid.add_row(
            standing.peer,
            _mean(mean),
            f"{ratio_figure(mean.low)} to {ratio_figure(mean.high)}" if mean and mean.bounded else "",
            *(_count(verdict, standing.counts[verdict]) for verdict in counted),
            *([Text(duel_text(standing.worst, names) if standing.worst else "")] if names else []),
        )
    return grid


def _show_worst(console: Console, all_standings: Sequence[Standing], names: CellNames) -> None:
    for standing in all_standings:
        if standing.worst:
            console.print(f"slowest beside {standing.peer}: {duel_text(standing.worst, names)}")


def _fitting(columns: Sequence[Column], room: int) -> list[list[Column]]:
    """The columns, in as many tables as they need."""
    parts: list[list[Column]] = [[]]
    remaining = room
    for column in columns:
        width = max(len(column[0]), MEAN) + GAP
        if width > remaining and parts[-1]:
            parts.append([])
            remaining = room
        parts[-1].append(column)
        remaining -= width
    return parts if columns else []


def _means(peers: Sequence[str], quantities: Sequence[Column]) -> Table:
    """A column for each figure beside the time."""
    grid = _grid("", *(text for text, _ in quantities))
    for peer in peers:
        means = [_mean(by_peer[peer].mean) if peer in by_peer else Text("") for _, by_peer in quantities]
        grid.add_row(peer, *means)
    return grid


def _mean(mean: Ratio | None) -> Text:
    if mean is None:
        return Text("-")
    mark = "=" if no_difference(mean) else " "
    return Text(f" {ratio_figure(mean.median)}{mark}", ratio_style(mean.median))


def _count(verdict: str, count: int) -> Text:
    return Text(str(count), "bold" if verdict == SLOWER and count else "")


def _show_losses(console: Console, duels: Sequence[Duel]) -> None:
    lost = losses(duels)
    if not lost:
        return
    heading = ("Where another library is faster", "bold")
    console.print(Text.assemble(heading, f", {len(lost)} of {len(duels)} comparisons"))
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    names = CellNames(duels)
    for duel in lost[:LOSSES_SHOWN]:
        grid.add_row(Text(duel.peer), Text(f"{duel.experiment}: {duel_text(duel, names)}"))
    console.print(grid)
    if len(lost) > LOSSES_SHOWN:
        console.print(f"and {len(lost) - LOSSES_SHOWN} more: 'mallard show peers --format md' has them all")
    console.print()
