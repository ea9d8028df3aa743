"""The command line: finds the verb, makes its parser, turns errors into one line and exit status 2.

A verb is a module of this package with HELP (one line), EXAMPLES (text), `add_arguments(parser)` and
`run(arguments) -> int`. It may have `check(arguments)`, which refuses what can be known to be wrong, and
`needs(arguments) -> Needs`, where that is more than the Python environment. Only the module of the verb in
hand is imported, and until `run` is called no package that is not Python's own: ./mallard understands a
command before it sets anything up.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mallard.cli import exit_status
from mallard.cli.needs import Needs
from mallard.cli.parser import Answer, Parser
from mallard.cli.streams import ReaderGone, guarded, tell
from mallard.errors import UsageError
from mallard.nearest import meant
from mallard.version import version

VERBS = ("bench", "choose", "report", "table", "claims", "peers", "export", "list", "test", "doctor")

OPENING = """\
usage: mallard VERB ...

Find out which local allocator makes your C++ faster, and prove it.

verbs:
"""
CLOSING = """
mallard VERB --help tells a verb's options, with examples.

examples:
  mallard bench                 minutes: every data structure under every strategy, then heat maps
  mallard choose                use a local allocator? which one? by what was measured here
  mallard report                the last run as one page, beside the published figures
  mallard table p0213:6         one printed table beside this machine's

exit status:
  0 done; 1 done, and something is not as it should be; 2 bad input, or what a verb needs is missing, or the
  output cannot be written: standard error says; 130 interrupted; 141 nobody read the output on
"""


@dataclass(frozen=True)
class Command:
    """Words that were understood; what is wrong with them in itself was refused."""

    module: Any
    arguments: argparse.Namespace

    def needs(self) -> Needs:
        """Refuses also what only a plan shows to be wrong."""
        if not hasattr(self.module, "needs"):
            return Needs()
        needs: Needs = self.module.needs(self.arguments)
        return needs

    def run(self) -> int:
        status: int = self.module.run(self.arguments)
        return status


def main(argv: Sequence[str] | None = None) -> int:
    """Returns one of `exit_status`."""
    # Not list(): once the verb `list` is imported, that is the name of its module in here.
    words = [*(sys.argv[1:] if argv is None else argv)]
    return reported(lambda: _done(words))


def reported(act: Callable[[], int]) -> int:
    """What `act` returns; where it fails, one line on standard error and the exit status that says why."""
    try:
        with guarded():
            return act()
    except UsageError as error:
        tell(f"mallard: error: {error}")
        return exit_status.ERROR
    except KeyboardInterrupt:
        tell("mallard: interrupted")
        return exit_status.INTERRUPTED
    except ReaderGone:
        return exit_status.READER_GONE


def understood(words: Sequence[str]) -> Command:
    """Bad input is a UsageError; what asks for words only is an Answer."""
    if not words or words[0] in ("--help", "-h") or tuple(words) == ("help",):
        raise Answer(_help())
    if words[0] in ("--version", "-V"):
        raise Answer(f"mallard {version()}\n")
    asks_for_help = words[0] == "help"  # `help VERB` is `VERB --help`
    verb = words[1] if asks_for_help else words[0]
    if verb not in VERBS:
        kind = "option" if verb.startswith("-") else "verb"
        raise UsageError(
            f"unknown {kind} '{verb}'{meant(verb, VERBS)}; the verbs are {', '.join(VERBS)}; "
            "'mallard --help' tells of each"
        )
    module = _module(verb)
    parser = Parser(prog=f"mallard {verb}", summary=module.HELP, examples=module.EXAMPLES)
    module.add_arguments(parser)
    arguments = parser.parse_intermixed_args(["--help"] if asks_for_help else words[1:])
    arguments.command_words = ["mallard", *words]
    if hasattr(module, "check"):
        module.check(arguments)
    return Command(module, arguments)


def _done(words: Sequence[str]) -> int:
    try:
        command = understood(words)
    except Answer as answer:
        print(answer, end="")
        return exit_status.DONE
    return command.run()


def _module(verb: str) -> Any:
    return importlib.import_module(f"mallard.cli.{verb}")


def _help() -> str:
    lines = [f"  {verb:8} {_module(verb).HELP}" for verb in VERBS]
    return OPENING + "\n".join(lines) + "\n" + CLOSING
