"""mallard beside other libraries: a map of all experiments, the cells that another wins, and each
experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mallard.bench.analysis.peers.comparison import (
    FASTER,
    NO_DIFFERENCE,
    OPEN,
    SLOWER,
    UNFINISHED,
    Duel,
    Side,
    Standing,
    duels,
    has_contenders,
    losses,
    standings,
)
from mallard.bench.analysis.peers.contests import TIME
from mallard.bench.analysis.peers.counterparts import Counterpart, counterparts, nearest
from mallard.bench.analysis.peers.words import (
    CellNames,
    counts_text,
    duel_text,
    figure,
    peer_sentences,
    ratio_text,
    title,
    value_text,
    worst_text,
)
from mallard.bench.contenders import CONTENDERS
from mallard.bench.result import Row
from mallard.bench.view.html.cells.controls import folded
from mallard.bench.view.html.contents import Measured, Section
from mallard.bench.view.html.findings.peer_maps import cells_map, experiments_map
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import ratio_step, with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences

NAME = "peers"
HEADING = "Beside other libraries"
COMMAND = "mallard bench density --contenders"
READING_HELP = (
    "In each cell the fastest of mallard's strategies stands beside the fastest strategy of each other "
    "library. The ratio is mallard's time by the other's, paired by repetition, with its 95 % interval; "
    "below 1 mallard is faster. glibc, jemalloc, mimalloc and tcmalloc can serve the whole process."
)
# Verdict -> its step of the palette.
STEPS = {FASTER: "f2", NO_DIFFERENCE: "eq", SLOWER: "s2", UNFINISHED: "z1", OPEN: "z0"}
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
        element(
            "tr",
            element("th", pair.ours),
            element("td", pair.theirs),
            element("td", figure(pair.ratio) if pair.ratio else UNFINISHED, class_="figure"),
            element("td", _bar(pair.counts)),
            element("td", worst_text(pair)),
        )
        for pair in pairs
    ]
    head = ("mallard's", "its fastest counterpart", "mallard / it", "mallard is, in cells", "slowest in")
    caption = "Counterpart beside counterpart"
    return element(
        "section",
        element("h3", caption),
        _table(head, rows, caption, "standings averages"),
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
        element(
            "tr",
            element("th", title(duel.experiment, duel.quantity)),
            element("td", _chip(duel.ratio) if duel.ratio else None, class_="figure"),
            element("td", with_raised_exponents(names.of(duel))),
            element("td", duel.peer),
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
    return joined(element("span", median, class_=f"chip {ratio_step(ratio)}"), element("small", interval))


def _experiment(name: str, duels: Sequence[Duel]) -> Markup:
    experiment_duels = [duel for duel in duels if duel.experiment == name]
    names, all_standings = CellNames(experiment_duels), standings(experiment_duels)
    cells = len({duel.cell for duel in experiment_duels})
    ratios = [standing.mean for standing in all_standings if standing.mean]
    axis = plot.ratio_axis([end for ratio in ratios for end in (ratio.median, ratio.low, ratio.high)])
    head = ("library", "mallard / it", None, "mallard is, in cells", "the cell where it is slowest")
    rows = [_standing(standing, axis, names) for standing in all_standings if standing.quantity == TIME]
    caption = f"{name}: mallard beside each library"
    return element(
        "section",
        element("h3", name, element("small", f"{cells} cell{'' if cells == 1 else 's'}")),
        _table(head, rows, caption, "standings averages", axis),
        folded("Every cell", cells_map(f"{NAME}-{name}-cells", experiment_duels, names)),
        id=f"{NAME}-{name}",
    )


def _standing(standing: Standing, axis: plot.Axis, names: CellNames) -> Markup:
    mean, worst = standing.mean, standing.worst
    drawing = None
    if mean:
        drawing = plot.interval(axis, mean.median, mean.low, mean.high)
    return element(
        "tr",
        element("th", standing.peer),
        element("td", _chip(mean) if mean else UNFINISHED, class_="figure"),
        element("td", drawing, class_="drawn"),
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
    head: Sequence[str | None],
    rows: Sequence[Markup],
    caption: str,
    class_: str,
    axis: plot.Axis | None = None,
) -> Markup:
    """A table. None in the head is a column of drawings on that axis, below its scale."""
    columns = [
        element("th", name)
        if name is not None
        else element("th", plot.scale(axis) if axis else None, aria_label="drawn, log scale")
        for name in head
    ]
    table = element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", *columns)),
        element("tbody", *rows),
        class_=f"{class_} plain-table",
        style=axis.style if axis else None,
    )
    return element("div", table, class_="wide", role="region", aria_label=caption, tabindex="0")
