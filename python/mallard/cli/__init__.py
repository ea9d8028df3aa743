"""The command line: finds the verb, makes its parser, turns errors into one line and exit status 2.

A verb is a module of this package with HELP (one line), EXAMPLES (text), `add_arguments(parser)` and
`run(arguments) -> int`. Only the module of the verb in hand is imported.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from mallard.cli import exit_status
from mallard.cli.parser import Parser
from mallard.errors import UsageError
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
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Returns one of `exit_status`."""
    # Not list(): once the verb `list` is imported, that is the name of its module in here.
    words = [*(sys.argv[1:] if argv is None else argv)]
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except UsageError as error:
        print(f"mallard: error: {error}", file=sys.stderr)
        return exit_status.BAD_INPUT
    except KeyboardInterrupt:
        print("mallard: interrupted", file=sys.stderr)
        return exit_status.INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`mallard list | head`); the interpreter must not flush into the
        # pipe once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_status.FINDINGS


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("--help", "-h", "help"):
        print(_help())
        return exit_status.DONE
    if words[0] in ("--version", "-V"):
        print(f"mallard {version()}")
        return exit_status.DONE
    verb = words[0]
    if verb not in VERBS:
        kind = "option" if verb.startswith("-") else "verb"
        raise UsageError(
            f"unknown {kind} '{verb}'; the verbs are {', '.join(VERBS)}; 'mallard --help' tells of each"
        )
    module = _module(verb)
    parser = Parser(prog=f"mallard {verb}", summary=module.HELP, examples=module.EXAMPLES)
    module.add_arguments(parser)
    arguments = parser.parse_intermixed_args(words[1:])
    arguments.command_words = ["mallard", *words]
    status: int = module.run(arguments)
    return status


def _module(verb: str) -> Any:
    return importlib.import_module(f"mallard.cli.{verb}")


def _help() -> str:
    lines = [f"  {verb:8} {_module(verb).HELP}" for verb in VERBS]
    return OPENING + "\n".join(lines) + "\n" + CLOSING
