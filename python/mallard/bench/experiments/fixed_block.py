"""The works of Optimized C++, chapter 13, each with the strategies that serve it."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import COUNT, FOLLOWS, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale

NAME = "fixed-block"
WORKS = {work["name"]: work for work in described.EXPERIMENTS[NAME]["works"]}
VERSIONS = {name: tuple(work["versions"]) for name, work in WORKS.items() if "versions" in work}
OPERATIONS = {  # of a time, in the unit of each work
    "new-delete": "a pair",
    "replace": "a replacement",
    "list": "a list",
    "map": "a map",
    "remove-ctrl": "a call",
}
GRIDS = tuple(
    {"work": (name,), **({"version": VERSIONS[name]} if name in VERSIONS else {})} for name in WORKS
)

EXPERIMENT = Experiment(
    name=NAME,
    text="blocks of one size at work (Optimized C++, chapter 13)",
    examples=(("--work list,map", "the containers among the works"),),
    operation="a pair, a replacement, a container or a call",
    title="Fixed blocks",
    heading="Fixed blocks: the works of Optimized C++",
    explanation="new-delete makes and deletes one object, over and over. replace deletes one of 100 objects, "
    "drawn at random, and makes a new one. list and map take 1,000 integers, and are destroyed. remove-ctrl "
    "removes control characters from a string, with the function that the book prints and with the better "
    "versions that it suggests.",
    axes=(
        Axis(
            *("work", WORDS, f"works of the chapter: {','.join(WORKS)} (default: all)"),
            words=tuple(WORKS),
            value_format="{}",
            plural="works",
        ),
        Axis(
            "version",
            WORDS,
            "versions of remove-ctrl: as-printed, and the book's better ones (default: all)",
            words=tuple(version for versions in VERSIONS.values() for version in versions),
            value_format="{}",
            plural="versions",
            within="work",
        ),
        # A sufficient number follows from the work.
        Axis(
            *(
                "count",
                COUNT,
                "approximate operations in a time, such as 10^6 (default: enough for each work)",
            ),
            role=FOLLOWS,
        ),
    ),
    places=(),
    apart=("work", "version"),
    claimed=("work", "version"),
    # A cell takes a few hundredths of a second.
    scales={
        QUICK: Scale(20, 5, GRIDS),
        STANDARD: Scale(60, 9, GRIDS),
        PAPER: Scale(600, 15, GRIDS),
    },
    only={
        strategy: ("work", tuple(name for name, work in WORKS.items() if strategy in work["strategies"]))
        for strategy in described.names_in(NAME)
    },
    panel=Works(
        operations=OPERATIONS,
        text="CPU ns: a pair, replacement, container or call. Framed: the fastest, if it beats new-delete.",
        relative="In percent of new-delete's time in the same work and version.",
        legend="A pair, a replacement, a list or a map of 1,000 integers, a call of remove_ctrl().",
    ),
)
