"""The scopes of a profile in the terminal: a list, the program's markers, and one scope in depth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile import sentences
from mallard.advisor.profile.diffusion import describe
from mallard.advisor.profile.dimensions import (
    DIMENSIONS,
    activation_bytes,
    contained,
    drag,
    exact,
    merged,
    separated_share,
)
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import ELLIPSIS, Names, fitted, last_parts
from mallard.advisor.profile.records import Amount, InDepth, Pair, Percentiles, Scope
from mallard.advisor.view.terminal.profile.lines import (
    Column,
    bar,
    count_prefix,
    fact,
    figures_line,
    heading,
    heads,
    note,
    paragraph,
    print_cut,
    print_hanging,
    print_name,
    print_omitted,
)
from mallard.shared.report.figures import UNKNOWN, count, plural, ratio, seconds, share, size

MOST_SCOPES = 4
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
    shown = scopes if all_rows else scopes[:MOST_SCOPES]
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
    bytes_ = activation_bytes(scope)
    kept = drag(scope)
    return [
        contained(scope),
        f"{count(figures.allocations)} {_part(figures.allocations, total.allocations)}",
        f"{size(figures.bytes)} {_part(figures.bytes, total.bytes)}",
        size(bytes_.below(bytes_.p50)),
        size(bytes_.below(bytes_.p99)),
        size(bytes_.max),
        ratio(kept.area_ratio if kept else None),
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
    text = f"{plain}; {plural(seen.seen, 'call')} told apart of at most {count(seen.at_most)}"
    return f"{text}, so sizes are of what was live together" if merged(scope) else text


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


MOST_ROWS = 5


def show_markers(console: Console, profile: Profile, names: Names, *, all_rows: bool) -> None:
    markers = profile.markers
    most = None if all_rows else MOST_ROWS
    if markers and markers.scopes:
        heading(console, "marked scopes", "exact")
        total = Amount(profile.figures.allocations, profile.figures.bytes)
        show_table(console, markers.scopes[:most], total, names)
        print_omitted(console, 0 if most is None else len(markers.scopes[most:]), "scope")
    facts = sentences.marked(profile)
    if facts:
        heading(console, "marked progress, instances and pools")
    for text in facts[:most]:
        print_cut(console, Text(f"   {text}"))
    print_omitted(console, 0 if most is None else len(facts[most:]), "row")


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
    most = None if all_rows else MOST_ROWS
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
    if kept := drag(scope):
        over_time, at_peak = ratio(kept.area_ratio), ratio(kept.peak_ratio)
        fact(console, "a region keeps", f"{over_time} times the live bytes over time, {at_peak} at the peak")
    if scope.rewind and scope.rewind.returns is not None:
        fact(
            console,
            "back to zero",
            f"{plural(scope.rewind.returns, 'time')}; at most {size(scope.rewind.peak_bytes)} between",
        )
    if scope.diffusion:
        fact(console, "pages at the peak", describe(scope.diffusion.peak))
    if scope.page_faults and scope.page_faults.per_activation is not None and not merged(scope):
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
        label = Text.assemble(
            (f" {dimension.letter} ", "bold"),
            (f"{dimension.name:<16}", "dim"),
            f"{bar(measured.scaled, 8)} {scaled:>4}  ",
        )
        print_hanging(console, label, dimension.raw(measured))


def _show_percentiles(console: Console, scope: Scope) -> None:
    if merged(scope):
        return  # the most that was live together is in the facts
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
    heaviest = sorted(sizes, key=lambda size_class: -size_class[1])[: 2 * MOST_ROWS]
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
        show_stack(console, "   + ", names.stack(pair.allocated), names)
        if pair.freed is None:
            print_cut(console, Text("   - alive at the end", "dim"))
        else:
            show_stack(console, "   - ", names.stack(pair.freed), names)
    print_omitted(console, 0 if most is None else len(pairs[most:]), "pair")


def show_stack(console: Console, mark: str, places: Sequence[int | None], names: Names) -> None:
    """The innermost levels, joined by `<`: each was called by the next."""
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
