"""argparse with errors and answers that go one way each: a UsageError, and an Answer."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from mallard.errors import UsageError
from mallard.nearest import meant

# Of a usage that stands below an error; one that is longer hides it.
MOST_USAGE_LINES = 4


class Answer(Exception):  # noqa: N818 - no error
    """This text is all that was asked for, and it needs no tools."""


class Parser(argparse.ArgumentParser):
    def __init__(self, *, prog: str, summary: str, examples: str) -> None:
        super().__init__(
            prog=prog,
            description=summary[:1].upper() + summary[1:] + ".",
            epilog="examples:\n" + textwrap.indent(examples.rstrip(), "  "),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            # An abbreviation that is unique today need not be tomorrow.
            allow_abbrev=False,
        )

    def print_help(self, file: Any = None) -> NoReturn:
        raise Answer(self.format_help())

    def error(self, message: str) -> NoReturn:
        usage = self.format_usage().rstrip()
        lines = [f"{message}{self._meant(message)}", f"'{self.prog} --help' tells more"]
        if usage.count("\n") < MOST_USAGE_LINES:
            lines.insert(1, usage)
        raise UsageError("\n".join(lines))

    def _meant(self, message: str) -> str:
        """argparse tells of an option that it does not know, or of a word, in text only."""
        option = re.match(r"unrecognized arguments: (--[^\s=]+)", message)
        if option:
            return meant(option[1], self._option_string_actions)
        word = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message)
        return meant(word[1], re.findall(r"[\w-]+", word[2])) if word else ""


def positive_int(text: str) -> int:
    return _whole_number(text, 1)


def seed_number(text: str) -> int:
    return _whole_number(text, 0)


def positive_seconds(text: str) -> float:
    return _positive(text, "no time", "seconds")


def gibibytes(text: str) -> int:
    """In bytes."""
    return int(_positive(text, "no amount of memory", "gibibytes") * 2**30)


def one_of(what: str, given: str | None, allowed: Sequence[str]) -> None:
    """For words whose list is too long for the line of usage that `choices` makes."""
    if given is not None and given not in allowed:
        raise UsageError(f"{what} '{given}'{meant(given, allowed)}: allowed are {', '.join(allowed)}")


def _positive(text: str, what: str, unit: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is {what}; allowed are {unit} above 0, such as 90 or 0.5")
    return number


def _whole_number(text: str, least: int) -> int:
    if not text.isascii() or not text.isdecimal() or not least <= int(text) < 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give a whole number of at least {least}")
    return int(text)
