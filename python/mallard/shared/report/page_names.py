"""Names on a page: shortened to its limits, and numbered for the data of its scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mallard.shared.report.markup import Markup, breakable, element
from mallard.shared.report.model import Name
from mallard.shared.report.names import ELLIPSIS, last_parts

WIDEST = 80  # letters of a short name


@dataclass(frozen=True)
class Limits:
    rows: int  # of a table
    letters: int  # of a name
    calls: int  # of a flame graph


# Tried in order, until the page is small enough.
LIMITS = (
    Limits(rows=200, letters=600, calls=3000),
    Limits(rows=80, letters=200, calls=2000),
    Limits(rows=20, letters=80, calls=500),
)


class PageNames:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._numbers: dict[Name, int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}

    @property
    def data(self) -> dict[str, Any]:
        """For the scripts, of all names and stacks that were numbered."""
        names = [[self.short(name), self.cut(name.full), self.cut(name.source)] for name in self._numbers]
        return {"names": names, "stacks": list(self._stacks)}

    def number(self, name: Name) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def stack_number(self, levels: Sequence[Name]) -> int:
        return self._stacks.setdefault(tuple(map(self.number, levels)), len(self._stacks))

    def short(self, name: Name) -> str:
        return name.within(min(WIDEST, self.limits.letters))

    def last(self, name: Name) -> Markup:
        """The last parts of a name, for a narrow column."""
        return breakable_name(last_parts(self.short(name)))

    def cut(self, text: str) -> str:
        most = self.limits.letters
        return text if len(text) <= most else f"{text[: most - 1]}{ELLIPSIS}"

    def markup(self, name: Name, *, narrow: bool = False) -> Markup:
        """The short name over its source, the full name on hover."""
        source = self.cut(name.source)
        return element(
            "span",
            element("b", self.last(name) if narrow else breakable_name(self.short(name))),
            element("small", breakable_name(source)) if source else None,
            class_="fn",
            title=self.cut(name.full) or None,
        )


def breakable_name(text: str) -> Markup:
    """A name that a narrow column may break behind `::` and `/`."""
    return Markup(breakable(text).replace("::", "::<wbr>"))
