"""One scope in depth, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.containment import contained, exact
from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.figures import Amount, Percentiles
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.scopes import InDepth, Pair, Scope
from mallard.advisor.profile.short_name import ELLIPSIS, last_parts
from mallard.advisor.profile.words import UNKNOWN, count, plural, ratio, seconds, share, size
from mallard.advisor.view.terminal.profile.lines import (
    Column,
    bar,
    fact,
    figures_line,
    heading,
    heads,
    note,
    paragraph,
    print_cut,
    print_name,
    print_omitted,
)
from mallard.advisor.view.terminal.profile.scopes import activations, describe_escapes

SHOWN = 5
LEVELS = 4  # of a stack
LONGEST = 400  # letters of a whole name
SIZES = (Column("up to", 11), Column("blocks", 10), Column("bytes", 11))
PERCENTILES = (Column("p50", 11), Column("p90", 11), Column("p99", 11), Column("max", 11), Column("mean", 11))


def show_in_depth(
    console: Console, profile: Profile, in_depth: InDepth, names: Names, *, all_rows: bool
) -> None:
    scope = in_depth.row
    print_name(console, "", names.scope_within(scope), names.source(scope.function))
    full = names.full(scope.function) if scope.name is None else scope.name
    if full != names.scope(scope):
        paragraph(console, full if len(full) <= LONGEST else f"{full[:LONGEST]}{ELLIPSIS}", "dim")
    print_cut(console, Text(f"in {sentences.command(profile)}", "dim"))
    _show_facts(console, profile, scope, names)
    _show_dimensions(console, scope)
    _show_percentiles(console, scope)
    _show_sizes(console, scope)
    most = None if all_rows else SHOWN
    _show_sites(console, in_depth, names, most)
    _show_pairs(console, in_depth.pairs, names, most)
    _show_callers(console, in_depth, names, most)


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
    fact(console, "the rest", describe_escapes(scope, names))
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
    counts = scope.activations
    parts = [activations(scope)]
    if counts.contained is not None:
        parts.append(f"{count(counts.contained)} ended with all their blocks freed")
    if counts.seconds is not None:
        parts.append(f"{seconds(counts.seconds)} in them")
    return ", ".join(parts)


def _show_dimensions(console: Console, scope: Scope) -> None:
    heading(console, "dimensions", "0 to 1, and as measured")
    for dimension in DIMENSIONS:
        measured = scope.figures.dimension(dimension.letter)
        scaled = "-" if measured.scaled is None else f"{measured.scaled:.2f}"
        line = Text.assemble(
            (f" {dimension.letter} ", "bold"),
            (f"{dimension.name:<16}", "dim"),
            f"{bar(measured.scaled, 12)} {scaled:>4}  ",
        )
        line.append(dimension.raw(measured), "")
        print_cut(console, line)


def _show_percentiles(console: Console, scope: Scope) -> None:
    heading(console, "bytes of an activation")
    print_cut(console, heads(PERCENTILES, 12))
    for label, measured in (("allocated", scope.activation_bytes), ("at its peak", scope.activation_peak)):
        percentiles = measured or Percentiles()
        line = figures_line(
            [
                size(percentiles.below(value))
                for value in (
                    percentiles.p50,
                    percentiles.p90,
                    percentiles.p99,
                    percentiles.max,
                    percentiles.mean,
                )
            ],
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
    heaviest = sorted(sizes, key=lambda size_class: -size_class[1])[: 2 * SHOWN]
    for most, allocations, bytes_ in sorted(heaviest):
        line = figures_line([size(most), count(allocations), size(bytes_)], SIZES, 0)
        line.append(f"  {bar(allocations / largest if largest else 0, 24).rstrip('░')}")
        print_cut(console, line)
    if len(sizes) > len(heaviest):
        note(console, f"and {len(sizes) - len(heaviest)} more sizes: --json", 2)


def _show_sites(console: Console, in_depth: InDepth, names: Names, most: int | None) -> None:
    if not in_depth.sites:
        return
    heading(console, "sites")
    for site in in_depth.sites[:most]:
        figures = site.figures
        print_name(console, " - ", names.place_within(site.place), names.place_source(site.place), bold=False)
        kept = "" if figures.containment is None else f", {share(figures.containment)} contained"
        text = f"   {plural(figures.allocations, 'allocation')} of {size(figures.bytes)}{kept}"
        print_cut(console, Text(text, "dim"))
    print_omitted(console, 0 if most is None else len(in_depth.sites[most:]), "site")


def _show_pairs(console: Console, pairs: Sequence[Pair], names: Names, most: int | None) -> None:
    if not pairs:
        return
    heading(console, "pairs of stacks", "allocated, and freed")
    for pair in pairs[:most]:
        amount = Amount(pair.allocations, pair.bytes)
        thread = ", freed by another thread" if pair.thread == "other" else ""
        lives = (
            f", alive for {seconds(pair.mean_lifetime_seconds)}"
            if pair.mean_lifetime_seconds is not None
            else ""
        )
        print_cut(
            console, Text(f" - {plural(amount.allocations, 'block')} of {size(amount.bytes)}{lives}{thread}")
        )
        _show_stack(console, "   + ", pair.allocated, names)
        if pair.freed is None:
            print_cut(console, Text("   - alive at the end", "dim"))
        else:
            _show_stack(console, "   - ", pair.freed, names)
    print_omitted(console, 0 if most is None else len(pairs[most:]), "pair")


def _show_stack(console: Console, mark: str, stack: int | None, names: Names) -> None:
    """The innermost levels, joined by `<`: each was called by the next."""
    places = names.stack(stack)
    levels = [last_parts(names.place_function(place)).removeprefix(ELLIPSIS) for place in places[:LEVELS]]
    more_levels = f" < {len(places) - LEVELS} more" if len(places) > LEVELS else ""
    print_cut(console, Text(f"{mark}{' < '.join(levels) or 'no stack'}{more_levels}", "dim"))


def _show_callers(console: Console, in_depth: InDepth, names: Names, most: int | None) -> None:
    if not in_depth.callers:
        return
    heading(console, "callers")
    for caller in in_depth.callers[:most]:
        print_name(
            console, " - ", partial(names.within, caller.function), names.source(caller.function), bold=False
        )
        print_cut(
            console, Text(f"   {plural(caller.allocations, 'allocation')} of {size(caller.bytes)}", "dim")
        )
    print_omitted(console, 0 if most is None else len(in_depth.callers[most:]), "caller")
