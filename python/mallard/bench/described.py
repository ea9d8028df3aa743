"""The runner's description, available before anything is compiled: the libraries of contenders, every
strategy, and the experiments.

`described.json` has the limits, works and structures of each experiment, and its strategies by name.
`expected_runner` makes a runner from it, compares it with a real one, and writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("described.json")
REGISTRY = ("libraries", "strategies")  # listed completely by every build of the runner
Experiments = dict[str, dict[str, Any]]

DESCRIPTION: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
LIBRARIES: list[dict[str, str]] = DESCRIPTION["libraries"]
STRATEGIES: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in DESCRIPTION["strategies"]}
EXPERIMENTS: Experiments = DESCRIPTION["experiments"]


def names_in(experiment: str) -> tuple[str, ...]:
    """The names of an experiment's strategies."""
    return tuple(EXPERIMENTS[experiment]["strategies"])
