"""The maps of mallard and other libraries on the page: all experiments, and every cell of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mallard.bench.analysis.labels import failed_spot
from mallard.bench.analysis.peers import (
    EVEN,
    FASTER,
    SLOWER,
    UNRESOLVED,
    CellNames,
    CellResult,
    Summary,
    by_quantity,
    counts_text,
    peers_in,
    summaries,
    title,
    value_text,
)
from mallard.shared.report.figures import bounds, ratio_figure
from mallard.shared.report.model import Section
from mallard.shared.report.picture import Head, HeatMap, Layer, Spot, Tile
from mallard.shared.stats import Ratio


def peers_maps(results: Sequence[CellResult]) -> list[Section]:
    """A map of all experiments, and folded ones for each."""
    names = dict.fromkeys(result.experiment for result in results)
    return [
        Section("", (experiments_map(summaries(results)),)),
        *(_cells(name, [result for result in results if result.experiment == name]) for name in names),
    ]


def _cells(name: str, results: Sequence[CellResult]) -> Section:
    pictures = tuple(cells_maps(results, CellNames(results)))
    return Section(f"Every cell of {name}", pictures, anchor=f"peers-{name}", is_inner=True, is_folded=True)


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


def experiments_map(all_summaries: Sequence[Summary]) -> HeatMap:
    """A row for each experiment and quantity, a column for each library."""
    peers = peers_in(all_summaries)
    rows = tuple(
        ((title(*place),), tuple(_summary_spot(by_peer.get(peer)) for peer in peers))
        for place, by_peer in by_quantity(all_summaries).items()
    )
    return _map("all cells", "Mallard and each library", peers, rows, OF_EXPERIMENTS)


def cells_maps(results: Sequence[CellResult], names: CellNames) -> list[HeatMap]:
    """A map for each quantity of an experiment: a row for each cell, a column for each library."""
    peers = peers_in(summaries(results))
    maps = []
    for quantity in dict.fromkeys(result.quantity for result in results):
        lines: dict[str, dict[str, CellResult]] = {}
        for result in results:
            if result.quantity == quantity:
                lines.setdefault(names.of(result), {})[result.peer] = result
        rows = tuple(
            ((cell,), tuple(_result_spot(lines[cell].get(peer)) for peer in peers))
            for cell in _in_order(list(lines))
        )
        heading = title(results[0].experiment, quantity)
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


def _summary_spot(summary: Summary | None) -> Spot:
    if summary is None:
        return Spot()
    mean, counts = summary.mean, summary.counts
    if mean is None:
        return failed_spot(summary.results[-1].theirs.status or UNPAIRED, "")
    numbers = " \u00b7 ".join(str(counts[verdict]) for verdict in (FASTER, EVEN, UNRESOLVED, SLOWER))
    return Spot((*_ratio_tiles(mean), Tile(numbers, mean)), (counts_text(counts),))


def _result_spot(result: CellResult | None) -> Spot:
    if result is None:
        return Spot()
    if result.ratio is None:
        side = result.theirs if result.ours.times else result.ours
        return failed_spot(side.status or UNPAIRED, side.strategy)
    strategies = f"{result.ours.strategy}\n{result.theirs.strategy}"
    values = f"{value_text(result.ours, result)}\n{value_text(result.theirs, result)}"
    tiles = (
        *_ratio_tiles(result.ratio),
        Tile(strategies, result.ratio),
        Tile(values, result.ratio),
    )
    return Spot(tiles, (result.verdict,))


def _ratio_tiles(ratio: Ratio) -> tuple[Tile, Tile]:
    return Tile(ratio_figure(ratio.median), ratio), Tile(bounds(ratio, ratio_figure), ratio)
