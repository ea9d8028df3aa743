"""mallard beside other libraries as Markdown: all experiments, the cells that another wins, and each
experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mallard.bench.analysis.peers import (
    COUNTED,
    TIME,
    CellNames,
    Counterpart,
    Duel,
    Standing,
    by_quantity,
    counts_text,
    duel_text,
    losses,
    peers_in,
    ratio_figure,
    ratio_text,
    standings,
    title,
    value_text,
    worst_text,
)
from mallard.shared.prose import markdown_cell

COUNTS_HEAD = "/".join(COUNTED)


def peers_markdown(duels: Sequence[Duel], pairs: Sequence[Counterpart]) -> str:
    """The whole page."""
    blocks = ["## Counterparts", counterparts_markdown(pairs), "## The fastest of each library"]
    blocks += [summary_markdown(duels), "## Where another library is faster", losses_markdown(duels)]
    for experiment in dict.fromkeys(duel.experiment for duel in duels):
        experiment_duels = [duel for duel in duels if duel.experiment == experiment]
        blocks += [f"## {experiment}", _standings(experiment_duels)]
    return "\n\n".join(blocks) + "\n"


def summary_markdown(duels: Iterable[Duel]) -> str:
    """A line for each experiment and quantity, a column for each peer: the mean, and the cells of COUNTED."""
    all_standings = standings(duels)
    peers = peers_in(all_standings)
    lines = []
    for (experiment, quantity), by_peer in by_quantity(all_standings).items():
        head = title(experiment, quantity)
        cells = [_summary(by_peer[peer]) if peer in by_peer else "" for peer in peers]
        lines.append([f"**{head}**" if quantity == TIME else head, *cells])
    return table(["", *peers], lines)


def counterparts_markdown(pairs: Iterable[Counterpart]) -> str:
    """A line for each pair: the mean of all experiments, the cells, and the worst experiment."""
    return table(
        ["mallard's", "its counterpart", "mallard / it", COUNTS_HEAD, "slowest in"],
        (
            [
                pair.ours,
                pair.theirs,
                ratio_figure(pair.ratio) if pair.ratio else "not finished",
                "/".join(str(pair.counts[verdict]) for verdict in COUNTED),
                worst_text(pair),
            ]
            for pair in pairs
        ),
    )


def losses_markdown(duels: Sequence[Duel]) -> str:
    """The losses, worst first."""
    lost = losses(duels)
    if not lost:
        return "In no cell beyond the interval."
    names = CellNames(duels)
    return table(
        ["experiment", "cell", "mallard's", "", "the other's", "", "mallard / the other"],
        (
            [
                title(duel.experiment, duel.quantity),
                names.of(duel),
                duel.ours.strategy,
                value_text(duel.ours, duel),
                duel.theirs.strategy,
                value_text(duel.theirs, duel),
                ratio_text(duel.ratio),
            ]
            for duel in lost
        ),
    )


def _summary(standing: Standing) -> str:
    cells = "/".join(str(standing.counts[verdict]) for verdict in COUNTED)
    mean = ratio_figure(standing.mean.median) if standing.mean else "not finished"
    return f"{mean} ({cells})"


def _standings(duels: Sequence[Duel]) -> str:
    names = CellNames(duels)
    return table(
        ["library", "mallard / it, geometric mean", "mallard, by cells", "the worst cell"],
        (
            [
                title(standing.peer, standing.quantity),
                ratio_text(standing.mean) or "not finished",
                counts_text(standing.counts),
                duel_text(standing.worst, names) if standing.worst else "",
            ]
            for standing in standings(duels)
        ),
    )


def table(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(heading)
    return "\n".join(_line(cells) for cells in (heading, rule, *lines))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_cell, cells)) + " |"
