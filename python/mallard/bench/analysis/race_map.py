"""A heat map of a race of strategies, with new-delete among the columns: the time in percent of new-delete's,
its interval, nanoseconds, the papers' figures, page faults and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mallard.bench.analysis.cell_tables import CellTable, Line, median_figure
from mallard.bench.analysis.labels import failed_spot, strategy_heads
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.cells import Cell
from mallard.bench.evidence.comparison import NOT_MEASURED, CellComparison
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.strategy_names import is_base, is_inline, without_variants
from mallard.shared.report.figures import bounds, digits, hundredths, mebibytes, plural, relative, rough
from mallard.shared.report.picture import (
    MISSING,
    RATIOS,
    HeatMap,
    Layer,
    Legend,
    Spot,
    Tile,
    amount_legend,
    amount_step,
)
from mallard.shared.stats import Ratio

# Above these, the kernel's share and the page faults dominate a time. With huge pages, a few faults in 1000
# operations are enough.
KERNEL_SHARE = 0.4
FAULTS_PER_1000 = 0.3
FAULT_ENDS = (0.1, 1.0, 10.0, 100.0)  # of the steps of a colour
FAULTS: Legend = (
    ("z0", "under 0.1"),
    ("z1", "0.1\u20131"),
    ("z2", "1\u201310"),
    ("z3", "10\u2013100"),
    ("z4", "over 100"),
)
AGAINST_PRINT = (
    "Upper figure: (here / new-delete here) divided by ({paper} / its new-delete); above 1 the strategy "
    "does worse here than there. Lower: percent of new-delete here / there. Under new-delete: nanoseconds "
    "{operation} here, and there."
)
PRINT_LEGEND: Legend = tuple(("eq", "within 1.1") if name == "eq" else (name, text) for name, text in RATIOS)
PAPERS = ("P0213", "P0089")
TERMS = ("lowest to highest", "major faults", "in the kernel", "not every time")
MARKS = (
    "*: mallard's fastest of the row, new-delete unless it is faster beyond its interval. =: no difference "
    "from new-delete. !: page faults are most of the time."
)


def faults_dominate(cell: Cell) -> bool:
    """True if touching new pages takes more of the time than allocating."""
    return (cell.system_share or 0.0) >= KERNEL_SHARE and cell.faults_per_1000 >= FAULTS_PER_1000


def peak_memory(line: Line, name: str) -> float:
    return line.cells[name].peak_rss_bytes


def compared(table: CellTable) -> list[str]:
    """The strategies that a reader chooses from: no other bindings and variants of one that is there, unless
    one of them is the pick of a line."""
    picks = {pick_strategy(line) for line in table.lines}
    plain = [name for name in without_variants(table.strategies) if not is_base(name) and not is_inline(name)]
    return [name for name in table.strategies if name in plain or name in picks]


def printed_ratio(ratio_of_ratios: float) -> Ratio:
    """Ours / printed. A printed figure has no interval, so within a tenth counts as equal."""
    return Ratio(ratio_of_ratios, ratio_of_ratios / 1.1, ratio_of_ratios * 1.1, 1)


@dataclass(frozen=True)
class RaceMaps:
    """The common parts of an experiment's maps. Published figures are by paper; None if it has none."""

    wording: Wording
    published: Callable[[Line, str], Sequence[CellComparison | None]]
    memory: Callable[[Line, str], float] = peak_memory
    figures: tuple[Quantity, ...] = ()  # further ones of a cell

    def make(
        self,
        title: str,
        caption: str,
        corner: tuple[str, ...],
        names: Sequence[str],
        lines: Iterable[tuple[tuple[str, ...], Line]],
    ) -> HeatMap:
        rows = tuple((labels, tuple(self._spots(line, names))) for labels, line in lines)
        return HeatMap(
            title, caption, corner, strategy_heads(names), rows, self._layers(), TERMS, style="race"
        )

    def _layers(self) -> tuple[Layer, ...]:
        words = self.wording
        times = f"{words.clock} nanoseconds for {words.description}. Colours as in % of new-delete."
        about = (
            f"Time in percent of new-delete's in the same row, which is in ns {words.operation}. Framed: "
            "mallard's fastest of its row."
        )
        between = "The 95 % interval of that percent. What holds 100 is no difference."
        faults = f"Minor page faults of the timed part, in 1000 {words.operations}."
        held = f"{words.memory_text}, MiB. Darker: more than others in the row."
        return (
            Layer("% of new-delete", about, title="{}"),
            Layer("interval", between, missing="none"),
            Layer(f"ns {words.operation}", times),
            *(
                Layer(
                    f"against {paper}",
                    AGAINST_PRINT.format(paper=paper, operation=words.operation),
                    PRINT_LEGEND,
                    missing="\u00b7",
                )
                for paper in PAPERS
            ),
            Layer("page faults", faults, FAULTS),
            Layer(words.memory, held, amount_legend("row")),
            *(
                Layer(quantity.short, f"{quantity.text}.", (), title=f"{{}}: {quantity.text}")
                for quantity in self.figures
            ),
        )

    def _spots(self, line: Line, names: Sequence[str]) -> list[Spot]:
        picked = pick_strategy(line)
        held = {name: self.memory(line, name) for name in line.cells if line.finished(name)}
        least = min(held.values(), default=0.0)
        spots = []
        for name in names:
            cell = line.cells.get(name)
            if cell is None:
                spots.append(Spot())
            elif cell.finished:
                further = [median_figure(line, name, quantity.figure) for quantity in self.figures]
                tiles = (
                    *_times(cell, is_best=name == picked),
                    *map(partial(_printed_tile, cell.strategy), self.published(line, name)),
                    Tile(rough(cell.faults_per_1000), sum(cell.faults_per_1000 >= end for end in FAULT_ENDS)),
                    Tile(mebibytes(held[name]), amount_step(held[name], least)),
                    *(Tile("" if value is None else digits(value)) for value in further),
                )
                spots.append(Spot(tiles, _facts(cell)))
            else:
                spots.append(failed_spot(cell.status, cell.detail))
        return spots


def _times(cell: Cell, *, is_best: bool) -> tuple[Tile, ...]:
    ratio, ns = cell.ratio, digits(cell.ns_per_operation)
    shade = None if cell.strategy in (BASE, NULL) else ratio
    share = ns if cell.strategy == BASE else relative(ratio.median) if ratio else f"{ns}ns"
    return (
        Tile(share, shade, is_best, "!" if faults_dominate(cell) else ""),
        Tile(bounds(ratio, relative) if ratio else "", shade, is_best),
        Tile(ns, shade, is_best),
    )


def _facts(cell: Cell) -> tuple[str, ...]:
    low, high = cell.spread
    return (
        f"{digits(low)}\u2013{digits(high)} ns; {plural(len(cell.times), 'repetition')}",
        rough(cell.major_faults) if cell.major_faults else "",
        "" if cell.system_share is None else f"{100 * cell.system_share:.0f} % of the time",
        cell.detail,
    )


def _printed_tile(name: str, comparison: CellComparison | None) -> Tile:
    if comparison is None:
        return Tile()
    if comparison.printed is None:
        return Tile("fail\nthere")
    if name == BASE and comparison.ours_ns is not None and comparison.printed_ns is not None:
        return Tile(f"{digits(comparison.ours_ns)}\n{digits(comparison.printed_ns)} ns")
    theirs, ratio = relative(comparison.printed), comparison.ratio_of_ratios
    if ratio is None:
        return Tile(f"{MISSING}\n/ {theirs}")
    ours = relative(comparison.ours.median) if comparison.ours else ""
    return Tile(f"{hundredths(ratio)}\n{ours} / {theirs}", printed_ratio(ratio))


def matching(
    tables: Iterable[PrintedTable], paper: str, place: Mapping[str, object], preferred: Mapping[str, object]
) -> PrintedTable | None:
    """The table with the paper's own measurement at a place. Of several tables, the one closest to the
    setting is preferred, then one that prints seconds."""
    matches = [
        table
        for table in tables
        if table.data_paper == paper and all(table.place.get(key) == value for key, value in place.items())
    ]

    def fit(table: PrintedTable) -> tuple[int, bool]:
        return (
            sum(table.place.get(key) == value for key, value in preferred.items()),
            table.unit == "seconds",
        )

    return max(matches, key=fit, default=None)


def compare_cell(
    printed: PrintedTable | None, key: Key, name: str, cell: Cell | None
) -> CellComparison | None:
    """The comparison; None if the paper has no such cell."""
    if printed is None or name not in printed.rows.get(key, {}):
        return None
    percent = printed.percent_of_base(key, name)
    return CellComparison(
        None if percent is None else percent / 100,
        printed.nanoseconds(key, name),
        cell.ratio if cell else None,
        cell.ns_per_operation if cell and cell.finished else None,
        cell.status if cell else NOT_MEASURED,
    )
