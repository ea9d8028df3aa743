"""The command line: finds the verb and makes its parser.

A verb has a line in PRODUCTS and a module of verbs/ with EXAMPLES (commands, each with a note),
`add_arguments(parser)` and `run(arguments) -> int`. It may have `check(arguments)`, which refuses bad input
before anything is set up; NEEDS, or `needs(arguments) -> Needs`, if it needs more than the Python
environment; `help_for(arguments) -> str`, if its help depends on the other arguments; TOPICS, the words after
it that have separate help; TAKES_PROGRAM, if its arguments end with a program and its arguments; and
TAKES_WORDS, if the arguments after `--` are passed on. Only the module of the given verb is imported, and no
package outside the standard library before `run`: ./mallard parses a command before it sets anything up.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mallard.cli import exit_status, layout
from mallard.cli.exit_status import run_reporting_errors
from mallard.cli.needs import Needs
from mallard.cli.parser import NO_INSTALL, YES, Answer, Parser
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean, in_prose
from mallard.shared.scratch import remove_abandoned
from mallard.shared.version import is_installed, source_root, version

PRODUCTS = {
    "benchmark": {
        "bench": "measure on this machine which allocation strategy is fastest",
        "show": "show the results: the last run, a page, tables, claims, rows, names",
        "choose": "recommend an allocator from the measurements of this machine",
        "doctor": "check this machine for measuring, with a remedy for each problem",
    },
    "advisor": {
        "advise": "find where a local allocator pays in a program, and try it there",
        "record": "record a program's allocations, with nothing rebuilt",
        "profile": "show the lifetimes of a recorded program's memory, by scope",
        "try": "serve one scope of a program from local allocators, and measure it",
        "age": "measure a program in old processes, under each malloc",
        "verify": "measure a program before and after your change of its allocation",
        "budget": "hold the allocations of a program and of its scopes, for CI",
    },
}

# In a clone alone: dev/ is not installed.
DEVELOPERS = {
    "test": ("dev.check.verb", "run the project's own tests"),
    "docs": ("dev.site.verb", "build the documentation as a site, with the reference"),
    "package": ("dev.package.verb", "build the files of a release into dist/"),
}
DEVELOPERS_TEXT = "run the tests, build the documentation, build a release"
VERBS = {verb: text for verbs in PRODUCTS.values() for verb, text in verbs.items()}
if (source_root() / "dev").is_dir():
    VERBS |= {verb: text for verb, (_, text) in DEVELOPERS.items()}

OWN_OPTIONS = {"help": "--help", "version": "--version"}
OPENING = """\
usage: mallard VERB [OPTION ...]

Find out which local allocator makes your C++ faster, and prove it.

"""
INSTALLING = (
    (NO_INSTALL, "name missing packages, do not run apt-get ($MALLARD_NO_INSTALL)"),
    (YES, "install them without a question ($MALLARD_YES, $CI)"),
)
EXAMPLES = (
    ("mallard bench", "twelve questions, a line each; two minutes"),
    ("mallard advise -- ./program", "which allocator belongs where; two minutes"),
)
STATUSES = (
    f"{exit_status.DONE} done; {exit_status.FINDINGS} done, but the results need attention;",
    f"{exit_status.ERROR} not done, standard error has the reason;",
    f"{exit_status.INTERRUPTED} interrupted; {exit_status.READER_CLOSED} the reader of the output went away",
)


@dataclass(frozen=True)
class Command:
    """A command line that was parsed and checked, but not planned yet."""

    module: Any
    arguments: argparse.Namespace

    def needs(self) -> Needs:
        """Raises a UsageError for errors that only planning detects."""
        if hasattr(self.module, "needs"):
            needs: Needs = self.module.needs(self.arguments)
        else:
            needs = getattr(self.module, "NEEDS", Needs())
        return needs

    def run(self) -> int:
        status: int = self.module.run(self.arguments)
        return status


def main(argv: Sequence[str] | None = None) -> int:
    """Returns one of `exit_status`."""
    # If the caller ignores SIGCHLD, the kernel discards exit statuses, and every child would look successful.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    words = list(sys.argv[1:] if argv is None else argv)
    return run_reporting_errors(lambda: _done(words))


def parse_command(words: Sequence[str]) -> Command:
    """Raises a UsageError for bad input, and an Answer if only text was requested, such as help."""
    if not words or words[0] in ("--help", "-h") or tuple(words) == ("help",):
        raise Answer(_help())
    if words[0] in ("--version", "-V"):
        raise Answer(f"mallard {version()}\n")
    if words[0] == "help":  # `help VERB` is `VERB --help`
        words = [*words[1:], "--help"]
    verb, remaining = words[0], words[1:]
    if verb.startswith("-"):
        raise UsageError(
            f"unknown option '{verb}'{did_you_mean(verb.lstrip('-'), (), OWN_OPTIONS)}; only these precede a "
            f"verb: {in_prose([*OWN_OPTIONS.values()])}, others follow it: see 'mallard VERB --help'"
        )
    if verb in DEVELOPERS and verb not in VERBS:
        raise UsageError(f"'{verb}' is for developers of mallard, and runs in a clone: ./mallard {verb}")
    if verb not in VERBS:
        raise UsageError(
            f"unknown verb '{verb}'{did_you_mean(verb, VERBS)}; the verbs are {', '.join(VERBS)}; "
            "'mallard --help' describes them"
        )
    module = _module(verb)
    topic = [word for word in remaining[:1] if word in getattr(module, "TOPICS", ())]
    parser = Parser(prog=" ".join(["mallard", verb, *topic]), summary=VERBS[verb], examples=module.EXAMPLES)
    module.add_arguments(parser)
    parser.refuse_repeated(remaining)
    if getattr(module, "TAKES_PROGRAM", False):
        arguments = parser.parse_with_program(remaining)
    elif getattr(module, "TAKES_WORDS", False):
        arguments = parser.parse_with_words(remaining)
    else:
        arguments = parser.parse_intermixed_args(remaining)
    del arguments.no_install, arguments.yes  # handled by ./mallard
    if arguments.help:
        raise Answer(module.help_for(arguments) if hasattr(module, "help_for") else parser.format_help())
    arguments.command_words = ["mallard", *words]
    if hasattr(module, "check"):
        module.check(arguments)
    return Command(module, arguments)


def print_answer(answer: Answer) -> int:
    print(answer, end="")
    return exit_status.DONE


def _done(words: Sequence[str]) -> int:
    try:
        command = parse_command(words)
    except Answer as answer:
        return print_answer(answer)
    remove_abandoned()
    if is_installed():
        from mallard.cli.installed import build_runners

        build_runners(command.needs())
    return command.run()


def _module(verb: str) -> Any:
    if verb not in DEVELOPERS:
        return importlib.import_module(f"mallard.cli.verbs.{verb}")
    if str(source_root()) not in sys.path:
        sys.path.append(str(source_root()))
    return importlib.import_module(DEVELOPERS[verb][0])


def _help() -> str:
    products = dict(PRODUCTS)
    if developers := [verb for verb in DEVELOPERS if verb in VERBS]:
        products["developers of mallard"] = {", ".join(developers): DEVELOPERS_TEXT}
    width = max(map(len, VERBS))
    parts = (
        OPENING.strip(),
        *(f"{product}:\n{layout.columns([*verbs.items()], width)}" for product, verbs in products.items()),
        "options ('mallard VERB --help' has those of a verb, with examples):\n" + layout.columns(INSTALLING),
        "examples:\n" + layout.examples(EXAMPLES),
        "exit status:\n" + textwrap.indent(textwrap.fill(" ".join(STATUSES), layout.WIDTH - 2), "  "),
    )
    return "\n\n".join(parts) + "\n"
