"""`mallard show`: the last run, or WHAT: a printed table, a page, peers, claims, rows, or a list of names.

A form has a line in FORMS and a module here with EXAMPLES, OPTIONS (the help texts of its options),
`check(arguments)` and `run(arguments) -> int`. It may have `needs(arguments)`, ARGUMENT, a name and a help
text, and CHOICES, the allowed values of options. One parser accepts the options of all forms, so that an
option of another form is refused with the names of the forms that have it. Help shows the options of one.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mallard.cli import VERBS, layout
from mallard.cli.forms import add_forms
from mallard.cli.needs import NOTHING, Needs
from mallard.cli.options import add_database
from mallard.cli.parser import Parser, check_choice
from mallard.cli.verbs.show.runs import FORM_OPTIONS
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

LAST_RUN, LIST = "last_run", "list"
FORMS = {
    "table": "a printed table of the papers, with the figures of this machine",
    "page": "all results as one page for a browser, with the published figures",
    "peers": "mallard's allocators against those of other libraries",
    "claims": "the claims of the papers, judged by the measurements made here",
    "export": "rows or cells as CSV, JSON or Parquet, for other programs",
    LIST: "the names of experiments, strategies and the like, on one screen",
}
LISTS = ("experiments", "structures", "strategies", "contenders", "tables", "runs")
TOPICS = (*FORMS, *LISTS)
EXAMPLES = (
    ("mallard show", "the last run"),
    ("mallard show --run 4 --all", "run 4, with all variants of a strategy"),
    ("mallard show page", "report.html, to open in a browser"),
    ("mallard show table p0213:6", "vector<string>, paper and here"),
    ("mallard show runs", "the runs of the database"),
)
OPTIONS: Mapping[str, dict[str, Any]] = {
    "all": {"action": "store_true"},
    "format": {"metavar": "FORMAT"},
    "html": {},  # with the next two, of add_forms()
    "json": {},
    "markdown": {},
    "nanoseconds": {"action": "store_true"},
    "output": {"metavar": "FILE", "type": Path},
    "paper": {"metavar": "NAME"},
    "run": {"metavar": "N", "default": "latest"},
    "summary": {"action": "store_true"},
    "verdict": {"metavar": "VERDICT"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", metavar="WHAT")
    parser.add_argument("argument", nargs="?", metavar="NAME")
    _add_options(parser, dict.fromkeys(OPTIONS))


def help_for(arguments: argparse.Namespace) -> str:
    module = _module(arguments.what)
    if arguments.what is None:
        parser = Parser(prog="mallard show", summary=VERBS["show"], examples=EXAMPLES)
        parser.usage = "mallard show [WHAT] [OPTION ...]"
        parser.description = (
            "Show the last run again, or WHAT ('mallard show WHAT --help' has its options):\n"
            f"{layout.columns([*FORMS.items()])}\n\n"
            f"or a list of names, each described:\n{layout.paragraph(', '.join(LISTS))}"
        )
    else:
        summary = f"show {FORMS.get(arguments.what, f'the {arguments.what}')}"
        parser = Parser(prog=f"mallard show {arguments.what}", summary=summary, examples=module.EXAMPLES)
        if hasattr(module, "ARGUMENT"):
            metavar, text = module.ARGUMENT
            parser.add_argument("argument", nargs="?", metavar=metavar, help=text)
    _add_options(parser, module.OPTIONS)
    return parser.format_help()


def check(arguments: argparse.Namespace) -> None:
    module = _module(arguments.what)
    for name, keywords in OPTIONS.items():
        if name not in module.OPTIONS and getattr(arguments, name) not in (keywords.get("default"), False):
            raise UsageError(
                f"'{_command(arguments.what)}' has no option --{name}; it is an option of {_owners(name)}; "
                "leave it out"
            )
    for name, allowed in getattr(module, "CHOICES", {}).items():
        if (value := getattr(arguments, name)) is not None:
            check_choice(f"--{name}", value, allowed)
    if arguments.argument is not None and not hasattr(module, "ARGUMENT"):
        command = _command(arguments.what)
        raise UsageError(f"unexpected argument '{arguments.argument}'\nsee '{command} --help'")
    module.check(arguments)


def needs(arguments: argparse.Namespace) -> Needs:
    if arguments.what == LIST or arguments.what in LISTS:
        return NOTHING
    module = _module(arguments.what)
    needs: Needs = module.needs(arguments) if hasattr(module, "needs") else Needs()
    return needs


def run(arguments: argparse.Namespace) -> int:
    status: int = _module(arguments.what).run(arguments)
    return status


def _module(what: str | None) -> Any:
    if what is not None:
        check_choice("unknown word", what, TOPICS)
    name = LAST_RUN if what is None else LIST if what in LISTS else what
    return importlib.import_module(f"mallard.cli.verbs.show.{name}")


def _add_options(parser: argparse.ArgumentParser, texts: Mapping[str, str | None]) -> None:
    if "html" in texts:
        add_forms(parser)
    for name, text in texts.items():
        if name in FORM_OPTIONS:
            continue
        flags = ("-o", "--output") if name == "output" else (f"--{name}",)
        parser.add_argument(*flags, **OPTIONS[name], help=text)
    add_database(parser)


def _command(what: str | None) -> str:
    return f"mallard show {what}" if what else "mallard show"


def _owners(option: str) -> str:
    """The forms that have an option."""
    forms = [_command(what) for what in (None, *FORMS) if option in _module(what).OPTIONS]
    return in_prose([f"'{form}'" for form in forms])
