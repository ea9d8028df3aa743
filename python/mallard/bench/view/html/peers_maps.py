"""The maps of mallard beside other libraries on the page: all experiments, and every cell of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mallard.bench.analysis.labels import failed_spot
from mallard.bench.analysis.peers import (
    EVEN,
    FASTER,
    SLOWER,
    UNRESOLVED,
    CellNames,
    Duel,
    Standing,
    by_quantity,
    counts_text,
    peers_in,
    standings,
    title,
    value_text,
)
from mallard.bench.contenders import CONTENDERS
from mallard.bench.view.html.contents import Measured
from mallard.shared.report.figures import bounds, ratio_figure
from mallard.shared.report.page_map import choice, map_table
from mallard.shared.report.picture import Head, HeatMap, Layer, Spot, Tile
from mallard.shared.stats import Ratio
from mallard.shared.view.html.markup import Markup, element, joined

NAME = "peers"


def peers_maps(duels: Sequence[Duel]) -> Markup:
    """A map of all experiments, and folded ones for each."""
    overview = experiments_map(standings(duels))
    parts = [choice(NAME, overview.layers, map_table(overview))]
    without = element("noscript", element("p", "A script fills these tables."))
    for name in dict.fromkeys(duel.experiment for duel in duels):
        cells = [duel for duel in duels if duel.experiment == name]
        tables = (
            element("section", element("h4", picture.title), map_table(picture), class_="structure")
            for picture in cells_maps(cells, CellNames(cells))
        )
        summary = element("summary", f"Every cell of {name}")
        folded = element("details", summary, without, choice(f"{NAME}-{name}-cells", OF_CELLS, *tables))
        parts.append(element("section", folded, id=f"{NAME}-{name}"))
    return joined(*parts)


def absent_libraries(measured: Iterable[Measured]) -> str:
    """The parts that the newest runner lacks."""
    newest = max((entry.run for entry in measured), key=lambda run: run.id, default=None)
    without: list[dict[str, str]] = newest.runner.get("missing", []) if newest else []
    libraries = {
        CONTENDERS[part["name"]].library: part["package"] for part in without if part["name"] in CONTENDERS
    }
    packages = ", ".join(f"{library} (package {package})" for library, package in libraries.items())
    return f"Not installed when the runner was built, so not measured: {packages}." if packages else ""


RATIO = Layer("mallard / it", "The geometric mean over the cells; below 1 mallard is faster.")
INTERVAL = Layer("interval", "The 95 % interval of the ratio. What holds 1 is no difference.", missing="none")
COUNTS = "In how many cells mallard is faster, even within 5 percent, not resolved, slower."
OF_EXPERIMENTS = (RATIO, INTERVAL, Layer("cells", COUNTS))
OF_CELLS = (
    replace(RATIO, about="The ratio of the two fastest; below 1 mallard is faster."),
    INTERVAL,
    Layer("who", "The fastest of mallard's strategies, and below it the fastest of the other's."),
    Layer("figures", "Mallard's, and below it the other's."),
)
TERMS = ("mallard is",)
NUMBER = re.compile(r"\d+")
UNPAIRED = "unpaired"  # both have finished, but not in one repetition


def experiments_map(all_standings: Sequence[Standing]) -> HeatMap:
    """A row for each experiment and quantity, a column for each library."""
    peers = peers_in(all_standings)
    rows = tuple(
        ((title(*place),), tuple(_standing_spot(by_peer.get(peer)) for peer in peers))
        for place, by_peer in by_quantity(all_standings).items()
    )
    return _map("all cells", "Mallard beside each library", peers, rows, OF_EXPERIMENTS)


def cells_maps(duels: Sequence[Duel], names: CellNames) -> list[HeatMap]:
    """A map for each quantity of an experiment: a row for each cell, a column for each library."""
    peers = peers_in(standings(duels))
    maps = []
    for quantity in dict.fromkeys(duel.quantity for duel in duels):
        lines: dict[str, dict[str, Duel]] = {}
        for duel in duels:
            if duel.quantity == quantity:
                lines.setdefault(names.of(duel), {})[duel.peer] = duel
        rows = tuple(
            ((cell,), tuple(_duel_spot(lines[cell].get(peer)) for peer in peers))
            for cell in _in_order(list(lines))
        )
        heading = title(duels[0].experiment, quantity)
        maps.append(_map(heading, f"{heading}: every cell", peers, rows, OF_CELLS, is_folded=True))
    return maps


def _in_order(cells: Sequence[str]) -> list[str]:
    """Cells in ascending order of their numbers, grouped by the rest of their names."""
    kinds = list(dict.fromkeys(NUMBER.sub("", cell) for cell in cells))
    return sorted(
        cells,
        key=lambda cell: (kinds.index(NUMBER.sub("", cell)), [int(part) for part in NUMBER.findall(cell)]),
    )


def _map(
    heading: str,
    caption: str,
    peers: Sequence[str],
    rows: tuple[tuple[tuple[str, ...], tuple[Spot, ...]], ...],
    layers: tuple[Layer, ...],
    *,
    is_folded: bool = False,
) -> HeatMap:
    heads = tuple(Head((re.sub(r"([./])(?=\w{5})", "\\1\u200b", peer),), peer) for peer in peers)
    return HeatMap(heading, caption, ("",), heads, rows, layers, TERMS, "peers", is_folded)


def _standing_spot(standing: Standing | None) -> Spot:
    if standing is None:
        return Spot()
    mean, counts = standing.mean, standing.counts
    if mean is None:
        return failed_spot(standing.duels[-1].theirs.status or UNPAIRED, "")
    numbers = " \u00b7 ".join(str(counts[verdict]) for verdict in (FASTER, EVEN, UNRESOLVED, SLOWER))
    return Spot((*_ratio_tiles(mean), Tile(numbers, mean)), (counts_text(counts),))


def _duel_spot(duel: Duel | None) -> Spot:
    if duel is None:
        return Spot()
    if duel.ratio is None:
        side = duel.theirs if duel.ours.times else duel.ours
        return failed_spot(side.status or UNPAIRED, side.strategy)
    strategies = f"{duel.ours.strategy}\n{duel.theirs.strategy}"
    values = f"{value_text(duel.ours, duel)}\n{value_text(duel.theirs, duel)}"
    tiles = (*_ratio_tiles(duel.ratio), Tile(strategies, duel.ratio), Tile(values, duel.ratio))
    return Spot(tiles, (duel.verdict,))


def _ratio_tiles(ratio: Ratio) -> tuple[Tile, Tile]:
    return Tile(ratio_figure(ratio.median), ratio), Tile(bounds(ratio, ratio_figure), ratio)
