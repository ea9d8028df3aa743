"""The command line: finds the verb, makes its parser, turns errors into one line and exit status 2.

A verb has a line in VERBS and a module of this package with EXAMPLES (commands, each with a note),
`add_arguments(parser)` and `run(arguments) -> int`. It may have `check(arguments)`, which refuses bad input
before anything is set up; `needs(arguments) -> Needs`, if it needs more than the Python environment;
`help_for(arguments) -> str`, if its help depends on the other words; TOPICS, the words after it that
have a help of their own; TAKES_PROGRAM, if its words end with a program and the words of that; and
TAKES_WORDS, if the words behind `--` are handed on. Only the module of the verb in hand is imported, and no
package outside the standard library before `run`: ./mallard understands a command before it sets anything up.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mallard.command_line import exit_status, layout
from mallard.command_line.needs import Needs
from mallard.command_line.parser import NO_INSTALL, Answer, Parser
from mallard.command_line.streams import ReaderGone, guarded, tell
from mallard.errors import UsageError
from mallard.nearest import meant
from mallard.selection import in_prose
from mallard.version import version

VERBS = {
    "bench": "measure on this machine which allocation strategy is fastest",
    "against": "measure mallard beside a malloc that you could preload",
    "choose": "tell which allocator to use, by the measurements made here",
    "report": "write all results as one page, beside the published figures",
    "table": "show the last run again, or a printed table beside it",
    "claims": "judge the claims of the papers by the measurements made here",
    "peers": "compare mallard's allocators with those of other libraries",
    "export": "write results as CSV, JSON or Markdown",
    "record": "record a program's allocations, with nothing rebuilt",
    "profile": "say how the memory of a recorded program lives, by scope",
    "try": "serve one scope of a program from local allocators, and measure it",
    "advise": "say which allocator belongs where in a program, and try it there",
    "verify": "measure a program before and after your change of its allocation",
    "budget": "hold the allocations of a program and of its scopes, for CI",
    "list": "list the experiments, strategies, printed tables, runs and the like",
    "docs": "build the browsable reference of the library",
    "test": "run the project's own tests",
    "doctor": "check this machine for measuring, with a remedy for each problem",
}

OWN_OPTIONS = {"help": "--help", "version": "--version"}
OPENING = """\
usage: mallard VERB [OPTION ...]

Find out which local allocator makes your C++ faster, and prove it.

verbs ('mallard VERB --help' has the options of each, with examples):
"""
NO_INSTALL_TEXT = "name missing packages, do not run apt-get ($MALLARD_NO_INSTALL)"
EXAMPLES = (("mallard advise -- ./program", "which allocator belongs where in it; two minutes"),)
STATUSES = (
    f"{exit_status.DONE} done; {exit_status.FINDINGS} done, but the results need attention;",
    f"{exit_status.ERROR} not done, standard error tells the reason;",
    f"{exit_status.INTERRUPTED} interrupted; {exit_status.READER_GONE} the reader of the output went away",
)


@dataclass(frozen=True)
class Command:
    """A command line without any error that shows before a plan is made."""

    module: Any
    arguments: argparse.Namespace

    def needs(self) -> Needs:
        """Refuses also the errors that only a plan shows."""
        if not hasattr(self.module, "needs"):
            return Needs()
        needs: Needs = self.module.needs(self.arguments)
        return needs

    def run(self) -> int:
        status: int = self.module.run(self.arguments)
        return status


def main(argv: Sequence[str] | None = None) -> int:
    """Returns one of `exit_status`."""
    # Where the caller ignores it, the system forgets how children end, and each would count as a success.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Not list(): once the verb `list` is imported, that is the name of its module in here.
    words = [*(sys.argv[1:] if argv is None else argv)]
    return reported(lambda: _done(words))


def reported(act: Callable[[], int]) -> int:
    """The result of `act`. If it fails, writes one line to standard error, and returns the exit status."""
    try:
        with guarded():
            return act()
    except UsageError as error:
        tell(f"mallard: error: {_printable(str(error))}")
        return exit_status.ERROR
    except KeyboardInterrupt:
        tell("mallard: interrupted")
        return exit_status.INTERRUPTED
    except ReaderGone:
        return exit_status.READER_GONE


def _printable(text: str) -> str:
    """A word of the caller's must not steer the terminal."""
    return "".join(each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text)


def understood(words: Sequence[str]) -> Command:
    """Raises a UsageError for bad input, and an Answer if words are all that is asked for."""
    if not words or words[0] in ("--help", "-h") or tuple(words) == ("help",):
        raise Answer(_help())
    if words[0] in ("--version", "-V"):
        raise Answer(f"mallard {version()}\n")
    if words[0] == "help":  # `help VERB` is `VERB --help`
        words = [*words[1:], "--help"]
    verb, rest = words[0], words[1:]
    if verb.startswith("-"):
        raise UsageError(
            f"unknown option '{verb}'{meant(verb.lstrip('-'), (), OWN_OPTIONS)}; before a verb stand only "
            f"{in_prose([*OWN_OPTIONS.values()])}, the others behind it: 'mallard VERB --help' has them"
        )
    if verb not in VERBS:
        raise UsageError(
            f"unknown verb '{verb}'{meant(verb, VERBS)}; the verbs are {', '.join(VERBS)}; "
            "'mallard --help' describes them"
        )
    module = _module(verb)
    topic = [word for word in rest[:1] if word in getattr(module, "TOPICS", ())]
    parser = Parser(prog=" ".join(["mallard", verb, *topic]), summary=VERBS[verb], examples=module.EXAMPLES)
    module.add_arguments(parser)
    parser.refuse_repeated(rest)
    if getattr(module, "TAKES_PROGRAM", False):
        arguments = parser.parse_before_program(rest)
    elif getattr(module, "TAKES_WORDS", False):
        arguments = parser.parse_before_words(rest)
    else:
        arguments = parser.parse_intermixed_args(rest)
    del arguments.no_install  # ./mallard has read it
    if arguments.help:
        raise Answer(module.help_for(arguments) if hasattr(module, "help_for") else parser.format_help())
    arguments.command_words = ["mallard", *words]
    if hasattr(module, "check"):
        module.check(arguments)
    return Command(module, arguments)


def answered(answer: Answer) -> int:
    print(answer, end="")
    return exit_status.DONE


def _done(words: Sequence[str]) -> int:
    try:
        command = understood(words)
    except Answer as answer:
        return answered(answer)
    return command.run()


def _module(verb: str) -> Any:
    return importlib.import_module(f"mallard.cli.{verb}")


def _help() -> str:
    parts = (
        OPENING + layout.columns([*VERBS.items()]),
        "option of every verb:\n" + layout.columns([(NO_INSTALL, NO_INSTALL_TEXT)]),
        "examples:\n" + layout.examples(EXAMPLES),
        "exit status:\n" + textwrap.indent(textwrap.fill(" ".join(STATUSES), layout.WIDTH - 2), "  "),
    )
    return "\n\n".join(parts) + "\n"
