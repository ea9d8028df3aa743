"""The runner that this source builds, as it describes itself: known before anything is compiled.

`described.json` is what `mallard-bench --describe` says of its experiments, each strategy by its name. A test
compares the two. After a change of the runner this writes the file anew:

    python -m mallard.described build/release/bench/mallard-bench

A contender whose library is missing in that build stays in the file where it was.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("described.json")
Experiments = dict[str, dict[str, Any]]


def read() -> Experiments:
    found: Experiments = json.loads(FILE.read_text(encoding="utf-8"))
    return found


EXPERIMENTS = read()


def names_in(experiment: str) -> tuple[str, ...]:
    """Of the strategies that it has."""
    return tuple(EXPERIMENTS[experiment]["strategies"])


def condensed(description: Mapping[str, Any]) -> Experiments:
    """Of what the runner says, with strategies by name."""
    return {name: _by_name(each) for name, each in description["experiments"].items()}


def without(experiments: Experiments, names: Collection[str]) -> Experiments:
    """As a runner says that was built without these strategies."""
    kept: Experiments = _mapped(experiments, lambda its: [name for name in its if name not in names])
    return kept


def completed(here: Experiments, before: Experiments, lacking: Collection[str]) -> Experiments:
    """With those strategies of the file before that the build lacks, behind its own."""
    return {name: _completed(each, before.get(name, {}), lacking) for name, each in here.items()}


def text_of(experiments: Experiments) -> str:
    """A line for each list or object that has no other in it."""
    spread = json.dumps(experiments, indent=1)
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda found: " ".join(found[0].split()), spread) + "\n"


def _by_name(value: Any) -> Any:
    return _mapped(value, lambda its: [each if isinstance(each, str) else each["name"] for each in its])


def _mapped(value: Any, change: Callable[[list[Any]], list[str]]) -> Any:
    """With every list of strategies changed."""
    if isinstance(value, dict):
        return {
            key: change(each) if key == "strategies" else _mapped(each, change) for key, each in value.items()
        }
    return [_mapped(each, change) for each in value] if isinstance(value, list) else value


def _completed(here: dict[str, Any], before: dict[str, Any], lacking: Collection[str]) -> dict[str, Any]:
    names = [*here["strategies"], *(name for name in before.get("strategies", ()) if name in lacking)]
    if "works" not in here:
        return {**here, "strategies": names}
    known = {work["name"]: work for work in before.get("works", ())}
    works = [_completed(work, known.get(work["name"], {}), lacking) for work in here["works"]]
    return {**here, "works": works, "strategies": names}


def lacking_in(description: Mapping[str, Any]) -> list[str]:
    """The strategies whose library a runner was built without."""
    from mallard.contenders import BEHIND, CONTENDERS

    needs = [(name, each.library) for name, each in CONTENDERS.items()]
    gone = {each["name"] for each in description["missing"]}
    return [name for name, library in (*needs, *BEHIND.items()) if gone & {name, library}]


def main(runner: str) -> None:
    answer = subprocess.run([runner, "--describe"], capture_output=True, text=True, check=True)
    description = json.loads(answer.stdout)
    found = completed(condensed(description), EXPERIMENTS, lacking_in(description))
    FILE.write_text(text_of(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
