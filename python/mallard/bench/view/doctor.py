"""The report of `mallard doctor`: a section for each part of the machine, a row for each thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from mallard.bench.doctor import Finding, State
from mallard.shared.report.model import Mood, Paragraph, Report, Row, Section, Table, Verdict, text_columns

MOODS = {State.OK: Mood.GOOD, State.NOTE: Mood.OPEN, State.MISSING: Mood.BAD}
COLUMNS = text_columns("", "", "")


def doctor_report(findings: Sequence[Finding]) -> Report:
    groups = groupby(findings, key=lambda finding: finding.group)
    counts = Counter(finding.state for finding in findings)
    return Report(
        title="This machine, for measurements",
        answer=Paragraph(", ".join(f"{counts[state]} {_counted(state, counts[state])}" for state in State)),
        sections=tuple(
            Section(group, (_table(group, list(rows)),), is_headed=True) for group, rows in groups
        ),
    )


def _counted(state: State, count: int) -> str:
    return "notes" if state is State.NOTE and count != 1 else state.value


def _table(group: str, findings: Sequence[Finding]) -> Table:
    return Table(
        f"The findings of {group}",
        COLUMNS,
        tuple(
            Row((Verdict(finding.state.value, MOODS[finding.state]), finding.topic, _value(finding)))
            for finding in findings
        ),
    )


def _value(finding: Finding) -> str:
    return f"{finding.value}\nremedy: {finding.remedy}" if finding.remedy else finding.value
