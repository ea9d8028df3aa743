"""The media of a report: the terminal, or what an option asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.shared.atomic_file import check_writable, write_atomically

if TYPE_CHECKING:
    from mallard.shared.report.model import Report


def add_forms(parser: argparse.ArgumentParser) -> None:
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--html",
        metavar="FILE, --json",
        type=Path,
        help="also as a page; as JSON, or --markdown",
    )
    forms.add_argument("--markdown", action="store_true", help=argparse.SUPPRESS)
    forms.add_argument("--json", action="store_true", help=argparse.SUPPRESS)


def check_forms(arguments: argparse.Namespace) -> None:
    if arguments.html is not None:
        check_writable(arguments.html, "--html")


def write_report(arguments: argparse.Namespace, report: Report, as_json: Callable[[], str]) -> None:
    """JSON is the analysis's own data, which has more than the report shows."""
    from mallard.shared.report.figures import size
    from mallard.shared.report.markdown import markdown_report
    from mallard.shared.report.page import report_page
    from mallard.shared.report.terminal import show_report
    from mallard.shared.view.terminal.console import output_console, print_line

    if arguments.json:
        print(as_json())
        return
    if arguments.markdown:
        print(markdown_report(report), end="")
        return
    console = output_console()
    show_report(console, report)
    if arguments.html:
        page = report_page(report)
        write_atomically(arguments.html, page, "--html")
        print_line(console, f"{arguments.html}: {size(len(page.encode()))}; open it in a browser")
