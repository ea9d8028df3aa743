#!/usr/bin/env python3
"""Writes the site's live pages into a folder: `mallard show page` of the stored rows, and the page of
`mallard advise --html` of the made-up program of its tests.

    docs/live_pages.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent / folder) for folder in ("python", "tests/equipment", "docs")]

from figures.stored import stored_file, stored_runs  # noqa: E402
from synthetic_profile import document  # noqa: E402
from synthetic_study import study  # noqa: E402

from mallard.advisor.advice.verdict import decide  # noqa: E402
from mallard.advisor.profile.document import read_profile  # noqa: E402
from mallard.advisor.view.advice import advice_report  # noqa: E402
from mallard.bench.experiments import EXPERIMENTS  # noqa: E402
from mallard.bench.view.page import page  # noqa: E402
from mallard.shared.report.page import report_page  # noqa: E402


def report() -> str:
    """For each experiment the run of its table, and all rows as evidence of the claims."""
    stored = {name: stored_runs(name) for name in EXPERIMENTS if stored_file(name).exists()}
    measured = {name: runs[0].measured for name, runs in stored.items()}
    return page(measured, [row for runs in stored.values() for run in runs for row in run.rows])


def advice() -> str:
    example = study()
    recording = document()
    for scope in recording["scopes"]:
        scope["figures"]["D"]["ns_per_operation"] = example.ceiling.ns_per_operation
    report = advice_report(example, decide(example), read_profile(json.dumps(recording)))
    return report_page(report)


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(report(), encoding="utf-8")
    (folder / "advice.html").write_text(advice(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
