"""Where a printed cell of the smaller documents stands in `Evidence`, under a setting of this machine's
rows."""

from __future__ import annotations

from mallard.evidence.evidence import BASE, AnyPlace
from mallard.papers.fixed_block import REMOVE_CTRL, STRATEGIES, work_of
from mallard.papers.printed import Key, PrintedTable
from mallard.papers.small_objects import figure_of

SMALL_PAGES = "small"  # what a system has that does nothing about them


def small_objects_place(table: PrintedTable, key: Key, column: str, pages: str = SMALL_PAGES) -> AnyPlace:
    return (figure_of(table, key), pages, key[0], str(table.place["order"]), column)


def fixed_block_place(table: PrintedTable, key: Key, column: str) -> AnyPlace:
    """The default is new-delete in every work; the block allocators have one strategy a work."""
    work = work_of(key)
    version = str(table.place["version"]) if work == REMOVE_CTRL else ""
    return (work, version, BASE if column == BASE else STRATEGIES[work])
