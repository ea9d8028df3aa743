"""The scope that --scope named, in depth."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.words import count, plural, size
from mallard.advisor.view.html.profile.content import Content, Part, number, number_head, table
from mallard.advisor.view.html.profile.pairs import pair_table
from mallard.advisor.view.html.profile.scopes import details, scope_table
from mallard.advisor.view.html.profile.sites import site_table
from mallard.shared.view.html.markup import Markup, element, joined


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
            _classes("Bytes of an activation", in_depth.activation_bytes_classes),
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
    return element("div", element("h4", title), element("ul", *rows, class_="sizes"))
