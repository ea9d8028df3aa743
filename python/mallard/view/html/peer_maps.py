"""Heat maps of mallard beside other libraries: of all experiments, and of the cells of one.

Kinds: r the ratio, i its interval, w the cells won, even and lost or the two strategies, n their times.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.analysis.peer_words import (
    CellNames,
    counts_text,
    duel_text,
    ratio_text,
    title,
    value_text,
)
from mallard.analysis.peer_words import figure as ratio_figure
from mallard.analysis.peers import (
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    Duel,
    Standing,
    by_quantity,
    peers_in,
    standings,
)
from mallard.stats import Ratio
from mallard.view.html.controls import Choice, choices
from mallard.view.html.figures import LEGEND, step_of, with_raised_exponents
from mallard.view.html.heat_map import Column, HeatMap, figure
from mallard.view.html.markup import Markup, element

INTERVAL = Choice("i", "interval", "The 95 % interval of the ratio. What holds 1 is no difference.", LEGEND)
OF_EXPERIMENTS = (
    Choice("r", "mallard / it", "The geometric mean over the cells; below 1 mallard is faster.", LEGEND),
    INTERVAL,
    Choice("w", "cells", "In how many cells mallard is faster, no different, slower.", LEGEND),
)
OF_CELLS = (
    Choice("r", "mallard / it", "The ratio of the two fastest; below 1 mallard is faster.", LEGEND),
    INTERVAL,
    Choice(
        "w", "who", "The fastest of mallard's strategies, and below it the fastest of the other's.", LEGEND
    ),
    Choice("n", "figures", "Mallard's, and below it the other's.", LEGEND),
)


def experiments_map(name: str, every: Sequence[Standing], names: CellNames) -> Markup:
    """A row for each experiment and quantity, a column for each library."""
    peers = peers_in(every)
    table = _map(
        "all cells", "Mallard beside each library", ("mallard / it", "mallard is", "slowest at"), peers, "riw"
    )
    lines = [
        (title(*place), [_standing(table, by_peer.get(peer), names) for peer in peers])
        for place, by_peer in by_quantity(every).items()
    ]
    return element("div", choices(name, OF_EXPERIMENTS), table.markup(lines), class_="maps")


def cells_map(name: str, found: Sequence[Duel], names: CellNames) -> Markup:
    """A table for each quantity of an experiment: a row for each cell, a column for each library."""
    peers = peers_in(standings(found))
    maps = [
        _cells(
            title(found[0].experiment, quantity),
            [duel for duel in found if duel.quantity == quantity],
            peers,
            names,
        )
        for quantity in dict.fromkeys(duel.quantity for duel in found)
    ]
    return element("div", choices(name, OF_CELLS), *maps, class_="maps")


def _cells(heading: str, found: Sequence[Duel], peers: Sequence[str], names: CellNames) -> Markup:
    table = _map(
        heading,
        f"{heading}: every cell",
        ("mallard / it", "mallard", "the other", "mallard is"),
        peers,
        "riwn",
    )
    lines: dict[str, dict[str, Duel]] = {}
    for duel in found:
        lines.setdefault(names.of(duel), {})[duel.peer] = duel
    shown = [
        (with_raised_exponents(cell), [_duel(table, by_peer.get(peer)) for peer in peers])
        for cell, by_peer in lines.items()
    ]
    return element("section", element("h4", heading), table.markup(shown), class_="structure")


def _map(heading: str, caption: str, terms: Sequence[str], peers: Sequence[str], kinds: str) -> HeatMap:
    columns = [Column(peer.replace("/", "/\u200b")) for peer in peers]
    return HeatMap(heading, caption, "", columns, terms, kinds, "peers")


def _standing(table: HeatMap, standing: Standing | None, names: CellNames) -> Markup:
    if standing is None:
        return table.empty()
    mean, worst, counts = standing.mean, standing.worst, standing.counts
    if mean is None:
        return table.broken(standing.peer, standing.duels[-1].theirs.status, "")
    colour = step_of(mean)
    won, even, lost = (counts[verdict] for verdict in (FASTER, NO_DIFFERENCE, SLOWER))
    figures = [
        figure("r", colour, ratio_figure(mean.median)),
        figure("i", colour, _interval(mean)),
        figure("w", colour, f"{won} \u00b7 {even} \u00b7 {lost}"),
    ]
    slowest = duel_text(worst, names) if worst else ""
    return table.cell(standing.peer, figures, _told(ratio_text(mean), counts_text(counts), slowest))


def _duel(table: HeatMap, duel: Duel | None) -> Markup:
    if duel is None:
        return table.empty()
    ratio = duel.ratio
    if ratio is None:
        side = duel.theirs if duel.ours.times else duel.ours
        return table.broken(duel.peer, side.status, side.strategy)
    colour = step_of(ratio)
    mine, theirs = value_text(duel.ours, duel), value_text(duel.theirs, duel)
    figures = [
        figure("r", colour, ratio_figure(ratio.median)),
        figure("i", colour, _interval(ratio)),
        figure("w", colour, duel.ours.strategy, duel.theirs.strategy),
        figure("n", colour, mine, theirs),
    ]
    told = _told(
        ratio_text(ratio), f"{duel.ours.strategy} {mine}", f"{duel.theirs.strategy} {theirs}", duel.verdict
    )
    return table.cell(duel.peer, figures, told)


def _interval(ratio: Ratio) -> str:
    return f"{ratio_figure(ratio.low)}\u2013{ratio_figure(ratio.high)}" if ratio.bounded else "none"


def _told(*texts: str) -> list[str]:
    """The bar sets what is told apart."""
    return [with_raised_exponents(text).replace("|", "\u2223") for text in texts]
