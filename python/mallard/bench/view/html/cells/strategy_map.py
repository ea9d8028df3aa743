"""A heat map with a row for each strategy and a column for each place: for experiments with many
strategies, few places, and several quantities in a cell. Buttons above it choose the quantity, as for every
heat map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.panel.phases import figure_line, median_figure
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.cells import Cell as Measured
from mallard.bench.view.html.cells.heat_map import EMPTY, Cell, Choice, Column, Form, HeatMap, Steps
from mallard.bench.view.html.cells.race import memory_step
from mallard.shared.view.html.figures import LEGEND, interval, mebibytes, percent, ratio_step, three_digits
from mallard.shared.view.html.markup import Markup, element

AMOUNTS: Steps = (
    ("z0", "least of the column"),
    ("z1", "over 1.1 times"),
    ("z2", "over 1.5"),
    ("z3", "over 2"),
    ("z4", "over 4"),
)
LEAST_BYTES = float(1 << 20)  # the scale of colours begins here or higher
LEAST_PERCENT = 1.0


@dataclass(frozen=True)
class TimeKind:
    """The time of a phase in nanoseconds, or in percent of new-delete's. Without a figure: of the whole
    cell."""

    letter: str
    label: str
    text: str
    figure: str = ""
    relative: bool = False

    @property
    def choice(self) -> Choice:
        shows = f"{{{self.figure} percent}}" if self.relative else f"{{{self.figure} ns}}"
        return Choice(self.letter, self.label, self.text, LEGEND, shows)

    @property
    def template(self) -> str:
        name = self.figure
        share = f"{{{name} percent}} % of {BASE}[ ({{{name} interval}})]"
        return f"{{{name} ns}} ns ({{{name} range}})[, {share}]"


@dataclass(frozen=True)
class AmountKind:
    """A quantity that is not a time. Darker is more."""

    letter: str
    label: str
    text: str
    figure: str
    shown: Callable[[float], str] = mebibytes
    least: float = LEAST_BYTES
    unit: str = "MiB"

    @property
    def choice(self) -> Choice:
        return Choice(self.letter, self.label, self.text, AMOUNTS, f"{{{self.figure}}}")

    @property
    def template(self) -> str:
        return f"{{{self.figure}}} {self.unit}"


Kind = TimeKind | AmountKind
Place = tuple[str, Line]  # its heading


@dataclass(frozen=True)
class CellFigures:
    """The kinds' values for one strategy in one place."""

    values: dict[str, str]
    steps: dict[str, str]
    framed: set[str]


def make_form(kinds: Sequence[Kind]) -> Form:
    """The form. A figure that is shown in two ways is stored once."""
    labels = {kind.template: kind.label for kind in reversed(kinds)}
    return Form(
        tuple(kind.choice for kind in kinds),
        tuple((kind.label, kind.template) for kind in kinds if labels[kind.template] == kind.label),
    )


def strategy_map(
    title: str,
    caption: str,
    axis: str,
    columns: Sequence[Place],
    names: Sequence[str],
    kinds: Sequence[Kind],
) -> Markup:
    """A map. `axis` is the quantity of numeric headings; empty if they are words."""
    grid = HeatMap(
        title,
        caption,
        "strategy",
        [Column(head, key=f"{axis} {head}".strip()) for head, _ in columns],
        make_form(kinds),
        "race by-strategy",
    )
    figures = [(line, _cell_figures(kinds, line)) for _, line in columns]
    measured = [name for name in names if any(name in line.cells for line, _ in figures)]
    lines = grid.markup(
        [(name, [_cell(grid, name, *of_column) for of_column in figures]) for name in measured]
    )
    return element("section", element("h4", "Every strategy"), lines, class_="structure")


def _cell(grid: HeatMap, name: str, line: Line, figures: dict[str, CellFigures]) -> Cell:
    cell = line.cells.get(name)
    if cell is None:
        return EMPTY
    if not cell.finished:
        return grid.broken(cell.status, cell.detail)
    return grid.cell(figures[name].values, figures[name].steps, figures[name].framed)


def _cell_figures(kinds: Sequence[Kind], line: Line) -> dict[str, CellFigures]:
    figures = {name: CellFigures({}, {}, set()) for name, cell in line.cells.items() if cell.finished}
    for kind in kinds:
        if isinstance(kind, AmountKind):
            _amounts(kind, line, figures)
        else:
            _times(kind, figure_line(line, kind.figure) if kind.figure else line, figures)
    return figures


def _times(kind: TimeKind, line: Line, figures: dict[str, CellFigures]) -> None:
    picked = pick_strategy(line)
    for name, of_name in figures.items():
        cell = line.cells.get(name)
        if cell is None or not cell.finished:
            continue
        of_name.values.update(_time(kind.figure, cell))
        if cell.ratio and name not in (BASE, NULL):
            of_name.steps[kind.letter] = ratio_step(cell.ratio)
        if name == picked:
            of_name.framed.add(kind.letter)


def _time(figure: str, cell: Measured) -> dict[str, str]:
    low, high = cell.spread
    ratio = cell.ratio
    return {
        f"{figure} ns": three_digits(cell.ns_per_operation),
        f"{figure} range": f"{three_digits(low)}\u2013{three_digits(high)}",
        f"{figure} percent": percent(ratio.median) if ratio else "",
        f"{figure} interval": interval(ratio) if ratio and ratio.bounded else "",
    }


def _amounts(kind: AmountKind, line: Line, figures: dict[str, CellFigures]) -> None:
    amounts = {
        name: value for name in figures if (value := median_figure(line, name, kind.figure)) is not None
    }
    least = max(kind.least, min(amounts.values(), default=0.0))
    for name, amount in amounts.items():
        figures[name].values[kind.figure] = kind.shown(max(0.0, amount))
        figures[name].steps[kind.letter] = f"z{memory_step(amount, least)}"
