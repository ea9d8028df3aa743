"""The table of scopes: a row of figures each, and below it dimensions, sizes and escapes, folded; and in
depth, the scope that --scope named.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import activation_bytes, contained, drag, merged, separated_share
from mallard.advisor.profile.records import Amount, Escape, Percentiles, Scope
from mallard.advisor.view.html.profile.page import Content, Part, name, number, number_head, table, unlisted
from mallard.advisor.view.html.profile.sites import pair_table, site_table
from mallard.advisor.view.html.profile.summary import dimensions, small_dimensions
from mallard.shared.report.figures import UNKNOWN, count, plural, ratio, share, size
from mallard.shared.view.html.markup import Markup, element, joined

SIZES = 12


def scopes_part(content: Content) -> Part | None:
    profile = content.profile
    if not profile.scopes:
        return None
    shown = content.rows(profile.scopes)
    hidden = len(profile.scopes) - len(shown)
    hidden += profile.scopes_not_listed.scopes if profile.scopes_not_listed else 0
    body = joined(
        element(
            "p",
            "The first are those in which the most blocks live and die. A heading sorts by its figures.",
        ),
        scope_table(content, shown, "Scopes"),
        unlisted(f"{plural(hidden, 'smaller scope')} not listed." if hidden else ""),
    )
    return Part("scopes", "Scopes", "Functions as scopes", body, {})


def marked_part(content: Content) -> Part | None:
    markers = content.profile.markers
    scopes = markers.scopes if markers else ()
    facts = sentences.marked(content.profile)
    if not scopes and not facts:
        return None
    body = joined(
        element("p", "The program marked these itself, so their figures are exact."),
        scope_table(content, content.rows(scopes), "Marked scopes") if scopes else None,
        element("ul", *(element("li", content.cut(fact)) for fact in content.rows(facts)), class_="notes")
        if facts
        else None,
    )
    return Part("marked", "Marked", "Marked scopes, progress and pools", body, {})


def scope_table(content: Content, scopes: Sequence[Scope], caption: str) -> Markup:
    """Each scope is a separate table body, so that a script can sort them."""
    total = Amount(content.profile.figures.allocations, content.profile.figures.bytes)
    heads = (
        element("th", "function"),
        number_head("contained", "share of the freed blocks that are freed before the activation ends"),
        number_head("allocations", "with all calls inside"),
        number_head("bytes"),
        number_head("p50", "bytes of an activation: half of them need at most this"),
        number_head("p99", "bytes of an activation: 99 of 100 need at most this"),
        number_head("max", "bytes of the largest activation"),
        number_head("drag", "what a region would hold over what is live"),
        number_head("told apart", "share of the possible activations that an event separates"),
    )
    grid = element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", *heads)),
        *(element("tbody", _row(content, scope, total), _folded(content, scope)) for scope in scopes),
        class_="facts-table scope-table sortable",
    )
    return element("div", grid, class_="wide", role="group", aria_label=caption, tabindex="0")


def _row(content: Content, scope: Scope, total: Amount) -> Markup:
    figures = scope.figures
    bytes_ = activation_bytes(scope)
    kept = drag(scope)
    over_time = kept.area_ratio if kept else None
    apart = separated_share(scope)
    return element(
        "tr",
        element("th", scope_label(content, scope)),
        element(
            "td",
            element("span", style=f"width:{100 * (figures.containment or 0.0):.1f}%", class_="fill"),
            element("span", contained(scope)),
            class_="n filled",
            data_label="contained",
            data_v=f"{-1.0 if figures.containment is None else figures.containment:.6g}",
        ),
        _part(figures.allocations, total.allocations, count(figures.allocations), "allocations"),
        _part(figures.bytes, total.bytes, size(figures.bytes), "bytes"),
        number(size(bytes_.below(bytes_.p50)), "p50", bytes_.p50 or 0.0),
        number(size(bytes_.below(bytes_.p99)), "p99", bytes_.p99 or 0.0),
        number(size(bytes_.max), "max", bytes_.max or 0.0),
        number(ratio(over_time), "drag", over_time or 0.0),
        number(share(apart), "told apart", apart or 0.0),
    )


def scope_label(content: Content, scope: Scope) -> Markup:
    if scope.name is not None:
        return element("span", element("b", name(content.cut(scope.name))), class_="fn")
    return content.function(scope.function)


def _part(value: float, total: float, text: str, label: str) -> Markup:
    small = element("small", share(value / total)) if total else None
    return element("td", text, small, class_="n", data_label=label, data_v=f"{value:.6g}")


def _folded(content: Content, scope: Scope) -> Markup:
    summary = element(
        "summary",
        small_dimensions(scope.figures),
        element("span", _summarize(content, scope), class_="short"),
    )
    return element(
        "tr", element("td", element("details", summary, details(content, scope)), colspan="9"), class_="more"
    )


def _summarize(content: Content, scope: Scope) -> str:
    """`100 activations; 20,900 blocks escape`"""
    escaped = scope.figures.escaped
    escaping = (
        f"{plural(escaped.allocations, 'block')} escape"
        if escaped and escaped.allocations
        else "nothing escapes"
    )
    cross_thread = scope.figures.freed_by_other_thread
    thread = (
        f"; {count(cross_thread.allocations)} freed by another thread"
        if cross_thread and cross_thread.allocations
        else ""
    )
    return f"{plural(scope.activations.allocating, 'activation')}; {escaping}{thread}"


def details(content: Content, scope: Scope) -> Markup:
    shown = element("div", element("h3", "Dimensions"), dimensions(scope.figures))
    return element("div", shown, *lifetime_details(content, scope), class_="columns in-depth")


def lifetime_details(content: Content, scope: Scope) -> tuple[Markup, ...]:
    return (
        element("div", element("h3", "An activation"), _activation(scope)),
        element("div", element("h3", "Sizes of blocks"), sizes(scope)),
        element("div", element("h3", "The rest is freed by"), escapes(content, scope.escapes)),
    )


def _activation(scope: Scope) -> Markup:
    peak = scope.activation_peak or Percentiles()
    counts, faults, rewind = scope.activations, scope.page_faults, scope.rewind
    kept = drag(scope)
    facts = [
        (
            "activations",
            f"{count(counts.allocating)} allocate, {count(counts.contained)} end with all blocks freed",
        ),
        ("told apart", _told_apart(scope)),
        (
            "live at its peak",
            f"p50 {size(peak.below(peak.p50))}, p99 {size(peak.below(peak.p99))}, max {size(peak.max)}",
        ),
        (
            "back to zero",
            f"{plural(rewind.returns, 'time')}, at most {size(rewind.peak_bytes)} between"
            if rewind and rewind.returns is not None
            else UNKNOWN,
        ),
        (
            "drag",
            f"{ratio(kept.area_ratio)} over time, {ratio(kept.peak_ratio)} at the peak" if kept else UNKNOWN,
        ),
        (
            "fresh pages",
            f"{ratio(faults.per_activation)} an activation" if faults and not merged(scope) else UNKNOWN,
        ),
    ]
    return element(
        "dl", *(part for term, text in facts for part in (element("dt", term), element("dd", text)))
    )


def _told_apart(scope: Scope) -> str:
    seen = scope.separations
    if seen is None:
        return "exact"
    text = f"{count(seen.seen)} of at most {count(seen.at_most)}"
    return f"{text}, so sizes are of what was live together" if merged(scope) else text


def sizes(scope: Scope) -> Markup:
    """The most common size classes as bars."""
    size_classes = scope.figures.sizes
    shown = sorted(sorted(size_classes, key=lambda size_class: -size_class[1])[:SIZES])
    most = max((allocations for _, allocations, _ in shown), default=0) or 1
    rows = [
        element(
            "li",
            element("span", size(upper), class_="n"),
            element("span", element("i", style=f"width:{100 * allocations / most:.1f}%"), class_="meter"),
            element("small", f"{count(allocations)} of {size(bytes_)}"),
        )
        for upper, allocations, bytes_ in shown
    ]
    remaining = len(size_classes) - len(shown)
    return joined(
        element("ul", *rows, class_="sizes"),
        unlisted(f"{plural(remaining, 'rarer size')} left out." if remaining else ""),
    )


def escapes(content: Content, rows: Sequence[Escape]) -> Markup:
    if not rows:
        return element("p", "Nothing escapes.", class_="setting")
    items = [
        element(
            "li",
            content.function(escape.by),
            element(
                "span",
                f"{plural(escape.allocations, 'block')} of {size(escape.bytes)}"
                + (", on another thread" if escape.thread == "other" else "")
                + (f", contained in {content.short(escape.into)}" if escape.into is not None else ""),
            ),
        )
        for escape in rows
    ]
    return element("ul", *items, class_="escapes")


def one_scope_part(content: Content) -> Part | None:
    in_depth = content.profile.scope
    if in_depth is None:
        return None
    callers = [
        element(
            "tr",
            element("th", content.function(caller.function)),
            number(count(caller.allocations), "allocations"),
            number(size(caller.bytes), "bytes"),
            number(count(caller.activations), "activations"),
        )
        for caller in content.rows(in_depth.callers)
    ]
    heads = ("caller", number_head("allocations"), number_head("bytes"), number_head("activations"))
    body = joined(
        scope_table(content, [in_depth.row], "The scope"),
        details(content, in_depth.row),
        element(
            "div",
            None
            if merged(in_depth.row)
            else _classes("Bytes of an activation", in_depth.activation_bytes_classes),
            _classes("Live bytes at its peak", in_depth.activation_peak_classes),
            class_="columns",
        ),
        element("h3", "Sites") if in_depth.sites else None,
        site_table(content, content.rows(in_depth.sites)) if in_depth.sites else None,
        element("h3", "Pairs of stacks") if in_depth.pairs else None,
        pair_table(content, content.rows(in_depth.pairs)) if in_depth.pairs else None,
        element("h3", "Callers") if callers else None,
        table("Callers", heads, callers) if callers else None,
    )
    name = content.cut(content.names.scope(in_depth.row))
    return Part("scope", "Scope", f"{name} in depth", body, {})


def _classes(title: str, classes: Sequence[tuple[int, int]]) -> Markup | None:
    """The number of activations by class of bytes."""
    if not classes:
        return None
    most = max(activations for _, activations in classes) or 1
    rows = [
        element(
            "li",
            element("span", size(upper), class_="n"),
            element("span", element("i", style=f"width:{100 * activations / most:.1f}%"), class_="meter"),
            element("small", plural(activations, "activation")),
        )
        for upper, activations in classes
    ]
    return element("div", element("h3", title), element("ul", *rows, class_="sizes"))
