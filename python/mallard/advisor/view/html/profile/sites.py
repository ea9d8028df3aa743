"""Lines of code that allocate; pairs of stacks: where blocks are allocated, and where they are freed."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.records import Pair, Site
from mallard.advisor.view.html.profile.page import Content, Part, number, number_head, table, unlisted
from mallard.shared.report.figures import count, plural, seconds, share, size
from mallard.shared.view.html.markup import Markup, element, joined

LEVELS = 6  # of a stack that are in the page without the script


def pairs_part(content: Content) -> Part | None:
    profile = content.profile
    if not profile.pairs:
        return None
    shown = content.rows(profile.pairs)
    hidden = len(profile.pairs) - len(shown)
    hidden += profile.pairs_not_listed.pairs if profile.pairs_not_listed else 0
    body = joined(
        element("p", "A stack opens at its innermost function. The first pairs have the most blocks."),
        pair_table(content, shown),
        unlisted(f"{plural(hidden, 'smaller pair')} not listed." if hidden else ""),
    )
    return Part("pairs", "Pairs", "Pairs of stacks", body, {})


def pair_table(content: Content, pairs: Sequence[Pair]) -> Markup:
    heads = (
        number_head("blocks"),
        number_head("bytes"),
        number_head("live for", "on average"),
        "allocated",
        "freed",
        element("th", "contained in", title="the innermost function whose activation contains the blocks"),
    )
    return table(
        "Pairs of stacks", heads, [_pair_row(content, pair) for pair in pairs], "sortable pair-table"
    )


def _pair_row(content: Content, pair: Pair) -> Markup:
    freed = (
        element("span", "alive at the end", class_="setting")
        if pair.freed is None
        else stack(content, pair.freed)
    )
    thread = element("small", "by another thread") if pair.thread == "other" else None
    lived = pair.mean_lifetime_seconds
    container = pair.container
    return element(
        "tr",
        number(count(pair.allocations), "blocks", pair.allocations),
        number(size(pair.bytes), "bytes", pair.bytes),
        number(seconds(lived), "live for", -1.0 if lived is None else lived),
        element("td", stack(content, pair.allocated), data_label="allocated"),
        element("td", freed, thread, data_label="freed"),
        element(
            "td",
            content.last(container) if container is not None else "-",
            data_label="contained in",
            title=content.full(container) if container is not None else None,
        ),
    )


def stack(content: Content, number_: int | None, first: int = 0) -> Markup:
    """A stack from one of its levels on, folded. The script adds the levels that are missing."""
    places = content.names.stack(number_)[first:]
    if not places:
        return element("span", "-" if first else "no stack", class_="setting")
    levels = [element("li", content.place(place, narrow=True)) for place in places[1 : 1 + LEVELS]]
    remaining = len(places) - 1 - len(levels)
    more = element("li", f"{count(remaining)} more", class_="setting") if remaining > 0 else None
    if not levels:
        return content.place(places[0], narrow=True)
    return element(
        "details",
        element("summary", content.place(places[0], narrow=True)),
        element("ol", *levels, more),
        class_="stack",
        data_stack=str(number_) if remaining > 0 else None,
        data_first=str(first) if remaining > 0 and first else None,
    )


def sites_part(content: Content) -> Part | None:
    profile = content.profile
    if not profile.sites:
        return None
    shown = content.rows(profile.sites)
    hidden = len(profile.sites) - len(shown)
    hidden += profile.sites_not_listed.sites if profile.sites_not_listed else 0
    body = joined(
        site_table(content, shown),
        unlisted(f"{plural(hidden, 'smaller site')} not listed." if hidden else ""),
    )
    return Part("sites", "Sites", "Lines of code that allocate", body, {})


def site_table(content: Content, sites: Sequence[Site]) -> Markup:
    heads = (
        "site",
        number_head("allocations"),
        number_head("bytes"),
        number_head("peak"),
        number_head("back to zero", "times that its last live block was freed"),
        number_head("stacks"),
        "contained in",
        "called from, most often",
    )
    return table("Sites", heads, [_site_row(content, site) for site in sites], "sortable site-table")


def _site_row(content: Content, site: Site) -> Markup:
    figures = site.figures
    return element(
        "tr",
        element("th", content.place(site.place)),
        number(count(figures.allocations), "allocations", figures.allocations),
        number(size(figures.bytes), "bytes", figures.bytes),
        number(size(site.peak_bytes), "peak", site.peak_bytes or 0),
        number(count(site.returns), "back to zero", site.returns or 0),
        number(count(site.contexts), "stacks", site.contexts or 0),
        element("td", _owners(content, site), data_label="contained in"),
        element("td", _callers(content, site), data_label="called from"),
    )


def _callers(content: Content, site: Site) -> Markup:
    """The heaviest stack, without the levels of the site itself."""
    if not site.stacks:
        return joined("-")
    heaviest = site.stacks[0].stack
    own = content.names.place_function(site.place)
    functions = [content.names.place_function(place) for place in content.names.stack(heaviest)]
    first = functions.index(own) if own in functions else 0
    while first < len(functions) and functions[first] == own:
        first += 1
    return stack(content, heaviest, first)


def _owners(content: Content, site: Site) -> Markup:
    total = site.figures.allocations
    items = [
        element(
            "li",
            content.last(owner.function) if owner.function is not None else "nothing",
            element("small", share(owner.allocations / total)) if total else None,
            title=content.full(owner.function) if owner.function is not None else None,
        )
        for owner in site.owners[:3]
    ]
    return joined(element("ul", *items, class_="plain") if items else "-")
