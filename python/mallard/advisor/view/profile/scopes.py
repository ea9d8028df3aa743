"""Scopes of a profile: the functions, those that the program marked, those whose blocks are scattered over
pages, and one in depth.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile import diffusion, sentences
from mallard.advisor.profile.dimensions import (
    DIMENSIONS,
    activation_bytes,
    contained,
    drag,
    merged,
    separated_share,
)
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import (
    Escape,
    Figures,
    InDepth,
    Percentiles,
    Scope,
)
from mallard.advisor.view.profile.sites import AMOUNT, pair_table, site_table
from mallard.shared.report.figures import count, plural, ratio, seconds, share, size
from mallard.shared.report.model import (
    Aside,
    Block,
    Column,
    Fact,
    Facts,
    Figure,
    Meter,
    Meters,
    Paragraph,
    Row,
    Section,
    Table,
    Unit,
    row_from,
)
from mallard.shared.report.names import ELLIPSIS, fitted

MOST_SCOPES = 4
MOST_MARKED = MOST_IN_DEPTH = 5
MOST_DIFFUSED = 2
MOST_SIZES = 12
NAME = 40  # columns of a name inside a sentence
LONGEST = 400  # letters of a whole name
OF_ONE = "bytes of one activation"
TEXT = Column("", numeric=False)
SCOPES = (
    Column("function", numeric=False),
    Column("contained", "share of the freed blocks that are freed before the activation ends"),
    Column("allocations", "with all calls inside"),
    Column("bytes"),
    Column("p50", "bytes of an activation: half of them need at most this", group=OF_ONE, unit=Unit.BYTES),
    Column("p99", "bytes of an activation: 99 of 100 need at most this", group=OF_ONE, unit=Unit.BYTES),
    Column("max", "bytes of the largest activation", group=OF_ONE, unit=Unit.BYTES),
    Column("drag", "what a region would hold over what is live", unit=Unit.NUMBER),
    Column("apart", "share of the possible activations that an event tells apart", unit=Unit.SHARE),
    Column("dimensions", "of density to fragmentability, 0 to 1", numeric=False, is_detail=True),
)
DIMENSION_COLUMNS = (TEXT, TEXT, Column("0 to 1", unit=Unit.RATIO), Column("as measured", numeric=False))
PERCENTILES = (TEXT, *(Column(head, unit=Unit.BYTES) for head in ("p50", "p90", "p99", "max", "mean")))
SIZES = (Column("up to", unit=Unit.BYTES), *AMOUNT, TEXT)
CLASSES = (Column("up to", unit=Unit.BYTES), Column("activations", unit=Unit.COUNT), TEXT)
ESCAPES = (
    Column("function", numeric=False),
    *AMOUNT,
    Column("thread", numeric=False),
    Column("contained in", "the function whose activation contains the blocks", numeric=False),
)
CALLERS = (Column("caller", numeric=False), *AMOUNT, Column("activations", unit=Unit.COUNT))
DIFFUSION = (
    Column("scope", numeric=False),
    Column("live bytes", "when they are highest", unit=Unit.BYTES),
    Column("pages", "of 4 KiB that hold them", unit=Unit.COUNT),
    Column("needed", "pages that the live bytes would fill", unit=Unit.COUNT),
    Column("times", "pages over those needed", unit=Unit.NUMBER),
    Column("first", "pages over those needed, at the beginning of the recording", unit=Unit.NUMBER),
    Column("last", "pages over those needed, at the end", unit=Unit.NUMBER),
    Column("shared", "part of the pages that also holds live blocks of others", unit=Unit.SHARE),
)
SCATTERED = (
    "Reading scattered blocks is slow, and slower in old processes; a local allocator keeps the blocks of "
    "its scope together."
)


def scope_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    most = None if all_rows else MOST_SCOPES
    unlisted = profile.scopes_not_listed.scopes if profile.scopes_not_listed else 0
    table = _scope_table(profile, names, profile.scopes, "Scopes", most, unlisted)
    about = "by the blocks that live and die in one activation"
    return [Section("Scopes", (table,), is_headed=True, about=about)] if profile.scopes else []


def marked_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    scopes = profile.markers.scopes if profile.markers else ()
    most = None if all_rows else MOST_MARKED
    sections = []
    if scopes:
        table = _scope_table(profile, names, scopes, "Marked scopes", most)
        sections.append(Section("Marked scopes", (table,), is_headed=True, about="exact"))
    if facts := sentences.marked(profile):
        table = Table("Marks", (TEXT,), tuple(Row((fact,)) for fact in facts), most)
        sections.append(Section("Marked progress, instances and pools", (table,), is_headed=True))
    return sections


def _scope_table(
    profile: Profile, names: Names, scopes: Sequence[Scope], caption: str, most: int | None, unlisted: int = 0
) -> Table:
    rows = tuple(_scope_row(profile, scope, names) for scope in scopes)
    return Table(caption, SCOPES, rows, most, unlisted, "smaller scope")


def _scope_row(profile: Profile, scope: Scope, names: Names) -> Row:
    figures, total = scope.figures, profile.figures
    bytes_, kept = activation_bytes(scope), drag(scope)
    return row_from(
        SCOPES,
        names.scope_cell(scope),
        contained(scope),
        Figure(figures.allocations, Unit.COUNT, _part(figures.allocations, total.allocations)),
        Figure(figures.bytes, Unit.BYTES, _part(figures.bytes, total.bytes)),
        bytes_.below(bytes_.p50),
        bytes_.below(bytes_.p99),
        bytes_.max,
        kept.area_ratio if kept else None,
        separated_share(scope),
        small_dimensions(figures),
        note=f"{plural(scope.activations.allocating, 'activation')}; {describe_escapes(scope, names, 1)}",
        details=(Aside("Dimensions", (dimension_table(figures),)), *lifetime_details(scope, names)),
    )


def _part(value: float, total: float) -> float | None:
    return value / total if total else None


def small_dimensions(figures: Figures) -> Meters:
    return Meters(
        tuple((item.letter, item.name, figures.dimension(item.letter).scaled) for item in DIMENSIONS)
    )


def dimension_table(figures: Figures) -> Table:
    rows = []
    for item in DIMENSIONS:
        measured = figures.dimension(item.letter)
        cells = (f"{item.letter} {item.name}", Meter(measured.scaled), measured.scaled, item.raw(measured))
        rows.append(row_from(DIMENSION_COLUMNS, *cells))
    return Table("Dimensions", DIMENSION_COLUMNS, tuple(rows))


def lifetime_details(scope: Scope, names: Names) -> tuple[Aside, ...]:
    """An activation, the sizes of its blocks, and the functions that free the others."""
    return (
        Aside("An activation", (activation_facts(scope), *_percentiles(scope))),
        Aside("Sizes of blocks", (_size_table(scope),)),
        Aside("The rest is freed by", (_escape_table(scope.escapes, names),)),
    )


def activation_facts(scope: Scope) -> Facts:
    figures, kept, rewind, faults = scope.figures, drag(scope), scope.rewind, scope.page_faults
    facts = [Fact("activations", _activations(scope))]
    if kept:
        over_time, at_peak = ratio(kept.area_ratio), ratio(kept.peak_ratio)
        text = f"{over_time} times the live bytes over time, {at_peak} at the peak"
        facts.append(Fact("a region keeps", text))
    if rewind and rewind.returns is not None:
        text = f"{plural(rewind.returns, 'time')}; at most {size(rewind.peak_bytes)} between"
        facts.append(Fact("back to zero", text))
    if scope.diffusion:
        facts.append(Fact("pages at the peak", diffusion.describe(scope.diffusion.peak)))
    if faults and faults.per_activation is not None and not merged(scope):
        facts.append(Fact("fresh pages", f"{ratio(faults.per_activation)} an activation"))
    if figures.mean_lifetime_seconds is not None:
        text = f"{seconds(figures.mean_lifetime_seconds)} on average"
        if figures.mean_lifetime_bytes is not None:
            text += f", while {size(figures.mean_lifetime_bytes)} were allocated"
        facts.append(Fact("a block lives", text))
    if figures.freed_by_other_thread and figures.freed_by_other_thread.allocations:
        text = plural(figures.freed_by_other_thread.allocations, "block")
        facts.append(Fact("by another thread", f"{text} freed"))
    return Facts(tuple(facts))


def _activations(scope: Scope) -> str:
    """`100 activations; 90 calls told apart of at most 120, 80 ended with all their blocks freed`"""
    counts, seen = scope.activations, scope.separations
    text = plural(counts.allocating, "activation")
    if seen and seen.at_most is not None and seen.seen < seen.at_most:
        text += f"; {plural(seen.seen, 'call')} told apart of at most {count(seen.at_most)}"
        text += ", so sizes are of what was live together" if merged(scope) else ""
    parts = [text]
    if counts.contained is not None:
        parts.append(f"{count(counts.contained)} ended with all their blocks freed")
    if counts.seconds is not None:
        parts.append(f"{seconds(counts.seconds)} in them")
    return ", ".join(parts)


def describe_escapes(scope: Scope, names: Names, most: int = 3) -> str:
    """The functions that free blocks which outlive their activation, with shares."""
    escaped = scope.figures.escaped
    if not escaped or not escaped.allocations:
        return "nothing escapes" if scope.figures.containment is not None else "nothing is freed"
    freed: dict[tuple[str, bool], int] = {}
    for escape in scope.escapes:
        key = (fitted(names.short(escape.freed_by), NAME), escape.thread == "other")
        freed[key] = freed.get(key, 0) + escape.allocations
    heaviest = sorted(freed.items(), key=lambda item: -item[1])[:most]
    parts = [
        f"{name} frees {share(blocks / escaped.allocations)}{' on another thread' if cross_thread else ''}"
        for (name, cross_thread), blocks in heaviest
    ]
    return f"{count(escaped.allocations)} escape" + (f": {', '.join(parts)}" if parts else "")


def _percentiles(scope: Scope) -> tuple[Table, ...]:
    """Of merged activations there are none: the most that was live together is in the facts."""
    if merged(scope):
        return ()
    rows = []
    for label, measured in (("allocated", scope.activation_bytes), ("at its peak", scope.activation_peak)):
        sizes = measured or Percentiles()
        values = (sizes.p50, sizes.p90, sizes.p99, sizes.max, sizes.mean)
        rows.append(row_from(PERCENTILES, label, *map(sizes.below, values)))
    return (Table("Bytes of an activation", PERCENTILES, tuple(rows)),)


def _size_table(scope: Scope) -> Table:
    """The most common size classes."""
    sizes = scope.figures.sizes
    shown = sorted(sorted(sizes, key=lambda size_class: -size_class[1])[:MOST_SIZES])
    most = max((allocations for _, allocations, _ in shown), default=0) or 1
    rows = tuple(row_from(SIZES, *size_class, Meter(size_class[1] / most, 24)) for size_class in shown)
    return Table("Sizes of blocks", SIZES, rows, None, len(sizes) - len(shown), "rarer size", "--json")


def _escape_table(escapes: Sequence[Escape], names: Names) -> Block:
    if not escapes:
        return Paragraph("Nothing escapes.")
    rows = [
        row_from(
            ESCAPES,
            names.function_cell(escape.freed_by),
            escape.allocations,
            escape.bytes,
            "another" if escape.thread == "other" else "",
            "" if escape.container is None else names.function_cell(escape.container),
        )
        for escape in escapes
    ]
    return Table("Functions that free the rest", ESCAPES, tuple(rows))


def diffusion_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    rows = []
    for row in diffusion.diffused_scopes(profile):
        peak = row.peak
        pages = (peak.live_bytes, peak.pages, peak.pages_needed, peak.times, row.first_times, row.last_times)
        rows.append(row_from(DIFFUSION, names.scope_cell(row.scope), *pages, peak.shared_share))
    most = None if all_rows else MOST_DIFFUSED
    table = Table("Diffusion", DIFFUSION, tuple(rows), most, noun="further scope")
    about = "live blocks on more pages than they need, at the peak"
    blocks = (table, Aside("", (Paragraph(SCATTERED),)))
    return [Section("Diffusion", blocks, is_headed=True, about=about)] if rows else []


def in_depth_sections(profile: Profile, scope: InDepth, names: Names, *, all_rows: bool) -> list[Section]:
    row, most = scope.row, None if all_rows else MOST_IN_DEPTH
    facts = (*_scope_facts(profile, row, names), *activation_facts(row).facts)
    callers = tuple(
        row_from(
            CALLERS,
            names.function_cell(caller.function),
            caller.allocations,
            caller.bytes,
            caller.activations,
        )
        for caller in scope.callers
    )
    sections = [
        Section(f"{names.scope(row)} in depth", (Facts(facts),), is_headed=True),
        Section("Dimensions", (dimension_table(row.figures),), is_headed=True),
        Section("Bytes of an activation", (*_percentiles(row), *_classes(scope)), is_headed=True),
        Section("Sizes of blocks", (_size_table(row),) if row.figures.sizes else (), is_headed=True),
        Section("Functions that free the rest", (Aside("", (_escape_table(row.escapes, names),)),)),
        Section("Sites in it", site_table(scope.sites, names, most), is_headed=True),
        Section("Pairs in it", pair_table(scope.pairs, names, most), is_headed=True),
        Section("Callers", (Table("Callers", CALLERS, callers, most),) if callers else (), is_headed=True),
    ]
    return [section for section in sections if section.blocks]


def _scope_facts(profile: Profile, scope: Scope, names: Names) -> list[Fact]:
    figures, total = scope.figures, profile.figures
    full = names.full(scope.function) if scope.name is None else scope.name
    bound = "of the blocks that were freed"
    if contained(scope).is_bound and figures.containment is not None:
        bound += " (at most: calls that nothing separates count as one)"
    parts = _part(figures.allocations, total.allocations), _part(figures.bytes, total.bytes)
    allocated = f"({share(parts[0])} of all), {size(figures.bytes)} ({share(parts[1])})"
    facts = [
        Fact("name", full if len(full) <= LONGEST else f"{full[:LONGEST]}{ELLIPSIS}"),
        *([Fact("source", source)] if (source := names.source(scope.function)) else []),
        Fact("contained", contained(scope), bound),
        Fact("allocations", Figure(figures.allocations, Unit.COUNT), allocated),
    ]
    if figures.alive:
        alive = Figure(figures.alive.allocations, Unit.COUNT)
        facts.append(Fact("alive at the end", alive, f"of {size(figures.alive.bytes)}"))
    return [*facts, Fact("the rest", describe_escapes(scope, names))]


def _classes(scope: InDepth) -> tuple[Aside, ...]:
    """The number of activations by class of bytes."""
    classes = [("Live bytes at its peak", scope.activation_peak_classes)]
    if not merged(scope.row):
        classes.insert(0, ("Allocated bytes", scope.activation_bytes_classes))
    asides = []
    for title, sizes in classes:
        most = max((activations for _, activations in sizes), default=0) or 1
        rows = tuple(row_from(CLASSES, *size_class, Meter(size_class[1] / most)) for size_class in sizes)
        asides += [Aside(title, (Table(title, CLASSES, rows),))] if rows else []
    return tuple(asides)
