"""`mallard report`: a run as one self-contained page."""

from __future__ import annotations

import argparse
from pathlib import Path

from mallard.analysis.summary import summaries
from mallard.cli.options import add_database, add_run
from mallard.errors import UsageError
from mallard.store import Store
from mallard.view.html import page
from mallard.whole_file import write_whole

HELP = "write a run as one page, beside the published figures"
EXAMPLES = """\
mallard report                       the newest run of density, to report.html
mallard report -o ds2.html --run 4   run 4
mallard report --db other.db         from another database"""

OUTPUT = "report.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, default=Path(OUTPUT), help=f"the page ({OUTPUT})"
    )
    add_run(parser)
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    output: Path = arguments.output
    with Store.open_existing(arguments.db) as store:
        chosen = store.select_run(arguments.run, "density")
        found = summaries(store.rows(chosen.id, "density"))
        notes = store.notes(chosen.id)
    if not found:
        raise UsageError(
            f"run {chosen.id} in {arguments.db} has no rows of density; 'mallard list runs' shows which "
            "runs have, 'mallard bench density' makes one"
        )
    write_whole(output, page(chosen, notes, found))
    print(f"{output}: run {chosen.id}, {sum(each.rows for each in found)} rows; open it in a browser")
    return 0
