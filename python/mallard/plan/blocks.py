"""Rows of the papers' tables with two exponents, such as (A, S), and their choice by options."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.errors import UsageError
from mallard.plan.request import Request
from mallard.runner import Limit
from mallard.selection import select_sizes

Pair = tuple[int, int]


def chosen_pairs(
    request: Request, options: tuple[str, str], limits: tuple[Limit, Limit], printed: Sequence[Pair]
) -> list[Pair]:
    """The printed rows; with one option, those that have its value; with both, every combination."""
    first, second = (exponents(request, name, limit) for name, limit in zip(options, limits, strict=True))
    if first and second:
        return [(a, b) for a in first for b in second]
    chosen = [(a, b) for a, b in printed if a in (first or [a]) and b in (second or [b])]
    for place, values in ((0, first), (1, second)):
        unknown = [value for value in values if all(pair[place] != value for pair in printed)]
        if unknown:
            raise UsageError(
                f"--{options[place]} {request.given[options[place]]}: the papers have no row with "
                f"2^{unknown[0]}; "
                f"say --{options[1 - place]} as well"
            )
    return chosen


def exponents(request: Request, option: str, limit: Limit) -> list[int]:
    """The exponents of an option; empty if it was not given."""
    text = request.given.get(option)
    return [] if text is None else select_sizes(text, f"--{option}", range(limit[0], limit[1] + 1))
