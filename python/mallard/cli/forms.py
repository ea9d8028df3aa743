"""The media of a report: the terminal, or what an option asks for."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.shared.atomic_file import check_writable, write_atomically
from mallard.shared.errors import UsageError

if TYPE_CHECKING:
    from mallard.shared.console import PlainConsole
    from mallard.shared.report.model import Report

PIPE_WIDTH = 100  # columns, without a terminal


def add_forms(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--html",
        metavar="FILE, --json",
        type=Path,
        help="also as a page; as JSON, or --markdown",
    )
    forms.add_argument("--markdown", action="store_true", help=argparse.SUPPRESS)
    forms.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    return forms


def check_forms(
    arguments: argparse.Namespace, words: Sequence[str] = (), files: Iterable[Path | None] = ()
) -> None:
    """`words` are those of the program, and `files` what else the command reads: the page replaces none."""
    check_replaces_nothing(arguments.html, "--html", words, files)


def check_replaces_nothing(
    output: Path | None, option: str, words: Sequence[str] = (), files: Iterable[Path | None] = ()
) -> None:
    if output is None:
        return
    check_writable(output, option)
    programs = [shutil.which(words[0]) or words[0], *words[1:]] if words else []
    for name in (*programs, *files):
        if name is not None and output.exists() and os.path.exists(name) and output.samefile(name):
            raise UsageError(f"{option} {output} would replace a file of the command; give another FILE")


def write_report(
    arguments: argparse.Namespace,
    report: Report,
    as_json: Callable[[], str] | None = None,
    pipe_width: int = PIPE_WIDTH,
) -> None:
    """JSON is the analysis's own data if it has more than the report shows."""
    from mallard.shared.report.model import report_json

    if arguments.json:
        print(as_json() if as_json else report_json(report))
    else:
        show_forms(arguments, report, pipe_width)


def show_forms(arguments: argparse.Namespace, report: Report, pipe_width: int = PIPE_WIDTH) -> None:
    """In the terminal, and as a page; or as Markdown."""
    from mallard.shared.console import output_console
    from mallard.shared.report.markdown import markdown_report
    from mallard.shared.report.page import report_page
    from mallard.shared.report.terminal import show_report

    command = shlex.join(["mallard", *sys.argv[1:]])
    if arguments.markdown:
        print(markdown_report(report, command), end="")
        return
    console = output_console(pipe_width)
    show_report(console, report)
    if arguments.html:
        write_page(console, arguments.html, report_page(report, command))


def write_page(console: PlainConsole, file: Path, page: str) -> None:
    from mallard.shared.console import print_line
    from mallard.shared.report.figures import size

    write_atomically(file, page, "--html")
    print_line(console, f"{file}: {size(len(page.encode()))}; open it in a browser")
