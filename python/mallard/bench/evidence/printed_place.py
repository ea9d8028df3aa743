"""The place in `Evidence` of a printed cell of the smaller documents, under a setting of this machine's
rows."""

from __future__ import annotations

from mallard.bench.evidence.evidence import BASE, AnyPlace
from mallard.bench.papers.fixed_block import REMOVE_CTRL, STRATEGIES, work_name
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.papers.small_objects import figure_name

SMALL_PAGES = "small"  # an unconfigured system has small pages


def small_objects_place(table: PrintedTable, key: Key, column: str, pages: str = SMALL_PAGES) -> AnyPlace:
    return (figure_name(table, key), pages, key[0], str(table.place["order"]), column)


def fixed_block_place(table: PrintedTable, key: Key, column: str) -> AnyPlace:
    """The default is new-delete in every work. Each work has one strategy for the block allocators."""
    work = work_name(key)
    version = str(table.place["version"]) if work == REMOVE_CTRL else ""
    return (work, version, BASE if column == BASE else STRATEGIES[work])
