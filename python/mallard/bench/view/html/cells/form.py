"""The form of a heat map's cells: their values, and the texts that show them.

A cell holds named values. A template formats them: `{name}` is a value, and text after a line break
is small. `[...]` is omitted if one of its values is missing. A template that lacks another value expands to
nothing. Each of the reader's choices is a template, and so is each term of the panel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

Steps = tuple[tuple[str, str], ...]  # (class, text)
NOTHING = "\u2013"
PART = re.compile(r"\[([^\[\]]*)\]")
NAME = re.compile(r"{(.+?)}")


@dataclass(frozen=True)
class Choice:
    """One kind of figures that the cells of a section can show."""

    kind: str
    label: str
    text: str
    legend: Steps
    shows: str  # a template
    coloured_as: str = ""  # the kind whose colours it has; empty for its own
    missing: str = NOTHING

    @property
    def colour(self) -> str:
        return self.coloured_as or self.kind


@dataclass(frozen=True)
class Form:
    """The choices and terms of a cell. Without script the page shows the first choice."""

    choices: tuple[Choice, ...]
    terms: tuple[tuple[str, str], ...]  # of the panel: (term, template)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The values, in their order in the data."""
        templates = [choice.shows for choice in self.choices] + [template for _, template in self.terms]
        return tuple(dict.fromkeys(name for template in templates for name in NAME.findall(template)))

    @cached_property
    def colours(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(choice.colour for choice in self.choices))

    @cached_property
    def script_data(self) -> dict[str, object]:
        """The script's data for the form."""
        return {
            "values": self.names,
            "choices": {
                choice.kind: {
                    "label": choice.label,
                    "text": choice.text,
                    "legend": choice.legend,
                    "shows": choice.shows,
                    "colour": self.colours.index(choice.colour),
                    "missing": choice.missing,
                }
                for choice in self.choices
            },
            "terms": self.terms,
        }


def expand(template: str, values: Mapping[str, str]) -> str:
    """Expands a template, like `fill` in cells.js."""

    def keep_complete(part: str) -> str:
        return part if all(values.get(name) for name in NAME.findall(part)) else ""

    while PART.search(template):
        template = PART.sub(lambda match: keep_complete(match[1]), template)
    return NAME.sub(lambda match: values[match[1]], keep_complete(template))
