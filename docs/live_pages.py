#!/usr/bin/env python3
"""Writes the site's live pages from the stored rows into a folder: the report of `mallard show page`.

    docs/live_pages.py FOLDER
"""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent / "python"), str(DOCS)]

from figures.stored import stored_file, stored_runs  # noqa: E402

from mallard.bench.experiments import EXPERIMENTS  # noqa: E402
from mallard.bench.store import Run  # noqa: E402
from mallard.bench.view.html import Measured, page  # noqa: E402


def report() -> str:
    """The page of the stored rows: for each experiment the run of its table; all rows as evidence of claims."""
    stored = {name: stored_runs(name) for name in EXPERIMENTS if stored_file(name).exists()}
    names = [field.name for field in fields(Run)]
    measured = {
        name: Measured(Run(**{key: runs[0].run[key] for key in names}), [], runs[0].rows)
        for name, runs in stored.items()
    }
    return page(measured, [row for runs in stored.values() for run in runs for row in run.rows])


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(report(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
