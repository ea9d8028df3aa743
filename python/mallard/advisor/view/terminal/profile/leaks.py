"""The sites of leaks and of temporary allocations, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import NotListed, Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import NOTHING, Amount, SiteBlocks
from mallard.advisor.view.terminal.profile.lines import (
    count_prefix,
    heading,
    paragraph,
    print_cut,
    print_name,
    print_omitted,
)
from mallard.advisor.view.terminal.profile.scopes import show_stack
from mallard.shared.report.figures import count, plural, share, size

MOST_ROWS = 10


@dataclass(frozen=True)
class _List:
    title: str
    order: str
    meaning: str
    rows: Sequence[SiteBlocks]
    not_listed: NotListed | None
    total: Amount | None


def _leaks(profile: Profile) -> _List:
    meaning = (
        "Blocks that are never freed. A recording cannot tell a leak from a block that is still reachable "
        "at the end: both are listed."
    )
    return _List(
        "leaks", "most bytes first", meaning, profile.leaks, profile.leaks_not_listed, profile.figures.alive
    )


def _temporary(profile: Profile) -> _List:
    meaning = (
        "Blocks that the allocating thread frees before its next allocation. A realloc frees the old block: "
        "one that grows step by step is listed, too."
    )
    return _List(
        "temporary allocations",
        "most blocks first",
        meaning,
        profile.temporary,
        profile.temporary_not_listed,
        profile.figures.temporary,
    )


LISTS = {"leaks": _leaks, "temporary": _temporary}


def show_list(console: Console, profile: Profile, name: str, *, all_rows: bool = False) -> None:
    """Prints one of LISTS."""
    sites, names = LISTS[name](profile), Names(profile)
    total = sites.total or NOTHING
    paragraph(console, sentences.command(profile), "bold")
    allocations = profile.figures.allocations
    part = share(total.allocations / allocations) if total.allocations else "none"
    paragraph(
        console,
        f"{plural(total.allocations, 'block')} of {size(total.bytes)}, {part} of {count(allocations)}. "
        f"{sites.meaning}",
        "dim",
    )
    shown = sites.rows if all_rows else sites.rows[:MOST_ROWS]
    number = len(sites.rows) + (sites.not_listed.sites if sites.not_listed else 0)
    if shown:
        heading(console, sites.title, f"{count_prefix(len(shown), number)}sites with the {sites.order}")
    for row in shown:
        print_name(console, " - ", names.place_within(row.place), names.place_source(row.place))
        print_cut(console, Text(f"   {plural(row.allocations, 'block')} of {size(row.bytes)}"))
        stack = names.stack(row.stack)
        callers = stack[stack.index(row.place) + 1 :] if row.place in stack else stack
        if callers:
            show_stack(console, "   < ", callers, names)
    print_omitted(console, number - len(shown), "site")
