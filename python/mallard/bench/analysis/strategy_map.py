"""A heat map with a row for each strategy and a column for each place: for experiments with many strategies,
few places, and several quantities in a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line, figure_line, median_figure
from mallard.bench.analysis.labels import failed_spot
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.cells import Cell
from mallard.shared.report.figures import bounds, digits, relative, size
from mallard.shared.report.picture import Head, HeatMap, Layer, Spot, Tile, amount_legend, amount_step

LEAST_BYTES = float(1 << 20)  # the scale of colours begins here or higher
MARKS = (
    "Nanoseconds; the colour is the ratio to new-delete. *: the fastest of its column, new-delete unless "
    "another is faster beyond its interval. =: no difference from new-delete. null: the same work over "
    "memory that is there."
)

Place = tuple[Head, Line]
Tiles = dict[str, tuple[Tile, str]]  # strategy -> its tile and the fact about it


@dataclass(frozen=True)
class TimeKind:
    """The time of a phase in nanoseconds, or in percent of new-delete's, which is in nanoseconds. Without a
    figure: of the whole cell.
    """

    layer: Layer
    figure: str = ""
    relative: bool = False

    def tiles(self, line: Line) -> Tiles:
        timed = figure_line(line, self.figure) if self.figure else line
        picked = pick_strategy(timed)
        return {
            name: (self._tile(cell, is_best=name == picked), self._fact(cell))
            for name, cell in timed.cells.items()
            if cell.finished
        }

    def _tile(self, cell: Cell, *, is_best: bool) -> Tile:
        ratio = None if cell.strategy in (BASE, NULL) else cell.ratio
        share = self.relative and cell.ratio and cell.strategy != BASE
        text = relative(cell.ratio.median) if share and cell.ratio else digits(cell.ns_per_operation)
        return Tile(text, ratio, is_best)

    def _fact(self, cell: Cell) -> str:
        low, high = cell.spread
        ratio = cell.ratio
        between = f" ({bounds(ratio, relative)})" if ratio and ratio.bounded else ""
        share = f", {relative(ratio.median)} % of {BASE}{between}" if ratio else ""
        return f"{digits(cell.ns_per_operation)} ns ({digits(low)}\u2013{digits(high)}){share}"


@dataclass(frozen=True)
class AmountKind:
    """A quantity that is not a time. Darker is more."""

    layer: Layer
    amount: Callable[[Line, str], float | None]
    text: Callable[[float], str] = size
    least: float = LEAST_BYTES

    def tiles(self, line: Line) -> Tiles:
        values = {name: self.amount(line, name) for name in line.cells if line.finished(name)}
        amounts = {name: value for name, value in values.items() if value is not None}
        least = max(self.least, min(amounts.values(), default=0.0))
        return {
            name: (Tile(self.text(max(0.0, value)), amount_step(value, least)), "")
            for name, value in amounts.items()
        }


Kind = TimeKind | AmountKind


def amount_kind(label: str, about: str, title: str, figure: str) -> AmountKind:
    """An amount of bytes."""
    layer = Layer(label, about, amount_legend("column"), title)
    return AmountKind(layer, lambda line, name: median_figure(line, name, figure))


def strategy_map(
    title: str,
    caption: str,
    corner: str,
    columns: Sequence[Place],
    names: Sequence[str],
    kinds: Sequence[Kind],
) -> HeatMap:
    """Times that are shown in two ways are told once among the facts."""
    of_columns = [(line, [kind.tiles(line) for kind in kinds]) for _, line in columns]
    figures = [kind.figure if isinstance(kind, TimeKind) else None for kind in kinds]
    told = [
        place for place, figure in enumerate(figures) if figure is not None and figure not in figures[:place]
    ]
    measured = [name for name in names if any(name in line.cells for line, _ in of_columns)]
    return HeatMap(
        title,
        caption,
        (corner,),
        tuple(head for head, _ in columns),
        tuple(
            ((name,), tuple(_spot(name, line, tiles, told) for line, tiles in of_columns))
            for name in measured
        ),
        tuple(kind.layer for kind in kinds),
        tuple(f"{kinds[place].layer.label}, lowest to highest" for place in told),
        style="race by-strategy",
    )


def _spot(name: str, line: Line, tiles: Sequence[Tiles], told: Sequence[int]) -> Spot:
    cell = line.cells.get(name)
    if cell is None:
        return Spot()
    if not cell.finished:
        return failed_spot(cell.status, cell.detail)
    of_kinds = [of_kind.get(name, (Tile(), "")) for of_kind in tiles]
    return Spot(tuple(tile for tile, _ in of_kinds), tuple(of_kinds[place][1] for place in told))
