"""What long runs of tests have found: the soak, and mutation testing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"
SOAKS = RESULTS / "soak.json"
MUTATION = RESULTS / "mutation.json"
FORMAT = 1


def blocks() -> dict[str, Callable[[], str]]:
    return {"soak": soak, "mutation": mutation}


def add_soaks(lines: Path) -> None:
    """Stores the runs whose last lines the file has beside those that are stored."""
    stored = read(SOAKS) or []
    for line in lines.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        if run["format"] != FORMAT:
            raise ValueError(f"{lines}: a run in format {run['format']}, not {FORMAT}")
        if run not in stored:
            stored.append(run)
    SOAKS.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def soak() -> str:
    runs = read(SOAKS)
    if not runs:
        return "No run is stored."
    lines = [
        "| operations | seconds | seed | allocators | build | commit |",
        "|---:|---:|---:|---:|---|---|",
    ]
    for run in runs:
        how = f"{run['compiler']}, `{run['flags']}`"
        if run["sanitizers"]:
            how += f", sanitizers {run['sanitizers'].replace(';', ' and ')}"
        counts = f"| {run['operations']:,} | {run['seconds']:,.0f} | {run['seed']} |"
        lines.append(f"{counts} {len(run['allocators'])} | {how} | {run['commit']} |")
    total = sum(run["operations"] for run in runs)
    sanitized = sum(run["operations"] for run in runs if "address" in run["sanitizers"])
    return "\n".join([*lines, "", f"{total:,} in all, {sanitized:,} of them under AddressSanitizer."])


def mutation() -> str:
    run = read(MUTATION)
    if run is None:
        return "No run is stored."
    reasons = f"{run['accepted']} of them have a reason in `tests/mutation/accepted.json`"
    return (
        f"Of {run['drawn']} mutants drawn with seed {run['seed']} at commit {run['commit']}, "
        f"{run['compiled']} compile; {run['killed']} of those were killed, {run['killed_percent']} %: "
        f"{run['killed_by_random_operations']} by random operations, the rest by unit tests, {run['hung']} "
        f"because they hung. {run['survived']} survived; {reasons}."
    )
