"""Scopes whose live blocks are scattered over pages, as a part of the page."""

from __future__ import annotations

from mallard.advisor.profile.diffusion import HEADS, DiffusedScope, cells, diffused_scopes
from mallard.advisor.view.html.profile.page import Content, Part, number, number_head, table
from mallard.shared.view.html.markup import Markup, element, joined

TEXT = (
    "Pages of 4 KiB that hold live blocks of the scope when its live bytes are highest, and the pages that "
    "these bytes would fill. First and last: the ratio over time. Shared: the part of the pages that also "
    "holds live blocks of others. Reading scattered blocks is slow, and slower in old processes; a local "
    "allocator keeps the blocks of its scope together."
)


def diffusion_part(content: Content) -> Part | None:
    rows = content.rows(diffused_scopes(content.profile))
    if not rows:
        return None
    heads = ("scope", *map(number_head, HEADS))
    body = joined(element("p", TEXT), table("Diffusion", heads, [_row(content, row) for row in rows]))
    return Part("diffusion", "Diffusion", "Blocks that are scattered", body, {})


def _row(content: Content, row: DiffusedScope) -> Markup:
    numbers = (number(cell, head) for cell, head in zip(cells(row), HEADS, strict=True))
    return element("tr", element("th", content.function(row.scope.function)), *numbers)
