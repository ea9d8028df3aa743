"""`mallard against`: compares mallard with a preloaded malloc in one table, in five minutes."""

from __future__ import annotations

import argparse
import shlex

from mallard.bench.plan import Request, check_request, selected_mallocs
from mallard.cli import exit_status
from mallard.cli.measuring import measure, needs_for
from mallard.cli.needs import Needs
from mallard.cli.options import add_database
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import NAMES, OWN, find_library

EXAMPLES = (
    ("mallard against mimalloc", "Debian's"),
    ("mallard against mimalloc3=~/libmimalloc.so", "a file that you built or have"),
    ("mallard against jemalloc,tcmalloc", "several, side by side"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    others = ", ".join(name for name in NAMES if name != OWN)
    parser.add_argument(
        "malloc", nargs="?", metavar="MALLOC", help=f"{others}, or NAME=FILE; several with commas"
    )
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    if arguments.malloc is None:
        allowed = ", ".join(name for name in NAMES if name != OWN)
        raise UsageError(f"MALLOC is missing; give {allowed}, or NAME=FILE of a library that has a malloc")
    named = _named(arguments)
    for request in _requests(arguments):
        check_request(request)
    if OWN in named:
        raise UsageError(f"MALLOC '{OWN}': every percent is of it; name another malloc")


def needs(arguments: argparse.Namespace) -> Needs:
    return needs_for(*_requests(arguments))


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.bench.analysis.against import build_lines
    from mallard.bench.store import Store
    from mallard.bench.view.terminal.findings.against import show_against
    from mallard.bench.view.terminal.progress import ProgressDisplay
    from mallard.shared.view.terminal.console import output_console

    if not any(map(find_library, _named(arguments))):
        raise UsageError(
            f"MALLOC '{arguments.malloc}': its library is not installed; 'mallard doctor' names the package"
        )
    requests = _requests(arguments)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    outcomes = measure(requests, arguments.db, shlex.join(arguments.command_words), display)
    if len(outcomes) < len(requests):
        return exit_status.INTERRUPTED
    with Store.open_existing(arguments.db) as store:
        lines = build_lines(store.rows(outcome.run_id) for outcome in outcomes)
    show_against(output_console(PIPE_WIDTH), lines)
    runs = ", ".join(str(outcome.run_id) for outcome in outcomes)
    print(f"\nruns {runs} in {arguments.db}")
    return exit_status.FINDINGS if any(outcome.defects for outcome in outcomes) else exit_status.DONE


PIPE_WIDTH = 110


def _named(arguments: argparse.Namespace) -> list[str]:
    """The names of the mallocs. Errors name MALLOC, as in the command, instead of --malloc."""
    try:
        return selected_mallocs(_requests(arguments)[0])
    except UsageError as error:
        raise UsageError(str(error).replace("--malloc", "MALLOC")) from None


def _requests(arguments: argparse.Namespace) -> list[Request]:
    from mallard.bench.analysis.against import PARTS

    return [part.request(arguments.malloc) for part in PARTS]
