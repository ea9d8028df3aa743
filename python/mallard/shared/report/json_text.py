"""A report as JSON: its sections, tables and cells with their values."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from mallard.shared.report.model import Report


def report_json(report: Report) -> str:
    """Units and moods are words; an interval that one repetition does not give has null."""
    fields = _finite(asdict(report))
    del fields["is_brief"]  # for terminals
    return json.dumps({"format": 1, **fields}, indent=1, default=lambda word: word.name.lower())


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
