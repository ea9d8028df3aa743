"""Lines of code that allocate; pairs of stacks, where blocks are allocated and freed; the sites of
leaks, of temporary allocations and of the peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import break_even
from mallard.advisor.profile.document import NotListed, Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import (
    NOTHING,
    AlmostContained,
    Amount,
    Figures,
    Pair,
    PlaceAmount,
    Site,
    SiteBlocks,
    add_up,
)
from mallard.advisor.profile.residency import is_mostly_unwritten
from mallard.advisor.view.profile.charts import to_shares
from mallard.shared.report.figures import count, plural, seconds, share, size
from mallard.shared.report.model import (
    Cell,
    Column,
    Histogram,
    Histograms,
    Name,
    Paragraph,
    Ranking,
    Report,
    Row,
    Section,
    Stack,
    Table,
    Unit,
    row_from,
    text_columns,
)

MOST_SITES, MOST_PAIRS, MOST_LISTED = 2, 1, 10
MOST_DRAWN = 60  # sites with a histogram, on a page
LEAST_CONTROL_SHARE = 0.01  # of the process's time, as of what advice names
AMOUNT = (Column("blocks", unit=Unit.COUNT), Column("bytes", unit=Unit.BYTES))
SITES = (
    Column("site", numeric=False),
    Column("allocations", unit=Unit.COUNT),
    Column("bytes", unit=Unit.BYTES),
    Column("peak", "live bytes at the peak of the site", unit=Unit.BYTES),
    Column("contained", "share of the freed blocks", unit=Unit.SHARE),
    Column("back to zero", "times that its last live block was freed", is_detail=True, unit=Unit.COUNT),
    Column("stacks", is_detail=True, unit=Unit.COUNT),
    Column("contained in", numeric=False, is_detail=True),
    Column("called from", "most often", numeric=False, is_detail=True),
)
PAIRS = (
    *AMOUNT,
    Column("live for", "on average", unit=Unit.SECONDS),
    *text_columns("allocated", "freed"),
    Column(
        "contained in",
        "the innermost function whose activation contains the blocks",
        numeric=False,
        is_detail=True,
    ),
)
CONTROLS = (
    *text_columns("function", "called at"),
    Column("calls", unit=Unit.COUNT),
    Column("time", "elapsed in these calls, of all threads", unit=Unit.SECONDS),
    Column("of all", "of the CPU time, or of the elapsed time if that is shorter", unit=Unit.SHARE),
    Column("called from", numeric=False, is_detail=True),
)
LARGE = (
    Column("site", numeric=False),
    Column("blocks", "that were counted", unit=Unit.COUNT),
    Column("bytes of one", "on average", unit=Unit.BYTES),
    Column("written", "share of their pages that are resident", unit=Unit.SHARE),
    Column("called from", numeric=False, is_detail=True),
)
LISTED = (Column("site", numeric=False), *AMOUNT, Column("called from", numeric=False))
LEAKS = (
    "Blocks that are never freed. A recording cannot tell a leak from a block that is still reachable at the "
    "end: both are listed."
)
PEAK = "Blocks that are live when the process holds the most bytes."
TEMPORARY = (
    "Blocks that the allocating thread frees before its next allocation. A realloc frees the old block: one "
    "that grows step by step is listed, too."
)


def site_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    unlisted = profile.sites_not_listed.sites if profile.sites_not_listed else 0
    tables = site_table(profile.sites, names, None if all_rows else MOST_SITES, unlisted)
    return [Section("Sites", tables, is_headed=True, about="lines of code that allocate")] if tables else []


def pair_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    unlisted = profile.pairs_not_listed.pairs if profile.pairs_not_listed else 0
    tables = pair_table(profile.pairs, names, None if all_rows else MOST_PAIRS, unlisted)
    about = "stacks of allocation and free, most blocks first"
    return [Section("Pairs", tables, is_headed=True, about=about)] if tables else []


def site_table(sites: Sequence[Site], names: Names, most: int | None, unlisted: int = 0) -> tuple[Table, ...]:
    rows = tuple(_site_row(site, names, is_drawn=at < MOST_DRAWN) for at, site in enumerate(sites))
    return (Table("Sites", SITES, rows, most, unlisted, "smaller site"),) if rows else ()


def _site_row(site: Site, names: Names, *, is_drawn: bool) -> Row:
    figures = site.figures
    owners = [
        (
            Name("nothing") if owner.function is None else names.function_cell(owner.function),
            share(owner.allocations / figures.allocations) if figures.allocations else "",
        )
        for owner in site.owners
    ]
    return row_from(
        SITES,
        names.place_cell(site.place),
        figures.allocations,
        figures.bytes,
        site.peak_bytes,
        figures.containment,
        site.returns,
        site.contexts,
        Ranking(tuple(owners)) if owners else None,
        _callers(site, names),
        note=sentences.block_sizes(figures),
        details=_sizes(figures) if is_drawn else (),
    )


def _sizes(figures: Figures) -> tuple[Histograms, ...]:
    """The blocks of a site by their sizes, if these differ."""
    if len(figures.sizes) < 2:
        return ()
    bins: dict[int, tuple[int, int]] = {}
    for most_bytes, allocations, bytes_ in figures.sizes:
        power = max(most_bytes, 1).bit_length() - 1
        blocks, weight = bins.get(power, (0, 0))
        bins[power] = blocks + allocations, weight + bytes_
    shares = to_shares([(power, *sums) for power, sums in sorted(bins.items())])
    return (Histograms(("of the blocks", "of the bytes"), (Histogram("Sizes", Unit.BYTES, 1.0, shares),)),)


def _callers(site: Site, names: Names) -> Stack | None:
    """The heaviest stack, without the levels of the site itself."""
    if not site.stacks:
        return None
    places = names.stack(site.stacks[0].stack)
    own = names.place_function(site.place)
    functions = [names.place_function(place) for place in places]
    first = functions.index(own) if own in functions else 0
    while first < len(functions) and functions[first] == own:
        first += 1
    return names.stack_cell(places[first:]) if places[first:] else None


def pair_table(pairs: Sequence[Pair], names: Names, most: int | None, unlisted: int = 0) -> tuple[Table, ...]:
    rows = tuple(
        row_from(
            PAIRS,
            pair.allocations,
            pair.bytes,
            pair.mean_lifetime_seconds,
            names.stack_cell(names.stack(pair.allocated)),
            Stack((), "alive at the end")
            if pair.freed is None
            else names.stack_cell(
                names.stack(pair.freed), "by another thread" if pair.thread == "other" else ""
            ),
            None if pair.container is None else names.function_cell(pair.container),
        )
        for pair in pairs
    )
    return (Table("Pairs of stacks", PAIRS, rows, most, unlisted, "smaller pair"),) if rows else ()


def control_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    """Calls of malloc_trim and the like that take time, or all of them."""
    total = profile.busy_seconds
    rows = tuple(
        row_from(
            CONTROLS,
            *(calls.name, names.place_cell(calls.place), calls.calls, calls.seconds),
            calls.seconds / total if total else None,
            names.stack_cell(_outside(names.stack(calls.stack), calls.place)),
        )
        for calls in profile.control_calls
        if all_rows or calls.seconds >= LEAST_CONTROL_SHARE * total
    )
    table = Table("Control calls", CONTROLS, rows)
    about = "of malloc that neither allocate nor free, each of them timed"
    return [Section("Control calls", (table,), is_headed=True, about=about)] if rows else []


def large_block_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    """Large blocks that are mostly unwritten, or all of them."""
    rows = tuple(
        row_from(
            LARGE,
            *(names.place_cell(site.place), site.allocations, site.bytes / site.allocations),
            site.resident_bytes / site.bytes,
            names.stack_cell(_outside(names.stack(site.stack), site.place)),
        )
        for site in profile.large_blocks
        if site.allocations and site.bytes and (all_rows or is_mostly_unwritten(site))
    )
    table = Table("Large blocks", LARGE, rows)
    about = "of 256 KiB or more, by resident pages when freed or at the exit"
    return [Section("Large blocks", (table,), is_headed=True, about=about)] if rows else []


def list_report(profile: Profile, kind: str, *, all_rows: bool = False) -> Report:
    """The sites of leaks, of temporary allocations, or of the peak."""
    total: Amount | None
    if kind == "leaks":
        title, order, meaning = "Leaks", "most bytes first", LEAKS
        sites, not_listed, total = profile.leaks, profile.leaks_not_listed, _leaked(profile)
    elif kind == "peak":
        title, order, meaning = "Live at the peak", "most bytes first", PEAK
        sites, not_listed, total = profile.peak, profile.peak_not_listed, peak_total(profile)
    else:
        title, order, meaning = "Temporary allocations", "most blocks first", TEMPORARY
        sites, not_listed, total = (
            profile.temporary,
            profile.temporary_not_listed,
            profile.figures.temporary,
        )
    if profile.between is not None:
        begin, end = seconds(profile.between.begin_seconds), seconds(profile.between.end_seconds)
        meaning = f"Between {begin} and {end}. {meaning}"
        if kind == "leaks":
            title, meaning = "Live at the end", f"Blocks that are live after {end}."
    names, total = Names(profile), total or NOTHING
    allocations = profile.figures.allocations
    part = share(total.allocations / allocations) if total.allocations and allocations else "none"
    table = listed_table(title, sites, not_listed, names, all_rows=all_rows)
    if kind == "leaks":
        meaning = " ".join(filter(None, (meaning, sentences.suppressed(profile))))
    amount = f"{plural(total.allocations, 'block')} of {size(total.bytes)}"
    if profile.between is None or kind == "temporary":  # else some blocks are earlier than the allocations
        amount += f", {part} of {count(allocations)}"
    return Report(
        title=f"{title} of {sentences.program_name(profile.process)}",
        answer=Paragraph(f"{amount}. {meaning}"),
        sections=(Section(title, (table,), is_headed=True, about=f"sites with the {order}"),)
        if sites
        else (),
        subject=sentences.command(profile),
    )


def _leaked(profile: Profile) -> Amount:
    """Blocks that are alive at the end, without the suppressed ones."""
    alive = profile.between.live_at_end if profile.between else profile.figures.alive or NOTHING
    hidden = add_up(profile.suppressions)
    return Amount(alive.allocations - hidden.allocations, alive.bytes - hidden.bytes)


def peak_total(profile: Profile) -> Amount:
    """All blocks that are live at the peak."""
    return add_up([*profile.peak, profile.peak_not_listed or NotListed()])


def listed_table(
    title: str, sites: Sequence[SiteBlocks], not_listed: NotListed | None, names: Names, *, all_rows: bool
) -> Table:
    rows = tuple(_listed_row(site, names) for site in sites)
    most = None if all_rows else MOST_LISTED
    return Table(title, LISTED, rows, most, not_listed.sites if not_listed else 0, "smaller site")


def _listed_row(site: SiteBlocks, names: Names) -> Row:
    callers = _outside(names.stack(site.stack), site.place)
    cells = (names.place_cell(site.place), site.allocations, site.bytes)
    return row_from(LISTED, *cells, names.stack_cell(callers) if callers else None)


def _outside(stack: Sequence[int | None], place: int) -> Sequence[int | None]:
    """The callers of the place; the whole stack if the place is not in it."""
    return stack[stack.index(place) + 1 :] if place in stack else stack


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
