"""A parameter of a cell, and the option that sets it."""

from __future__ import annotations

from dataclasses import dataclass

# The kinds of an axis's option.
COUNT, COUNTS, RANGE, WORD, WORDS = "N", "LIST", "RANGE", "WORD", "WORDS"
# A parameter's part in a cell.
PLACE = "place"  # it is a part of the key
AMOUNT = "amount"  # the amount of work
FOLLOWS = "follows"  # none: it follows from the others
THREADS = "threads"  # the axis of the number of threads


@dataclass(frozen=True)
class Axis:
    """A parameter of a cell, and the option that sets it: `--least-bytes` for `least_bytes`.

    The runner gives its limits. Without a default, its values are the scale's, or the runner's choice.
    """

    name: str
    takes: str = ""  # empty: it has no option
    text: str = ""
    default: object = None  # a value; several for LIST; by scale if it is a mapping
    words: tuple[str, ...] = ()  # the allowed words; numbers have limits
    role: str = PLACE
    said: str = ""  # the text of a value: `{count}` as a power, `{type}` of a data structure
    option: str = ""  # if its name differs from the parameter's
    plural: str = ""  # the name of its values in the options of a run
    within: str = ""  # the axis that it divides; not all of its values have this one

    @property
    def flag(self) -> str:
        return self.option or self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        return COUNTS if self.takes == WORDS else self.takes


SMALL, HUGE, USUAL = "small", "huge", "usual"
# The pages that a process gets. Every experiment has this axis; its option is a common one.
PAGES = Axis("pages", words=(SMALL, HUGE, USUAL), said="{} pages")
