"""The time of each stage of `mallard test`, kept in build/test-logs/times.json. bench/results/stages.json has
those of one machine: they forecast the time left of a run on another."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dev.check.counts import Counts
from dev.check.stage import Stage
from mallard.shared import machine
from mallard.shared.atomic_file import write_atomically

STORED = Path("bench/results/stages.json")
UNKNOWN_SECONDS = 60.0
"""The forecast for a stage without a stored time."""


def forecasts(root: Path, stages: Iterable[Stage]) -> dict[str, float]:
    """The wall-clock seconds of each stage on the machine of the stored times."""
    stored = read(root / STORED)
    return {stage.name: stored.get(stage.name, {}).get("wall", UNKNOWN_SECONDS) for stage in stages}


def store(path: Path, stage: Stage, seconds: dict[str, float], counts: Counts) -> None:
    """Replaces the entry of one stage."""
    facts = machine.facts()
    entry: dict[str, Any] = {name: round(value, 1) for name, value in seconds.items()}
    entry |= {"full": stage.full, "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped}
    entry["machine"] = f"{facts['cpu'] or facts['architecture']}, {facts['cores_allowed']} cores"
    write_atomically(path, json.dumps(read(path) | {stage.name: entry}, indent=1) + "\n")


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
