"""`mallard doctor`: checks the parts of this machine that affect measurements, and names remedies."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from mallard.bench.doctor import Finding, examine
from mallard.cli.forms import add_forms, check_forms, write_report

EXAMPLES = (
    ("mallard doctor", "a line for each thing, with a remedy if it is not ok"),
    ("mallard doctor --json", "JSON, for programs"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.doctor import doctor_report

    findings = examine()
    write_report(arguments, doctor_report(findings), lambda: findings_json(findings))
    return 0


def findings_json(findings: Sequence[Finding]) -> str:
    return json.dumps({"format": 1, "findings": [asdict(finding) for finding in findings]}, indent=2)
