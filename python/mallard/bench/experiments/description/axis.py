"""A parameter of a cell, and the option that sets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10

# The kinds of an axis's option.
COUNT, COUNTS, RANGE, WORD, WORDS = "N", "LIST", "RANGE", "WORD", "WORDS"
# A parameter's part in a cell.
PLACE = "place"  # it is a part of the key
AMOUNT = "amount"  # the amount of work
FOLLOWS = "follows"  # not part of the key: derived from the others
THREADS = "threads"  # the axis of the number of threads
LEAST_POWER = 1000  # larger defaults are printed as powers of ten, if possible


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
    value_format: str = ""  # the text of a value: `{count}` as a power, `{type}` of a data structure
    option: str = ""  # if its name differs from the parameter's
    plural: str = ""  # the name of its values in the options of a run
    within: str = ""  # the axis that it divides; not all of its values have this one
    absent: object = None  # the value of rows from before the experiment had the axis

    @property
    def flag(self) -> str:
        return self.option or self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        return COUNTS if self.takes == WORDS else self.takes

    @property
    def help_text(self) -> str:
        """The text of its option, with its default."""
        if self.default is None:
            return self.text
        if isinstance(self.default, Mapping):
            (_, default_value), *others = self.default.items()
            scale_values = ", ".join(f"--{scale} {_value_text(value)}" for scale, value in others)
            return f"{self.text} (default: {_value_text(default_value)}; {scale_values})"
        is_complete = bool(self.words) and self.default == self.words
        return f"{self.text} (default: {'all' if is_complete else _value_text(self.default)})"


def _value_text(value: object) -> str:
    """A value as its option takes it: `10^5` of 100000, `10,100` of several."""
    if isinstance(value, tuple):
        return ",".join(map(_value_text, value))
    if isinstance(value, int) and value >= LEAST_POWER:
        power = round(log10(value))
        return f"10^{power}" if value == 10**power else str(value)
    return str(value)


SMALL, HUGE, USUAL = "small", "huge", "usual"
# The pages that a process gets. Every experiment has this axis; its option is a common one.
PAGES = Axis("pages", words=(SMALL, HUGE, USUAL), value_format="{} pages")
