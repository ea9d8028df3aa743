"""The documents' result with other libraries, from every experiment's stored rows."""

from __future__ import annotations

from functools import cache

from figures import BLOCKS, block
from figures.claims import runs, runs_text
from figures.stored import is_special
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.peers import (
    PLAIN,
    CellResult,
    Counterpart,
    cell_results,
    counterparts,
    peer_sentences,
)
from mallard.bench.result import Row
from mallard.bench.view.peers import counterparts_table
from mallard.shared.mallocs import split
from mallard.shared.report.markdown import markdown_table as report_table

LEAST_LOSS = 1.02  # as a ratio
POOLS_THAT_SHRINK = ("small-object-pool", "adaptive-pool")


BLOCKS.update(
    counterparts=lambda: report_table(counterparts_table(main_pairs())),
    peers_first=lambda: peer_sentences(all_results())[0],
)


@cache
def all_results() -> list[CellResult]:
    return cell_results(measured())


@cache
def all_pairs() -> list[Counterpart]:
    return counterparts(measured())


def measured() -> list[Row]:
    return [row for stored in runs() if not is_special(stored) for row in stored.rows]


def main_pairs() -> list[Counterpart]:
    """The strategies that a program uses first, against the library and the malloc that is fastest. The pools
    that give memory back have a page of their own.
    """
    chosen: dict[tuple[str, bool], Counterpart] = {}
    for pair in all_pairs():  # the fastest counterpart comes first
        if pair.ours in PLAIN and pair.ours not in POOLS_THAT_SHRINK:
            chosen.setdefault((pair.ours, split(pair.theirs)[0] == BASE), pair)
    return list(chosen.values())


@block("peers_conditions")
def conditions() -> str:
    return runs_text("Compared in", {result.run for result in all_results()})
