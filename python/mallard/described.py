"""What `mallard-bench --describe` says of its experiments, known before anything is compiled.

`described.json` has its limits, works and structures, and each strategy by its name. `expected_runner` makes
a runner of it, compares it with a real one and writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("described.json")
Experiments = dict[str, dict[str, Any]]


def _read() -> Experiments:
    found: Experiments = json.loads(FILE.read_text(encoding="utf-8"))
    return found


EXPERIMENTS = _read()


def names_in(experiment: str) -> tuple[str, ...]:
    """Of the strategies that it has."""
    return tuple(EXPERIMENTS[experiment]["strategies"])
