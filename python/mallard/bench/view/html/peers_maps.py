"""The maps of mallard beside other libraries on the page: all experiments, and every cell of each. Kinds: r
the ratio, i its interval, w the cells won, even, not resolved and lost, or the two strategies, n their times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
from mallard.bench.view.html.cells.heat_map import EMPTY, Cell, Choice, Column, Form, HeatMap, folded, maps
from mallard.bench.view.html.contents import Measured
from mallard.shared.report.figures import ratio_figure
from mallard.shared.stats import Ratio
from mallard.shared.view.html.figures import LEGEND, with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, joined

NAME = "peers"


def peers_maps(duels: Sequence[Duel]) -> Markup:
    """A map of all experiments, and a folded one for each."""
    parts = [experiments_map(NAME, standings(duels), CellNames(duels))]
    for name in dict.fromkeys(duel.experiment for duel in duels):
        cells = [duel for duel in duels if duel.experiment == name]
        table = cells_map(f"{NAME}-{name}-cells", cells, CellNames(cells))
        parts.append(element("section", folded(f"Every cell of {name}", table), id=f"{NAME}-{name}"))
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


INTERVAL = Choice(
    "i",
    "interval",
    "The 95 % interval of the ratio. What holds 1 is no difference.",
    LEGEND,
    "{interval}",
    "r",
    missing="none",
)
NUMBER = re.compile(r"\d+")
UNPAIRED = "unpaired"  # both have finished, but not in one repetition
RATIO = "{ratio}[ ({interval})]"
OF_EXPERIMENTS = Form(
    (
        Choice(
            "r",
            "mallard / it",
            "The geometric mean over the cells; below 1 mallard is faster.",
            LEGEND,
            "{ratio}",
        ),
        INTERVAL,
        Choice(
            "w",
            "cells",
            "In how many cells mallard is faster, even within 5 percent, not resolved, slower.",
            LEGEND,
            "{won} \u00b7 {even} \u00b7 {open} \u00b7 {lost}",
            "r",
        ),
    ),
    (("mallard / it", RATIO), ("mallard is", "{counts}")),
)
OF_CELLS = Form(
    (
        Choice(
            "r",
            "mallard / it",
            "The ratio of the two fastest; below 1 mallard is faster.",
            LEGEND,
            "{ratio}",
        ),
        INTERVAL,
        Choice(
            "w",
            "who",
            "The fastest of mallard's strategies, and below it the fastest of the other's.",
            LEGEND,
            "{ours}\n{theirs}",
            "r",
        ),
        Choice(
            "n", "figures", "Mallard's, and below it the other's.", LEGEND, "{our value}\n{their value}", "r"
        ),
    ),
    (
        ("mallard / it", RATIO),
        ("mallard", "{ours} {our value}"),
        ("the other", "{theirs} {their value}"),
        ("mallard is", "{verdict}"),
    ),
)


def experiments_map(name: str, all_standings: Sequence[Standing], names: CellNames) -> Markup:
    """A row for each experiment and quantity, a column for each library."""
    peers = peers_in(all_standings)
    table = _map("all cells", "Mallard beside each library", peers, OF_EXPERIMENTS)
    lines = [
        (title(*place), [_standing_cell(table, by_peer.get(peer), names) for peer in peers])
        for place, by_peer in by_quantity(all_standings).items()
    ]
    return maps(name, OF_EXPERIMENTS, table.markup(lines))


def cells_map(name: str, duels: Sequence[Duel], names: CellNames) -> Markup:
    """A table for each quantity of an experiment: a row for each cell, a column for each library."""
    peers = peers_in(standings(duels))
    tables = [
        _cells(
            title(duels[0].experiment, quantity),
            [duel for duel in duels if duel.quantity == quantity],
            peers,
            names,
        )
        for quantity in dict.fromkeys(duel.quantity for duel in duels)
    ]
    return maps(name, OF_CELLS, *tables)


def _cells(heading: str, duels: Sequence[Duel], peers: Sequence[str], names: CellNames) -> Markup:
    table = _map(heading, f"{heading}: every cell", peers, OF_CELLS)
    lines: dict[str, dict[str, Duel]] = {}
    for duel in duels:
        lines.setdefault(names.of(duel), {})[duel.peer] = duel
    shown = [
        (with_raised_exponents(cell), [_duel_cell(table, lines[cell].get(peer)) for peer in peers])
        for cell in _in_order(list(lines))
    ]
    return element("section", element("h4", heading), table.markup(shown, folded=True), class_="structure")


def _in_order(cells: Sequence[str]) -> list[str]:
    """Cells in ascending order of their numbers, grouped by the rest of their names."""
    kinds = list(dict.fromkeys(NUMBER.sub("", cell) for cell in cells))
    return sorted(
        cells,
        key=lambda cell: (kinds.index(NUMBER.sub("", cell)), [int(part) for part in NUMBER.findall(cell)]),
    )


def _map(heading: str, caption: str, peers: Sequence[str], form: Form) -> HeatMap:
    columns = [Column(re.sub(r"([./])(?=\w{5})", "\\1\u200b", peer), key=peer) for peer in peers]
    return HeatMap(heading, caption, "", columns, form, "peers")


def _standing_cell(table: HeatMap, standing: Standing | None, names: CellNames) -> Cell:
    if standing is None:
        return EMPTY
    mean, counts = standing.mean, standing.counts
    if mean is None:
        return table.broken(standing.duels[-1].theirs.status or UNPAIRED, "")
    values = {
        "won": str(counts[FASTER]),
        "even": str(counts[EVEN]),
        "open": str(counts[UNRESOLVED]),
        "lost": str(counts[SLOWER]),
        "counts": counts_text(counts),
    }
    return table.cell(values | _of_ratio(mean), {"r": mean})


def _duel_cell(table: HeatMap, duel: Duel | None) -> Cell:
    if duel is None:
        return EMPTY
    if duel.ratio is None:
        side = duel.theirs if duel.ours.times else duel.ours
        return table.broken(side.status or UNPAIRED, side.strategy)
    values = {
        "ours": duel.ours.strategy,
        "theirs": duel.theirs.strategy,
        "our value": value_text(duel.ours, duel),
        "their value": value_text(duel.theirs, duel),
        "verdict": duel.verdict,
    }
    return table.cell(values | _of_ratio(duel.ratio), {"r": duel.ratio})


def _of_ratio(ratio: Ratio) -> dict[str, str]:
    between = f"{ratio_figure(ratio.low)}\u2013{ratio_figure(ratio.high)}" if ratio.bounded else ""
    return {"ratio": ratio_figure(ratio.median), "interval": between}
