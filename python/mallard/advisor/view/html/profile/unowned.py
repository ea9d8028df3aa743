"""Memory that no function owns: iterations, lifetimes; almost contained scopes; the program's pools."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.dimensions import break_even
from mallard.advisor.profile.records import AlmostContained, Iteration, Owner, PlaceAmount, Pooled
from mallard.advisor.view.html.profile.page import Content, Part, name, number, number_head, table
from mallard.shared.report.figures import UNKNOWN, count, plural, share, size
from mallard.shared.view.html.markup import Content as Inside
from mallard.shared.view.html.markup import Markup, element, joined


def unowned_part(content: Content) -> Part | None:
    profile = content.profile
    blocks = [
        _iterations(content, content.rows(profile.iterations)),
        _owners(content, content.rows(profile.owners)),
        _almost(content, content.rows(profile.almost_contained)),
        _pooled(content, content.rows(profile.already_pooled)),
    ]
    if not any(blocks):
        return None
    return Part("unowned", "No function", "Memory that no function owns", joined(*blocks), {})


def _block(title: str, text: str, body: Markup) -> Markup:
    return joined(element("h3", title), element("p", text), body)


def _iterations(content: Content, rows: Sequence[Iteration]) -> Markup | None:
    if not rows:
        return None
    heads = (
        "loop in",
        number_head("blocks"),
        number_head("bytes"),
        number_head("back to zero"),
        number_head("most between"),
        "sites",
    )
    table_rows = [
        _row(
            content.function(iteration.function),
            number(count(iteration.allocations), "blocks"),
            number(size(iteration.bytes), "bytes"),
            number(count(iteration.returns), "back to zero"),
            number(size(iteration.most_bytes_between), "most between"),
            places(content, iteration.sites),
        )
        for iteration in rows
    ]
    text = "Blocks that outlive the calls that made them and are freed before the next round of a loop."
    return _block("Iterations", text, table("Iterations", heads, table_rows))


def _owners(content: Content, rows: Sequence[Owner]) -> Markup | None:
    if not rows:
        return None
    heads = ("freed by", "class", number_head("blocks"), number_head("bytes"), number_head("calls"), "sites")
    table_rows = [
        _row(
            content.function(owner.function),
            element("td", name(content.cut(owner.class_)) if owner.class_ else "-", data_label="class"),
            number(count(owner.allocations), "blocks"),
            number(size(owner.bytes), "bytes"),
            number(count(owner.calls), "calls"),
            places(content, owner.sites),
        )
        for owner in rows
    ]
    text = "Blocks that many calls made, and that one destructor or function frees together."
    return _block("Lifetimes of objects", text, table("Lifetimes of objects", heads, table_rows))


def _almost(content: Content, rows: Sequence[AlmostContained]) -> Markup | None:
    if not rows:
        return None
    heads = (
        "scope",
        number_head("contained"),
        number_head("break even"),
        number_head("saved a block"),
        "escape from",
    )
    table_rows = []
    for entry in rows:
        scope, even = content.names.find_scope(entry.scope), entry.break_even
        saved = even.saved_ns_per_block if even else None
        table_rows.append(
            _row(
                content.function(scope.function if scope else None),
                number(share(entry.containment), "contained"),
                number(break_even(even), "break even"),
                number(UNKNOWN if saved is None else f"{saved:.0f} ns", "saved a block"),
                places(content, entry.escapes_from),
            )
        )
    text = "Scopes with few blocks that escape, and the containment at which a region costs what it saves."
    return _block("Almost contained", text, table("Almost contained", heads, table_rows))


def _pooled(content: Content, rows: Sequence[Pooled]) -> Markup | None:
    if not rows:
        return None
    heads = (
        "site",
        number_head("chunks"),
        number_head("bytes"),
        number_head("smallest"),
        number_head("largest"),
        number_head("most alive"),
        number_head("frees"),
    )
    table_rows = [
        _row(
            content.place(pool.place),
            number(count(pool.blocks), "chunks"),
            number(size(pool.bytes), "bytes"),
            number(size(pool.smallest), "smallest"),
            number(size(pool.largest) + (", growing" if pool.growing else ""), "largest"),
            number(count(pool.most_alive), "most alive"),
            number(count(pool.frees), "frees"),
        )
        for pool in rows
    ]
    text = "Sites that take chunks for an arena or pool of the program's own."
    return _block("Already pooled", text, table("Already pooled", heads, table_rows))


def _row(label: Inside, *cells: Markup) -> Markup:
    return element("tr", element("th", label), *cells)


def places(content: Content, rows: Sequence[PlaceAmount]) -> Markup:
    """The three heaviest sites, a line each. Sites of one function without line numbers are merged."""
    totals: dict[tuple[str, str], int] = {}
    for row in rows:
        where = content.names.place(row.place)
        key = (content.short(where.function), content.cut(content.names.place_source(row.place)))
        totals[key] = totals.get(key, 0) + row.allocations
    heaviest = sorted(totals.items(), key=lambda item: -item[1])
    shown = [
        element("li", name(text), element("small", plural(blocks, "block")), title=source)
        for (text, source), blocks in heaviest[:3]
    ]
    more = element("li", f"{len(heaviest) - 3} more", class_="setting") if len(heaviest) > 3 else None
    return element("td", element("ul", *shown, more, class_="plain") if shown else "-", data_label="sites")
