"""Memory of a profile that no function owns: iterations, lifetimes; almost contained scopes; the program's
pools.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mallard.advisor.profile.dimensions import break_even
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import AlmostContained, PlaceAmount
from mallard.advisor.view.profile.sites import AMOUNT
from mallard.shared.report.figures import plural
from mallard.shared.report.model import (
    Cell,
    Column,
    Name,
    Ranking,
    Section,
    Table,
    Unit,
    row_from,
    text_columns,
)

PLACES = Column("sites", "with the most blocks", numeric=False, is_detail=True)
ITERATIONS = (
    Column("loop in", numeric=False),
    *AMOUNT,
    Column("back to zero", "times that the last live block was freed", unit=Unit.COUNT),
    Column("most between", "bytes that are live at a time", unit=Unit.BYTES),
    PLACES,
)
OWNERS = (
    *text_columns("freed by", "class"),
    *AMOUNT,
    Column("calls", "of the function that frees the blocks", unit=Unit.COUNT),
    Column("stacks", "that make the blocks", unit=Unit.COUNT),
    PLACES,
)
ALMOST = (
    Column("scope", numeric=False),
    Column("contained", unit=Unit.SHARE),
    Column("break even", "containment from which a region saves more than its pages cost"),
    Column("saved a block", unit=Unit.SECONDS),
    Column("escape from", "sites with the most blocks", numeric=False),
)
POOLED = (
    Column("site", numeric=False),
    Column("chunks", unit=Unit.COUNT),
    Column("bytes", unit=Unit.BYTES),
    Column("smallest", unit=Unit.BYTES),
    Column("largest", unit=Unit.BYTES),
    Column("", "of the sizes", numeric=False),
    Column("most alive", is_detail=True, unit=Unit.COUNT),
    Column("frees", unit=Unit.COUNT),
)


Cells = tuple[Cell | float, ...]


def unowned_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    name, most = names.function_cell, partial(_ranking, names)
    iterations: list[Cells] = [
        (name(row.function), row.allocations, row.bytes, row.returns, row.most_bytes_between, most(row.sites))
        for row in profile.iterations
    ]
    owners: list[Cells] = [
        (
            *(name(row.function), row.class_ or "", row.allocations, row.bytes),
            *(row.calls, row.stacks, most(row.sites)),
        )
        for row in profile.owners
    ]
    pooled: list[Cells] = [
        (
            *(names.place_cell(row.place), row.blocks, row.bytes, row.smallest, row.largest),
            *("growing" if row.growing else "", row.most_alive, row.frees),
        )
        for row in profile.already_pooled
    ]
    almost = [_almost(row, names) for row in profile.almost_contained]
    contents = (
        ("Iterations", "blocks outlive their calls, freed by the next round", ITERATIONS, iterations, 2),
        ("Lifetimes of objects", "made by many calls, freed by one", OWNERS, owners, 2),
        ("Almost contained", "with the sites whose blocks escape", ALMOST, almost, 1),
        ("Already pooled", "sites that take chunks for the program's pools", POOLED, pooled, 1),
    )
    sections = []
    for title, about, columns, cells, few in contents:
        rows = tuple(row_from(columns, *line) for line in cells)
        table = Table(title, columns, rows, None if all_rows else few)
        sections += [Section(title, (table,), is_headed=True, about=about)] if rows else []
    return sections


def _almost(row: AlmostContained, names: Names) -> Cells:
    scope, even = names.find_scope(row.scope), row.break_even
    saved = even.saved_ns_per_block * 1e-9 if even and even.saved_ns_per_block is not None else None
    name = names.scope_cell(scope) if scope else Name(names.scope_name(row.scope))
    return name, row.containment, break_even(even), saved, _ranking(names, row.escapes_from)


def _ranking(names: Names, places: Sequence[PlaceAmount]) -> Ranking:
    """The sites with the most blocks. Those of one function without line numbers are merged."""
    blocks: dict[Name, int] = {}
    for place in places:
        name = names.place_cell(place.place)
        blocks[name] = blocks.get(name, 0) + place.allocations
    heaviest = sorted(blocks.items(), key=lambda item: -item[1])
    return Ranking(tuple((name, plural(number, "block")) for name, number in heaviest))
