"""Lines of code that allocate."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.scopes import Site
from mallard.advisor.profile.words import count, plural, share, size
from mallard.advisor.view.html.profile.content import Content, Part, number, number_head, table, unlisted
from mallard.advisor.view.html.profile.pairs import stack
from mallard.shared.view.html.markup import Markup, element, joined


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
    return table("Sites", heads, [_row(content, site) for site in sites], "sortable site-table")


def _row(content: Content, site: Site) -> Markup:
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
