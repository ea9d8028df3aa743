"""What `mallard-bench --describe` says, known before anything is compiled: the libraries of contenders, every
strategy, and the experiments.

`described.json` has the limits, works and structures of an experiment, and its strategies by name.
`expected_runner` makes a runner of it, compares it with a real one and writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("described.json")
REGISTRY = ("libraries", "strategies")  # the runner tells all of them, whatever it was built with
Experiments = dict[str, dict[str, Any]]

WHOLE: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
LIBRARIES: list[dict[str, str]] = WHOLE["libraries"]
STRATEGIES: dict[str, dict[str, Any]] = {each["name"]: each for each in WHOLE["strategies"]}
EXPERIMENTS: Experiments = WHOLE["experiments"]


def names_in(experiment: str) -> tuple[str, ...]:
    """Of the strategies that it has."""
    return tuple(EXPERIMENTS[experiment]["strategies"])
