"""The documents' result with other libraries, from every experiment's stored rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from figures import BLOCKS, WHOLE_TABLES, block, whole_table
from figures.claims import runs, runs_text
from figures.stored import is_special
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.peers import (
    PLAIN,
    TIME,
    CellNames,
    CellResult,
    Counterpart,
    cell_results,
    counterparts,
    peer_sentences,
    ratio_text,
    title,
    value_text,
)
from mallard.bench.analysis.peers import losses as lost_in
from mallard.bench.result import Row
from mallard.bench.view.peers import counterparts_table, overview_table
from mallard.shared.mallocs import split
from mallard.shared.report import model
from mallard.shared.report.markdown import markdown_table as report_table

LEAST_LOSS = 1.02  # as a ratio
POOLS_THAT_SHRINK = ("small-object-pool", "adaptive-pool")


BLOCKS.update(
    counterparts=lambda: pairs(main_pairs()),
    peers_first=lambda: peer_sentences(all_results())[0],
)
WHOLE_TABLES["counterparts"] = lambda: pairs(all_pairs())


@cache
def all_results() -> list[CellResult]:
    return cell_results(measured())


@cache
def all_pairs() -> list[Counterpart]:
    return counterparts(measured())


def measured() -> list[Row]:
    return [row for stored in runs() if not is_special(stored) for row in stored.rows]


def pairs(chosen: Iterable[Counterpart]) -> str:
    return report_table(counterparts_table(chosen))


def main_pairs() -> list[Counterpart]:
    """The strategies that a program uses first, against the library and the malloc that is fastest. The pools
    that give memory back have a page of their own.
    """
    chosen: dict[tuple[str, bool], Counterpart] = {}
    for pair in all_pairs():  # the fastest counterpart comes first
        if pair.ours in PLAIN and pair.ours not in POOLS_THAT_SHRINK:
            chosen.setdefault((pair.ours, split(pair.theirs)[0] == BASE), pair)
    return list(chosen.values())


@whole_table("peers")
def times() -> str:
    """Without the phases and the memory of an experiment, which `mallard show peers` adds."""
    return report_table(overview_table(result for result in all_results() if result.quantity == TIME))


@whole_table("peers_losses")
def losses() -> str:
    """A line for each quantity of an experiment: the number of cells lost by two percent or more, and the
    worst of them. All cells are on small pages.
    """
    names = CellNames(all_results())
    groups: dict[str, list[CellResult]] = {}
    for result in lost_in(all_results()):
        if result.ratio is None or result.ratio.median >= LEAST_LOSS:
            groups.setdefault(title(result.experiment, result.quantity), []).append(result)
    titles = ("experiment", "cells", "the worst", "mallard's", "the other's", "mallard / the other")
    rows = (
        model.Row(
            (
                head,
                str(len({result.cell for result in group})),
                names.of(group[0]).replace(", small pages", ""),
                f"{group[0].ours.strategy} {value_text(group[0].ours, group[0])}",
                f"{group[0].theirs.strategy} {value_text(group[0].theirs, group[0])}",
                ratio_text(group[0].ratio),
            )
        )
        for head, group in groups.items()
    )
    columns = tuple(model.Column(title, numeric=title == "cells") for title in titles)
    return report_table(model.Table("Losses", columns, tuple(rows)))


@block("peers_conditions")
def conditions() -> str:
    return runs_text("Compared in", {result.run for result in all_results()})
