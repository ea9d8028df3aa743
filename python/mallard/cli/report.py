"""`mallard report`: a run as one self-contained page."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from mallard.analysis.summary import summaries
from mallard.cli.options import add_database, add_run
from mallard.errors import UsageError
from mallard.store import Store
from mallard.view.html import page

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
    _check(output)
    with Store.open_existing(arguments.db) as store:
        chosen = store.select_run(arguments.run, "density")
        found = summaries(store.rows(chosen.id, "density"))
        notes = store.notes(chosen.id)
    if not found:
        raise UsageError(
            f"run {chosen.id} in {arguments.db} has no rows of density; 'mallard list runs' shows which "
            "runs have, 'mallard bench density' makes one"
        )
    write_atomically(output, page(chosen, notes, found))
    print(f"{output}: run {chosen.id}, {sum(each.rows for each in found)} rows; open it in a browser")
    return 0


def _check(output: Path) -> None:
    """Found out before the work: a page that nobody can keep need not be made."""
    if output.is_dir():
        raise UsageError(f"the report {output} is a directory; give a file: -o FILE")
    if not output.parent.is_dir():
        raise UsageError(
            f"the report {output} cannot be made: there is no directory {output.parent}; make it first"
        )


def write_atomically(output: Path, text: str) -> None:
    """Either the whole new page is there, or what was there before."""
    partial: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=output.parent, prefix=f".{output.name}.", delete=False
        ) as stream:
            partial = Path(stream.name)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        partial.chmod(0o666 & ~_umask())
        partial.replace(output)
    except OSError as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise UsageError(
            f"the report {output} cannot be written: {error.strerror}; give another file: -o FILE"
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
