"""The stored rows behind the documents' figures, and how a figure is written."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mallard.result import Row
from mallard.stats import Ratio, Spread

DOCS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class StoredRun:
    """The latest finished run of an experiment, as `mallard export` wrote it."""

    run: dict[str, Any]
    rows: list[Row]


def stored_file(experiment: str) -> Path:
    return DOCS / "results" / f"{experiment}.json.gz"


@cache
def load(experiment: str) -> StoredRun:
    data = json.loads(gzip.decompress(stored_file(experiment).read_bytes()))
    run: dict[str, Any] = data["run"]
    return StoredRun(run, [Row.from_native(run["id"], row) for row in data["rows"]])


def conditions(experiment: str) -> str:
    run = load(experiment).run
    machine, runner = run["machine"], run["runner"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['libc']}"
    how = f"{runner['compiler']}, `{runner['flags']}`; {run['repetitions']} processes a cell or more"
    return (
        f"Measured {run['started'][:10]} by `{run['command']}` at commit {runner['commit']}: {where}, {how}."
    )


def percent_interval(ratio: Ratio) -> str:
    return f"{100 * ratio.low:.1f} to {100 * ratio.high:.1f}"


def nanoseconds(times: Spread) -> str:
    return f"{times.median:.2f}" if times.median < 10 else f"{times.median:.1f}"
