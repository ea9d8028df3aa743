"""The runner that this source builds, as it will describe itself: what can be planned and what must be
refused is known before anything is compiled.

The runner itself has the last word: a plan is made again with what it says. Every contender is expected;
those whose library is missing are left out by the real one.
"""

from __future__ import annotations

from pathlib import Path

from mallard import described
from mallard.papers.catalogue import EXTRA_STRATEGIES, Strategy, strategies
from mallard.runner import NAME, Runner, runner_of


def expected_runner() -> Runner:
    known = strategies() | {each.name: each for each in EXTRA_STRATEGIES}
    experiments = {
        name: {**each, "strategies": [_strategy(known, strategy) for strategy in each["strategies"]]}
        for name, each in described.EXPERIMENTS.items()
    }
    return runner_of(Path(NAME), {"experiments": experiments})


def _strategy(known: dict[str, Strategy], name: str) -> dict[str, str] | str:
    """What is known of it without asking; the footprint of a contender is not."""
    return vars(known[name]) if name in known else name
