"""The description of the runner that this source builds, so that requests can be planned or refused before
anything is compiled.

The plan is repeated with the description of the real runner. Every contender is expected; the real
runner lacks contenders whose library is missing. After a change of the runner, this command rewrites
`described.json`, and keeps the strategies that the build lacks:

    python -m mallard.bench.expected_runner build/release/bench/mallard-bench
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from mallard.bench import described
from mallard.bench.contenders import CONTAINER_LIBRARIES, CONTENDERS
from mallard.bench.described import Experiments
from mallard.bench.papers.catalogue import EXTRA_STRATEGIES, Strategy, strategies
from mallard.bench.runner import NAME, Runner, runner_from

# Lists that are incomplete in a build without some library.
STRATEGY_LISTS = ("strategies", "freed_by_other", "mixed_sizes")


def expected_runner() -> Runner:
    known = strategies() | {strategy.name: strategy for strategy in EXTRA_STRATEGIES}
    experiments = {
        name: {
            **experiment,
            "strategies": [_strategy(known, strategy) for strategy in experiment["strategies"]],
        }
        for name, experiment in described.EXPERIMENTS.items()
    }
    return runner_from(Path(NAME), {"experiments": experiments})


def _strategy(known: dict[str, Strategy], name: str) -> dict[str, str] | str:
    """A strategy without the footprint of a contender, which only the runner knows."""
    return vars(known[name]) if name in known else name


def condense(description: Mapping[str, Any]) -> Experiments:
    """The experiments of a description, with strategies by name."""
    return {name: _by_name(experiment) for name, experiment in description["experiments"].items()}


def normalize(experiments: Experiments, lacking: Collection[str] = ()) -> Experiments:
    """Experiments with sorted strategies, without those that are `lacking`."""
    kept: Experiments = _mapped(experiments, lambda names: sorted(set(names) - set(lacking)))
    return kept


def complete_lists(built: Experiments, stored: Experiments, lacking: Collection[str]) -> Experiments:
    """The built experiments, with the strategies that the build lacks appended from the stored ones."""
    return {name: _completed(experiment, stored.get(name, {}), lacking) for name, experiment in built.items()}


def to_json(description: Mapping[str, Any]) -> str:
    """JSON with one line for each innermost list or object."""
    spread = json.dumps(description, indent=1)
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda match: " ".join(match[0].split()), spread) + "\n"


def _by_name(value: Any) -> Any:
    return _mapped(
        value, lambda entries: [entry if isinstance(entry, str) else entry["name"] for entry in entries]
    )


def _mapped(value: Any, change: Callable[[list[Any]], list[str]]) -> Any:
    """A copy with `change` applied to every list of strategies."""
    if isinstance(value, dict):
        return {
            key: change(item) if key in STRATEGY_LISTS else _mapped(item, change)
            for key, item in value.items()
        }
    return [_mapped(item, change) for item in value] if isinstance(value, list) else value


def _completed(built: dict[str, Any], stored: dict[str, Any], lacking: Collection[str]) -> dict[str, Any]:
    lists = {
        key: [*built[key], *(name for name in stored.get(key, ()) if name in lacking)]
        for key in STRATEGY_LISTS
        if key in built
    }
    if "works" not in built:
        return {**built, **lists}
    known = {work["name"]: work for work in stored.get("works", ())}
    works = [_completed(work, known.get(work["name"], {}), lacking) for work in built["works"]]
    return {**built, "works": works, **lists}


def missing_strategies(description: Mapping[str, Any]) -> list[str]:
    """The strategies whose library a build of the runner lacks."""
    needs = [(name, contender.library) for name, contender in CONTENDERS.items()]
    missing = {entry["name"] for entry in description["missing"]}
    return [name for name, library in (*needs, *CONTAINER_LIBRARIES.items()) if missing & {name, library}]


def main(runner: str) -> None:
    answer = subprocess.run([runner, "--describe"], capture_output=True, text=True, check=True)
    description = json.loads(answer.stdout)
    experiments = complete_lists(
        condense(description), described.EXPERIMENTS, missing_strategies(description)
    )
    content = {key: description[key] for key in described.REGISTRY} | {"experiments": experiments}
    described.FILE.write_text(to_json(content), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
