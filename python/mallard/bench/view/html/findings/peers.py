"""mallard beside other libraries: a map of all experiments, the cells that another wins, and each
experiment with a map of its cells. Kinds of the maps: r the ratio, i its interval, w the cells won, even,
not resolved and lost, or the two strategies, n their times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from mallard.bench.analysis.peers import (
    EVEN,
    FASTER,
    OPEN,
    SLOWER,
    TIME,
    UNFINISHED,
    UNRESOLVED,
    CellNames,
    Counterpart,
    Duel,
    Side,
    Standing,
    by_quantity,
    counterparts,
    counts_text,
    duel_text,
    duels,
    has_contenders,
    losses,
    nearest,
    peer_sentences,
    peers_in,
    ratio_figure,
    ratio_text,
    standings,
    title,
    value_text,
    worst_text,
)
from mallard.bench.contenders import CONTENDERS
from mallard.bench.result import Row
from mallard.bench.view.html.cells.heat_map import EMPTY, Cell, Choice, Column, Form, HeatMap, folded, maps
from mallard.bench.view.html.contents import Measured, Section
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import LEGEND, with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences
from mallard.shared.view.html.tables import chip, data_table, drawn_cell, figure_cell, scrolled, table_row

NAME = "peers"
HEADING = "Beside other libraries"
COMMAND = "mallard bench density --contenders"
READING_HELP = (
    "In each cell the fastest of mallard's strategies stands beside the fastest strategy of each other "
    "library. The ratio is mallard's time by the other's, paired by repetition, with its 95 % interval; "
    "below 1 mallard is faster. glibc, jemalloc, mimalloc and tcmalloc can serve the whole process."
)
# Verdict -> its step of the palette.
STEPS = {FASTER: "f2", EVEN: "eq", UNRESOLVED: "z2", SLOWER: "s2", UNFINISHED: "z1", OPEN: "z0"}
LOSSES_SHOWN = 25


def peers_section(rows: Sequence[Row], measured: Iterable[Measured]) -> Section:
    all_duels = duels(rows) if has_contenders(rows) else []
    if not all_duels:
        return Section(NAME, "Peers", HEADING, None, command=COMMAND)
    pairs, all_standings = counterparts(rows), standings(all_duels)
    sentences = peer_sentences(all_duels, pairs)
    body = joined(
        element("p", READING_HELP),
        _missing(measured),
        render_sentences(sentences),
        _counterparts(nearest(pairs)),
        experiments_map(NAME, all_standings, CellNames(all_duels)),
        _losses(all_duels),
        *(
            _experiment(name, all_duels)
            for name in dict.fromkeys(standing.experiment for standing in all_standings)
        ),
    )
    return Section(NAME, "Peers", HEADING, body, answer(sentences))


def _counterparts(pairs: Sequence[Counterpart]) -> Markup | None:
    """Of each of mallard's strategies the fastest counterpart; `mallard show peers --all` has every pair."""
    if not pairs:
        return None
    rows = [
        table_row(
            pair.ours,
            pair.theirs,
            figure_cell(ratio_figure(pair.ratio) if pair.ratio else UNFINISHED),
            element("td", _bar(pair.counts)),
            worst_text(pair),
        )
        for pair in pairs
    ]
    heads = ("mallard's", "its fastest counterpart", "mallard / it", "mallard is, in cells", "slowest in")
    caption = "Counterpart beside counterpart"
    return element(
        "section",
        element("h3", caption),
        _table(heads, rows, caption, "standings averages"),
        id=f"{NAME}-counterparts",
    )


def _missing(measured: Iterable[Measured]) -> Markup | None:
    """The parts that the newest runner lacks."""
    newest = max((entry.run for entry in measured), key=lambda run: run.id, default=None)
    without: list[dict[str, str]] = newest.runner.get("missing", []) if newest else []
    libraries = {
        CONTENDERS[part["name"]].library: part["package"] for part in without if part["name"] in CONTENDERS
    }
    if not libraries:
        return None
    packages = ", ".join(f"{library} (package {package})" for library, package in libraries.items())
    return element(
        "p", f"Not installed when the runner was built, so not measured: {packages}.", class_="absent"
    )


def _losses(duels: Sequence[Duel]) -> Markup | None:
    lost = losses(duels)
    if not lost:
        return None
    names = CellNames(duels)
    more = lost[LOSSES_SHOWN:]
    details = element(
        "details", element("summary", f"{len(more)} more"), _loss_table(more, names, "The others")
    )
    return element(
        "section",
        element("h3", "Where another library is faster", element("small", f"{len(lost)} of {len(duels)}")),
        _loss_table(lost[:LOSSES_SHOWN], names, "Where another library is faster"),
        details if more else None,
        id=f"{NAME}-losses",
    )


def _loss_table(lost: Sequence[Duel], names: CellNames, caption: str) -> Markup:
    rows = [
        table_row(
            title(duel.experiment, duel.quantity),
            figure_cell(_chip(duel.ratio) if duel.ratio else None),
            element("td", with_raised_exponents(names.of(duel))),
            duel.peer,
            _side(duel.ours, duel),
            _side(duel.theirs, duel),
        )
        for duel in lost
    ]
    return _table(("experiment", "ratio", "cell", "library", "mallard", "the other"), rows, caption, "losses")


def _side(side: Side, duel: Duel) -> Markup:
    return element(
        "td", element("b", side.strategy), " ", element("span", value_text(side, duel), class_="figure")
    )


def _chip(ratio: Ratio) -> Markup:
    """The ratio on its colour, beside its interval."""
    median, _, interval = ratio_text(ratio).partition(" ")
    return chip(median, ratio, interval)


def _experiment(name: str, duels: Sequence[Duel]) -> Markup:
    experiment_duels = [duel for duel in duels if duel.experiment == name]
    names, all_standings = CellNames(experiment_duels), standings(experiment_duels)
    cells = len({duel.cell for duel in experiment_duels})
    ratios = [standing.mean for standing in all_standings if standing.mean]
    axis = plot.ratio_axis([end for ratio in ratios for end in (ratio.median, ratio.low, ratio.high)])
    head = ("library", "mallard / it", None, "mallard is, in cells", "the cell where it is slowest")
    rows = [_standing_row(standing, axis, names) for standing in all_standings if standing.quantity == TIME]
    caption = f"{name}: mallard beside each library"
    return element(
        "section",
        element("h3", name, element("small", f"{cells} cell{'' if cells == 1 else 's'}")),
        _table(head, rows, caption, "standings averages", axis),
        folded("Every cell", cells_map(f"{NAME}-{name}-cells", experiment_duels, names)),
        id=f"{NAME}-{name}",
    )


def _standing_row(standing: Standing, axis: plot.Axis, names: CellNames) -> Markup:
    mean, worst = standing.mean, standing.worst
    return table_row(
        standing.peer,
        figure_cell(_chip(mean) if mean else UNFINISHED),
        drawn_cell(axis, mean),
        element("td", _bar(standing.counts)),
        element("td", with_raised_exponents(duel_text(worst, names)) if worst else "", class_="worst"),
    )


def _bar(counts: Counter[str]) -> Markup:
    """A bar with the share of each verdict."""
    parts = [
        element(
            "span",
            str(counts[verdict]),
            class_=f"part {step}",
            style=f"flex-grow:{counts[verdict]}",
        )
        for verdict, step in STEPS.items()
        if counts[verdict]
    ]
    return element("span", *parts, class_="counts", role="img", title=counts_text(counts))


def _table(
    heads: Sequence[str | None],
    rows: Sequence[Markup],
    caption: str,
    class_: str,
    axis: plot.Axis | None = None,
) -> Markup:
    return scrolled(data_table(heads, rows, f"{class_} plain-table", caption, axis), caption)


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
