"""argparse with errors that go one way: a UsageError that ends in how the verb is used."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import NoReturn

from mallard.errors import UsageError


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

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().rstrip()}\n'{self.prog} --help' tells more")


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
        raise UsageError(f"{what} '{given}': allowed are {', '.join(allowed)}")


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
