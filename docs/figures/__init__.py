"""The figures of README.md, docs/ and bench/results: a text for each block, in a module for each subject."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

Text = Callable[..., str]
AnyText = TypeVar("AnyText", bound=Text)

BLOCKS: dict[str, Text] = {}
# The tables of which a page has some rows or columns, or none, by the names of their blocks.
WHOLE_TABLES: dict[str, Text] = {}


def block(name: str, *, is_part: bool = False) -> Callable[[AnyText], AnyText]:
    """Marks the function of a block; with `whole=True` it has the table of which the page has a part."""

    def add(text: AnyText) -> AnyText:
        BLOCKS[name] = text
        if is_part:
            WHOLE_TABLES[name] = partial(text, whole=True)
        return text

    return add


def whole_table(name: str) -> Callable[[AnyText], AnyText]:
    """Marks the function of a table that no page has in full."""

    def add(text: AnyText) -> AnyText:
        WHOLE_TABLES[name] = text
        return text

    return add
