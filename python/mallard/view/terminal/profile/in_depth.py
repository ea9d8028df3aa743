"""One scope in depth, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from mallard.profile import sentences
from mallard.profile.containment import contained, exact
from mallard.profile.dimensions import DIMENSIONS
from mallard.profile.document import Profile
from mallard.profile.figures import Amount, Percentiles
from mallard.profile.names import Names
from mallard.profile.scopes import InDepth, Pair, Scope
from mallard.profile.short_name import ELLIPSIS, last_parts
from mallard.profile.words import UNKNOWN, count, plural, ratio, seconds, share, size
from mallard.view.terminal.profile.lines import (
    Column,
    bar,
    fact,
    figures_line,
    heading,
    heads,
    more,
    named,
    note,
    paragraph,
    print_cut,
)
from mallard.view.terminal.profile.scopes import activations, rest

SHOWN = 5
LEVELS = 4  # of a stack
LONGEST = 400  # letters of a whole name
SIZES = (Column("up to", 11), Column("blocks", 10), Column("bytes", 11))
PERCENTILES = (Column("p50", 11), Column("p90", 11), Column("p99", 11), Column("max", 11), Column("mean", 11))


def show_in_depth(console: Console, profile: Profile, found: InDepth, names: Names, *, whole: bool) -> None:
    scope = found.row
    named(console, "", names.scope_within(scope), names.source(scope.function))
    full = names.full(scope.function) if scope.name is None else scope.name
    if full != names.scope(scope):
        paragraph(console, full if len(full) <= LONGEST else f"{full[:LONGEST]}{ELLIPSIS}", "dim")
    print_cut(console, Text(f"in {sentences.command(profile)}", "dim"))
    _show_facts(console, profile, scope, names)
    _show_dimensions(console, scope)
    _show_percentiles(console, scope)
    _show_sizes(console, scope)
    most = None if whole else SHOWN
    _show_sites(console, found, names, most)
    _show_pairs(console, found.pairs, names, most)
    _show_callers(console, found, names, most)


def _show_facts(console: Console, profile: Profile, scope: Scope, names: Names) -> None:
    figures, total = scope.figures, profile.figures
    if not exact(scope) and scope.figures.containment is not None:
        bound = " (at most: calls that nothing separates count as one)"
    else:
        bound = ""
    fact(console, "contained", f"{contained(scope)} of the blocks that were freed{bound}", "bold")
    fact(console, "activations", _activations(scope))
    part = share(figures.allocations / total.allocations) if total.allocations else UNKNOWN
    part_of_bytes = share(figures.bytes / total.bytes) if total.bytes else UNKNOWN
    fact(
        console,
        "allocations",
        f"{count(figures.allocations)} ({part} of all), {size(figures.bytes)} ({part_of_bytes})",
    )
    if figures.alive:
        fact(
            console, "alive at the end", f"{count(figures.alive.allocations)} of {size(figures.alive.bytes)}"
        )
    fact(console, "the rest", rest(scope, names))
    if figures.drag:
        over_time, at_peak = ratio(figures.drag.area_ratio), ratio(figures.drag.peak_ratio)
        drag = f"{over_time} times the live bytes over time, {at_peak} at the peak"
        fact(console, "a region keeps", drag)
    if scope.rewind and scope.rewind.returns is not None:
        fact(
            console,
            "back to zero",
            f"{plural(scope.rewind.returns, 'time')}; at most {size(scope.rewind.peak_bytes)} between",
        )
    if scope.page_faults and scope.page_faults.per_activation is not None:
        fact(console, "fresh pages", f"{ratio(scope.page_faults.per_activation)} an activation")
    if figures.mean_lifetime_seconds is not None:
        meanwhile = (
            f", while {size(figures.mean_lifetime_bytes)} were allocated"
            if figures.mean_lifetime_bytes is not None
            else ""
        )
        fact(console, "a block lives", f"{seconds(figures.mean_lifetime_seconds)} on average{meanwhile}")


def _activations(scope: Scope) -> str:
    made = scope.activations
    parts = [activations(scope)]
    if made.contained is not None:
        parts.append(f"{count(made.contained)} ended with all their blocks freed")
    if made.seconds is not None:
        parts.append(f"{seconds(made.seconds)} in them")
    return ", ".join(parts)


def _show_dimensions(console: Console, scope: Scope) -> None:
    heading(console, "dimensions", "0 to 1, and as measured")
    for each in DIMENSIONS:
        found = scope.figures.dimension(each.letter)
        scaled = "-" if found.scaled is None else f"{found.scaled:.2f}"
        line = Text.assemble(
            (f" {each.letter} ", "bold"),
            (f"{each.name:<16}", "dim"),
            f"{bar(found.scaled, 12)} {scaled:>4}  ",
        )
        line.append(each.raw(found), "")
        print_cut(console, line)


def _show_percentiles(console: Console, scope: Scope) -> None:
    heading(console, "bytes of an activation")
    print_cut(console, heads(PERCENTILES, 12))
    for label, found in (("allocated", scope.activation_bytes), ("at its peak", scope.activation_peak)):
        each = found or Percentiles()
        line = figures_line(
            [size(each.below(value)) for value in (each.p50, each.p90, each.p99, each.max, each.mean)],
            PERCENTILES,
            0,
        )
        print_cut(console, Text.assemble((f"{label:<12}", "dim"), line))


def _show_sizes(console: Console, scope: Scope) -> None:
    sizes = scope.figures.sizes
    if not sizes:
        return
    heading(console, "sizes of blocks")
    print_cut(console, heads(SIZES, 0))
    largest = max(allocations for _, allocations, _ in sizes)
    heaviest = sorted(sizes, key=lambda each: -each[1])[: 2 * SHOWN]
    for most, allocations, bytes_ in sorted(heaviest):
        line = figures_line([size(most), count(allocations), size(bytes_)], SIZES, 0)
        line.append(f"  {bar(allocations / largest if largest else 0, 24).rstrip('░')}")
        print_cut(console, line)
    if len(sizes) > len(heaviest):
        note(console, f"and {len(sizes) - len(heaviest)} more sizes: --json", 2)


def _show_sites(console: Console, found: InDepth, names: Names, most: int | None) -> None:
    if not found.sites:
        return
    heading(console, "sites")
    for each in found.sites[:most]:
        figures = each.figures
        named(console, " - ", names.place_within(each.place), names.place_source(each.place), bold=False)
        kept = "" if figures.containment is None else f", {share(figures.containment)} contained"
        text = f"   {plural(figures.allocations, 'allocation')} of {size(figures.bytes)}{kept}"
        print_cut(console, Text(text, "dim"))
    more(console, 0 if most is None else len(found.sites[most:]), "site")


def _show_pairs(console: Console, pairs: Sequence[Pair], names: Names, most: int | None) -> None:
    if not pairs:
        return
    heading(console, "pairs of stacks", "allocated, and freed")
    for each in pairs[:most]:
        amount = Amount(each.allocations, each.bytes)
        other = ", freed by another thread" if each.thread == "other" else ""
        lives = (
            f", alive for {seconds(each.mean_lifetime_seconds)}"
            if each.mean_lifetime_seconds is not None
            else ""
        )
        print_cut(
            console, Text(f" - {plural(amount.allocations, 'block')} of {size(amount.bytes)}{lives}{other}")
        )
        _show_stack(console, "   + ", each.allocated, names)
        if each.freed is None:
            print_cut(console, Text("   - alive at the end", "dim"))
        else:
            _show_stack(console, "   - ", each.freed, names)
    more(console, 0 if most is None else len(pairs[most:]), "pair")


def _show_stack(console: Console, mark: str, stack: int | None, names: Names) -> None:
    """The innermost levels, joined by `<`: each was called by the next."""
    places = names.stack(stack)
    levels = [last_parts(names.place_function(place)).removeprefix(ELLIPSIS) for place in places[:LEVELS]]
    more_levels = f" < {len(places) - LEVELS} more" if len(places) > LEVELS else ""
    print_cut(console, Text(f"{mark}{' < '.join(levels) or 'no stack'}{more_levels}", "dim"))


def _show_callers(console: Console, found: InDepth, names: Names, most: int | None) -> None:
    if not found.callers:
        return
    heading(console, "callers")
    for each in found.callers[:most]:
        named(console, " - ", partial(names.within, each.function), names.source(each.function), bold=False)
        print_cut(console, Text(f"   {plural(each.allocations, 'allocation')} of {size(each.bytes)}", "dim"))
    more(console, 0 if most is None else len(found.callers[most:]), "caller")
