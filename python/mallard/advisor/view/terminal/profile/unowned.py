"""Memory that no function owns, in the terminal; almost contained scopes; the program's pools."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from rich.console import Console

from mallard.advisor.profile.dimensions import NEVER, break_even
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names, fitted
from mallard.advisor.profile.records import AlmostContained, Iteration, Owner, PlaceAmount, Pooled
from mallard.advisor.view.terminal.profile.lines import count_prefix, heading, note, print_name
from mallard.shared.report.figures import UNKNOWN, count, plural, share, size, size_range

Row = TypeVar("Row")
NAME = 40  # columns of a name inside a sentence


def show_unowned(console: Console, profile: Profile, names: Names, *, all_rows: bool) -> None:
    """Prints the first rows of each kind, or all rows."""

    def most(number: int) -> int | None:
        return None if all_rows else number

    about = "no function owns the blocks: freed by the next round"
    for iteration in _rows(console, "iterations", about, profile.iterations, most(2)):
        _iteration(console, iteration, names, all_rows=all_rows)
    about = "no function owns the blocks: many make, one frees"
    for owner in _rows(console, "lifetimes", about, profile.owners, most(2)):
        _owner(console, owner, names, all_rows=all_rows)
    about = "with the sites whose blocks escape"
    for almost in _rows(console, "almost contained", about, profile.almost_contained, most(1)):
        _almost(console, almost, names)
    about = "sites that take chunks for a pool of the program's own"
    for pooled in _rows(console, "already pooled", about, profile.already_pooled, most(1)):
        _pooled(console, pooled, names)


def _rows(console: Console, title: str, about: str, rows: Sequence[Row], most: int | None) -> Sequence[Row]:
    """Prints the heading, if there are rows. Returns the first ones."""
    shown = rows[:most]
    if shown:
        heading(console, title, f"{count_prefix(len(shown), len(rows))}{about}")
    return shown


def _iteration(console: Console, row: Iteration, names: Names, *, all_rows: bool) -> None:
    print_name(console, " - a loop in ", partial(names.within, row.function), names.source(row.function))
    most = row.most_bytes_between
    between = f"; at most {size(most)} between" if most is not None else ""
    times = f"back to zero {plural(row.returns, 'time')}"
    text = f"{count(row.allocations)} blocks of {size(row.bytes)}; {times}{between}"
    _facts(console, text, row.sites, names, all_rows=all_rows)


def _facts(
    console: Console, text: str, sites: Sequence[PlaceAmount], names: Names, *, all_rows: bool
) -> None:
    """One line on one screen; with its sites in a long list."""
    note(console, f"{text}; from {_places(sites, names)}" if all_rows else text)


def _owner(console: Console, row: Owner, names: Names, *, all_rows: bool) -> None:
    mark = " - objects of " if row.class_ else " - "
    name = partial(fitted, row.class_) if row.class_ else partial(names.within, row.function)
    print_name(console, mark, name, names.source(row.function))
    stacks = f"; made by {plural(row.stacks, 'stack')}" if row.stacks else ""
    _facts(
        console,
        f"frees {count(row.allocations)} blocks of {size(row.bytes)} in {plural(row.calls, 'call')}{stacks}",
        row.sites,
        names,
        all_rows=all_rows,
    )


def _almost(console: Console, row: AlmostContained, names: Names) -> None:
    scope = names.find_scope(row.scope)
    name = names.scope_within(scope) if scope else partial(fitted, names.scope_name(row.scope))
    print_name(console, " - ", name, names.source(scope.function) if scope else "")
    even = break_even(row.break_even)
    pays = {UNKNOWN: "", NEVER: "a region costs more than it saves; "}
    note(
        console,
        f"{share(row.containment)} contained; {pays.get(even, f'a region breaks even at {even}; ')}"
        f"escape from {_places(row.escapes_from, names)}",
    )


def _pooled(console: Console, row: Pooled, names: Names) -> None:
    print_name(console, " - ", names.place_within(row.place), names.place_source(row.place))
    ends = f" of {size_range(row.smallest, row.largest)}" if row.smallest is not None else ""
    growing = ", growing" if row.growing else ""
    frees = f", {plural(row.frees, 'free')}" if row.frees is not None else ""
    note(console, f"{plural(row.blocks, 'chunk')}{ends}{growing}, {size(row.bytes)} in all{frees}")


def _places(places: Sequence[PlaceAmount], names: Names) -> str:
    """`f (file.cpp:12) 400 and 3 more`"""
    by_name: dict[str, int] = {}
    for place in places:
        by_name[_place(place, names)] = by_name.get(_place(place, names), 0) + place.allocations
    if not by_name:
        return "sites that are not listed"
    first = max(by_name, key=lambda name: by_name[name])
    others = len(by_name) - 1
    return f"{first} {count(by_name[first])}" + (f" and {others} more" if others else "")


def _place(row: PlaceAmount, names: Names) -> str:
    """`f (file.cpp:12)`; the name alone if the line is not known."""
    name = fitted(names.place_function(row.place), NAME)
    file = names.place(row.place).file
    return f"{name} ({names.place_source(row.place).rpartition('/')[2]})" if file else name
