"""The scopes of a profile in the terminal: for each its name, a line of figures, and who frees the rest."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile.containment import contained, separated_share
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.figures import Amount, Percentiles
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.scopes import Scope
from mallard.advisor.profile.short_name import fitted
from mallard.advisor.profile.words import UNKNOWN, count, plural, ratio, share, size
from mallard.advisor.view.terminal.profile.lines import (
    Column,
    count_prefix,
    figures_line,
    heading,
    heads,
    note,
    print_cut,
    print_name,
)

SHOWN = 4
INDENT = 1
COLUMNS = (
    Column("contained", 9),
    Column("allocations", 13),
    Column("bytes", 15),
    Column("p50", 10),
    Column("p99", 9),
    Column("max", 9),
    Column("drag", 6),
    Column("apart", 7),
)
OF_ONE = "bytes of one activation"
OF_ONE_COLUMNS = 6  # the place of its last column
TITLE = "scopes"
NOTE = "the most blocks first that live and die in one activation"
NAME = 40  # columns of a name inside a sentence


def show_scopes(console: Console, profile: Profile, names: Names, *, all_rows: bool) -> None:
    """Prints nothing for a process without scopes."""
    scopes = profile.scopes
    if not scopes:
        return
    shown = scopes if all_rows else scopes[:SHOWN]
    unlisted = profile.scopes_not_listed.scopes if profile.scopes_not_listed else 0
    heading(console, TITLE, f"{count_prefix(len(shown), len(scopes) + unlisted)}{NOTE}")
    show_table(console, shown, Amount(profile.figures.allocations, profile.figures.bytes), names)


def show_table(console: Console, scopes: Sequence[Scope], total: Amount, names: Names) -> None:
    end = INDENT + sum(column.width for column in COLUMNS[:OF_ONE_COLUMNS])
    print_cut(console, Text(f"{OF_ONE:>{end}}", "dim"))
    print_cut(console, heads(COLUMNS, INDENT))
    for place, scope in enumerate(scopes, 1):
        print_name(console, f"{place:>2} ", names.scope_within(scope), names.source(scope.function))
        print_cut(console, figures_line(scope_figures(scope, total), COLUMNS, INDENT))
        note(
            console,
            f"{plural(scope.activations.allocating, 'activation')}; {describe_escapes(scope, names, 1)}",
        )


def scope_figures(scope: Scope, total: Amount) -> list[str]:
    figures = scope.figures
    bytes_ = scope.activation_bytes or Percentiles()
    drag = figures.drag.area_ratio if figures.drag else None
    return [
        contained(scope),
        f"{count(figures.allocations)} {_part(figures.allocations, total.allocations)}",
        f"{size(figures.bytes)} {_part(figures.bytes, total.bytes)}",
        size(bytes_.below(bytes_.p50)),
        size(bytes_.below(bytes_.p99)),
        size(bytes_.max),
        ratio(drag),
        UNKNOWN if (apart := separated_share(scope)) is None else round_percent(apart),
    ]


def round_percent(value: float) -> str:
    """A share in at most five columns; nothing is rounded to 0 or to 100."""
    percent = 100 * value
    if 0 < percent < 1:
        return "<1 %"
    return ">99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def _part(value: float, total: float) -> str:
    return f"{round_percent(value / total) if total else UNKNOWN:>5}"


def activations(scope: Scope) -> str:
    """`100 activations told apart of at most 120`"""
    seen = scope.separations
    number = scope.activations.allocating
    plain = plural(number, "activation")
    if seen is None or seen.at_most is None or seen.seen >= seen.at_most:
        return plain
    return f"{plain}; {count(seen.seen)} calls told apart of at most {count(seen.at_most)}"


def describe_escapes(scope: Scope, names: Names, most: int = 3) -> str:
    """The functions that free blocks which outlive their activation, with shares."""
    escaped = scope.figures.escaped
    if not escaped or not escaped.allocations:
        return "nothing escapes" if scope.figures.containment is not None else "nothing is freed"
    freed: dict[tuple[str, bool], int] = {}
    for escape in scope.escapes:
        key = (fitted(names.short(escape.by), NAME), escape.thread == "other")
        freed[key] = freed.get(key, 0) + escape.allocations
    heaviest = sorted(freed.items(), key=lambda item: -item[1])[:most]
    parts = [
        f"{name} frees {share(blocks / escaped.allocations)}{' on another thread' if cross_thread else ''}"
        for (name, cross_thread), blocks in heaviest
    ]
    return f"{count(escaped.allocations)} escape" + (f": {', '.join(parts)}" if parts else "")
