"""`mallard doctor`: checks the parts of this machine that affect measurements, and names remedies."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from mallard.bench.doctor import examine

EXAMPLES = (
    ("mallard doctor", "a line for each thing, with a remedy if it is not ok"),
    ("mallard doctor --json", "JSON, for programs"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.terminal.doctor import findings_text

    findings = examine()
    if arguments.json:
        print(json.dumps({"format": 1, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        print(findings_text(findings))
    return 0
