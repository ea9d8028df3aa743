"""The runner that this source builds, as it will describe itself. Requests can be planned or refused before
anything is compiled.

A plan is made again with the description of the real runner. Every contender is expected here; the real
runner leaves out those without a library. After a change of the runner, this command writes
`described.json` anew, and keeps the strategies that the build lacks:

    python -m mallard.expected_runner build/release/bench/mallard-bench
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from mallard import described
from mallard.contenders import BEHIND, CONTENDERS
from mallard.described import Experiments
from mallard.papers.catalogue import EXTRA_STRATEGIES, Strategy, strategies
from mallard.runner import NAME, Runner, runner_of

# Of these, a build without a library lacks some.
STRATEGY_LISTS = ("strategies", "freed_by_other", "mixed_sizes")


def expected_runner() -> Runner:
    known = strategies() | {each.name: each for each in EXTRA_STRATEGIES}
    experiments = {
        name: {**each, "strategies": [_strategy(known, strategy) for strategy in each["strategies"]]}
        for name, each in described.EXPERIMENTS.items()
    }
    return runner_of(Path(NAME), {"experiments": experiments})


def _strategy(known: dict[str, Strategy], name: str) -> dict[str, str] | str:
    """A strategy without the footprint of a contender, which only the runner knows."""
    return vars(known[name]) if name in known else name


def condensed(description: Mapping[str, Any]) -> Experiments:
    """The experiments of a description, with strategies by name."""
    return {name: _by_name(each) for name, each in description["experiments"].items()}


def comparable(experiments: Experiments, lacking: Collection[str] = ()) -> Experiments:
    """Experiments with sorted strategies, without those that are `lacking`."""
    kept: Experiments = _mapped(experiments, lambda its: sorted(set(its) - set(lacking)))
    return kept


def completed(here: Experiments, before: Experiments, lacking: Collection[str]) -> Experiments:
    """Experiments with the strategies that the build lacks, taken from the former file, after its own."""
    return {name: _completed(each, before.get(name, {}), lacking) for name, each in here.items()}


def text_of(description: Mapping[str, Any]) -> str:
    """JSON with one line for each innermost list or object."""
    spread = json.dumps(description, indent=1)
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda found: " ".join(found[0].split()), spread) + "\n"


def _by_name(value: Any) -> Any:
    return _mapped(value, lambda its: [each if isinstance(each, str) else each["name"] for each in its])


def _mapped(value: Any, change: Callable[[list[Any]], list[str]]) -> Any:
    """A copy in which `change` was applied to every list of strategies."""
    if isinstance(value, dict):
        return {
            key: change(each) if key in STRATEGY_LISTS else _mapped(each, change)
            for key, each in value.items()
        }
    return [_mapped(each, change) for each in value] if isinstance(value, list) else value


def _completed(here: dict[str, Any], before: dict[str, Any], lacking: Collection[str]) -> dict[str, Any]:
    lists = {
        key: [*here[key], *(name for name in before.get(key, ()) if name in lacking)]
        for key in STRATEGY_LISTS
        if key in here
    }
    if "works" not in here:
        return {**here, **lists}
    known = {work["name"]: work for work in before.get("works", ())}
    works = [_completed(work, known.get(work["name"], {}), lacking) for work in here["works"]]
    return {**here, "works": works, **lists}


def lacking_in(description: Mapping[str, Any]) -> list[str]:
    """The strategies whose library a build of the runner lacks."""
    needs = [(name, each.library) for name, each in CONTENDERS.items()]
    gone = {each["name"] for each in description["missing"]}
    return [name for name, library in (*needs, *BEHIND.items()) if gone & {name, library}]


def main(runner: str) -> None:
    answer = subprocess.run([runner, "--describe"], capture_output=True, text=True, check=True)
    description = json.loads(answer.stdout)
    experiments = completed(condensed(description), described.EXPERIMENTS, lacking_in(description))
    found = {key: description[key] for key in described.REGISTRY} | {"experiments": experiments}
    described.FILE.write_text(text_of(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
