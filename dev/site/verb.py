"""`mallard docs`: the documentation as a site, with the reference of the library."""

from __future__ import annotations

import argparse
from pathlib import Path

from mallard.cli.needs import Needs
from mallard.shared.errors import UsageError
from mallard.shared.version import source_root, version

EXAMPLES = (
    ("mallard docs", "into build/site; open build/site/index.html"),
    ("mallard docs -o /tmp/site", "into another folder"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="its folder: new, or of an earlier site, which is replaced (default: build/site in the clone)",
    )


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(programs=("doxygen",))


def run(arguments: argparse.Namespace) -> int:
    from dev.site import build

    root = source_root()
    if not (root / "docs/site/conf.py").is_file():
        raise UsageError(f"{root} is not a mallard source tree; build the site in a clone: ./mallard docs")
    output: Path = arguments.output or root / "build" / "site"
    pages = build(root, output, version())
    print(f"{output / 'index.html'}: {pages:,} pages; open it in a browser")
    return 0
