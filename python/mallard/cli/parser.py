"""argparse, with one way for errors and one for answers: UsageError and Answer."""

from __future__ import annotations

import argparse
import itertools
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from mallard.cli import layout
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

NO_INSTALL, YES = "--no-install", "--yes"
"""Options of ./mallard, which reads them."""
LONGEST_OPTION = 31  # columns; the text of a longer one begins on the next line


class Answer(Exception):  # noqa: N818 - no error
    """The text is the whole answer, and needs no tools."""


class Parser(argparse.ArgumentParser):
    """`--help` is a flag: the answer may depend on words that follow it."""

    def __init__(self, *, prog: str, summary: str, examples: layout.Examples) -> None:
        super().__init__(
            prog=prog,
            description=f"{sentence(summary)}.",
            epilog="examples:\n" + layout.examples(examples),
            formatter_class=_Formatter,
            add_help=False,
            # A new option can make an abbreviation ambiguous.
            allow_abbrev=False,
        )
        self._positionals.title = "arguments"
        self.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
        for option in (NO_INSTALL, YES):
            self.add_argument(option, action="store_true", help=argparse.SUPPRESS)

    def format_help(self) -> str:
        if self.usage is None:
            words = "".join(_in_usage(action) for action in self._get_positional_actions())
            self.usage = f"{self.prog}{words} [OPTION ...]"
        return super().format_help()

    def refuse_repeated(self, words: Sequence[str]) -> None:
        """Refuses repeated options, because argparse silently keeps only the last one."""
        seen: set[int] = set()
        for word in itertools.takewhile(lambda item: item != "--", words):
            name = word.partition("=")[0]
            action = self._option_string_actions.get(name)
            if action is None or action.nargs == 0 or isinstance(action.default, list):
                continue  # neither a flag nor an option that collects loses anything
            if id(action) in seen:
                self.error(f"{name} is given twice; leave one out")
            seen.add(id(action))

    def parse_with_program(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses arguments in which everything after `--` belongs to a program, even options."""
        own, dashes, program = self._divided(words)
        arguments = self.parse_intermixed_args(own)
        if dashes and arguments.program:
            self.error(f"'{arguments.program[0]}' comes before '--'; give the program after it")
        arguments.program += program
        return arguments

    def parse_with_words(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses arguments, and keeps everything after `--` as `words`."""
        end = words.index("--") if "--" in words else len(words)
        arguments = self.parse_intermixed_args(words[:end])
        arguments.words = list(words[end + 1 :])
        return arguments

    def _divided(self, words: Sequence[str]) -> tuple[list[str], bool, list[str]]:
        """The words before `--` and after it. Refuses an option after the program, which could belong to
        either."""
        value_follows, program = False, ""
        for place, word in enumerate(words):
            if word == "--" and not value_follows:
                return list(words[:place]), True, list(words[place + 1 :])
            if program and word.startswith("-"):
                self.error(
                    f"'{word}' follows the program '{program}'; if it is the program's, write "
                    f"'{self.prog} -- {program} ... {word}', else put it before '{program}'"
                )
            if not value_follows and not word.startswith("-"):
                program = program or word
            action = None if value_follows or program else self._option_string_actions.get(word)
            value_follows = action is not None and action.nargs != 0
        return list(words), False, []

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self._plain(message)}\nsee '{self.prog} --help'")

    def _plain(self, message: str) -> str:
        """Rewords the errors of argparse like the others."""
        unknown = re.match(r"unrecognized arguments: ([^\s=]+)", message)
        if unknown and unknown[1].startswith("-"):
            return f"unknown option '{unknown[1]}'{self._suggest_option(unknown[1])}"
        if unknown:
            return f"unexpected argument '{unknown[1]}'"
        message = re.sub(r"^argument (?:-\w/)?", "", message)
        message = message.replace("not allowed with argument", "not allowed with")
        return message.replace("expected one argument", "its value is missing")

    def _suggest_option(self, unknown: str) -> str:
        """Compares without dashes: all options share them, so they say nothing about similarity."""
        known = {option.lstrip("-"): option for option in self._option_string_actions}
        return did_you_mean(unknown.lstrip("-"), (), known)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Reports a bad choice like other errors."""
        if action.choices is not None:
            check_choice(action.option_strings[-1], value, action.choices)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=LONGEST_OPTION, width=layout.WIDTH)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Keeps names such as new-delete in one piece."""
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _in_usage(action: argparse.Action) -> str:
    return f" [{action.metavar}{' ...' if action.nargs == '*' else ''}]"


def check_choice(problem: str, word: str, allowed: Iterable[str]) -> None:
    """Checks a positional argument, after argparse has refused unknown options."""
    if word not in (choices := list(allowed)):
        raise UsageError(f"{problem} '{word}'{did_you_mean(word, choices)}; allowed are {', '.join(choices)}")


def positive_int(text: str) -> int:
    return _integer(text, 1)


def seed_number(text: str) -> int:
    return _integer(text, 0)


def positive_seconds(text: str) -> float:
    return _between(text, "no time", "seconds", 0.001, 10**9)


def gibibytes(text: str) -> int:
    """In bytes."""
    return int(_between(text, "no amount of memory", "gibibytes", 0.001, 2**20) * 2**30)


def is_number(text: str) -> bool:
    """True for the digits 0 to 9 only, not for digits of other scripts."""
    return text.isascii() and text.isdecimal()


def _between(text: str, problem: str, unit: str, least: float, most: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(
            f"'{text}' is {problem}; allowed are {unit} from {least} to {most}, such as 90 or 0.5"
        )
    return number


def _integer(text: str, least: int) -> int:
    if not is_number(text) or not least <= int(text) < 2**63:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not allowed; give a whole number of at least {least} and below 2^63"
        )
    return int(text)
