"""The runner that this source builds, as it will describe itself: what can be planned and what must be
refused is known before anything is compiled.

The runner itself has the last word: a plan is made again with what it says. Every contender is expected;
those whose library is missing are left out by the real one.
"""

from __future__ import annotations

from pathlib import Path

from mallard.contenders import CONTENDERS
from mallard.experiments import EXPERIMENTS
from mallard.papers.catalogue import EXTRA_STRATEGIES, Strategy, strategies, structures
from mallard.runner import NAME, Described, Limit, Runner, Work

SIZES_LOG2 = tuple(range(6, 17))
OPERATIONS = {
    "pair": "allocate and deallocate one block of 24 bytes, hot",
    "create": "make an allocator, allocate and deallocate one block of 24 bytes, destroy the allocator",
}
LIMITS: dict[str, dict[str, Limit]] = {
    "locality": {"links_log2": (10, 27)},
    "utilization": {"total_log2": (3, 40), "active_log2": (3, 34), "block_log2": (3, 34)},
    "contention": {
        "threads": (1, 256),
        "iterations_log2": (0, 30),
        "multiplier": (1, 10**6),
        "block_log2": (4, 30),
    },
    "fragmentation": {"perturb_chunks_log2": (3, 24)},
    "small-objects": {"object_bytes": (1, 1024), "objects": (1, 10**8)},
    "fixed-block": {"count": (1, 2**40)},
    "adaptive-pool": {"range": (1, 10**8), "nodes": (1, 10**8)},
    "burst": {"range": (1, 10**8), "nodes": (1, 10**8)},
    "expansion-forward": {"elements": (1, 10**8), "iterations": (1, 10**9)},
    "expansion-backward": {"elements": (1, 10**8), "iterations": (1, 10**9)},
    "shrink-to-fit": {"elements": (2, 10**8), "step": (1, 10**8), "iterations": (1, 10**9)},
    "heap-churn": {
        "operations": (10, 10**11),
        "live": (1, 10**8),
        "least_bytes": (9, 1 << 20),
        "most_bytes": (9, 1 << 20),
    },
}
# Of fixed-block: the versions that a work has.
WORKS: dict[str, tuple[str, ...]] = {
    "new-delete": (),
    "replace": (),
    "list": (),
    "map": (),
    "remove-ctrl": (
        *("as-printed", "append", "reserve", "reference", "iterators", "blocks", "erase", "result"),
    ),
}
WITH_WORKS = "fixed-block"


def expected_runner() -> Runner:
    return Runner(
        path=Path(NAME),
        about={},
        structures=tuple(structures().values()),
        sizes_log2=SIZES_LOG2,
        operations=OPERATIONS,
        experiments={name: _described(name) for name in EXPERIMENTS},
    )


def _described(experiment: str) -> Described:
    names = (
        *EXPERIMENTS[experiment].strategies,
        *(name for name, each in CONTENDERS.items() if experiment in each.experiments),
    )
    return Described(
        strategies=tuple(_strategy(name) for name in names),
        limits=LIMITS.get(experiment, {}),
        works=tuple(Work(name, versions, names) for name, versions in WORKS.items())
        if experiment == WITH_WORKS
        else (),
    )


def _strategy(name: str) -> Strategy:
    known = strategies() | {each.name: each for each in EXTRA_STRATEGIES}
    return known.get(name) or Strategy(name, "", "", "")
