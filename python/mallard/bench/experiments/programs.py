"""Fourteen programs that people write, at two sizes, in young and old heaps: the experiment that decides."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.experiments.description.axis import AMOUNT, COUNT, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import PAPER, QUICK, STANDARD, Scale
from mallard.shared.age import YOUNG, levels

NAME = "programs"
PROGRAMS = {program["name"]: program for program in described.EXPERIMENTS[NAME]["works"]}
SIZES = tuple(described.EXPERIMENTS[NAME]["sizes"])
MAIN = ("monotonic", "multipool", "multipool/inline", "multipool/base")
ONE_POOL = "static-multipool"  # for all parts of a program: a type names it
GRIDS = ({"program": tuple(PROGRAMS), "size": SIZES},)
HELD = Quantity("peak_held_bytes", "held", "Growth of the process at the peak")

EXPERIMENT = Experiment(
    name=NAME,
    text="parse, index, trade, simulate: fourteen programs that people write",
    examples=(
        ("--size large --age young,old", "in a young process, and in one that has run for long"),
        ("--size small --malloc mimalloc", "in cache, with another malloc"),
        ("--program json,compiler --strategy monotonic,multipool", "two of them"),
    ),
    operation="an operation of the program",
    title="Programs",
    heading="Programs that people write",
    explanation="json parses a document into a tree, walks it and edits it. compiler parses expressions, "
    "folds and evaluates them. requests answers one request of a web server. interner keeps each word of a "
    "text once. cache drops what was used least recently. index looks for documents by their words. graph "
    "adds and removes edges between searches. orders matches the orders of an exchange. entities updates the "
    "objects of a game, frame by frame. k-d-tree looks for neighbours of points. documents, sessions, "
    "modules (of a compiler) and world (of a game) live long, and replace what they hold part by part; "
    "an allocator that is constructed for a structure is constructed for each part. Small programs fit into "
    "a second-level cache; large ones are ten times as large, and more. A time is that of a scope, with "
    "its allocator and all destructors. In a used or old heap, blocks of others came, went and stayed in the "
    "malloc before the clock started.",
    axes=(
        Axis(
            *("program", WORDS, f"such as json,compiler (default: all of {len(PROGRAMS)})"),
            words=tuple(PROGRAMS),
            value_format="{}",
            plural="programs",
        ),
        Axis(
            "age",
            WORDS,
            "ages of the malloc's heap: young, used, old",
            default=(YOUNG,),
            words=tuple(levels()),
            plural="ages",
            absent=YOUNG,
        ),
        Axis("size", WORDS, "sizes: small, large (default: both)", words=SIZES, plural="sizes"),
        Axis(
            "operations",
            COUNT,
            "approximate operations in a time; a scope at least",
            default={QUICK: 10**5, STANDARD: 10**6, PAPER: 10**7},
            role=AMOUNT,
        ),
    ),
    places=(),
    apart=("program",),
    claimed=("program",),
    scales={QUICK: Scale(60, 3, GRIDS), STANDARD: Scale(120, 7, GRIDS), PAPER: Scale(600, 15, GRIDS)},
    only={
        strategy: (
            "program",
            tuple(name for name, program in PROGRAMS.items() if strategy in program["strategies"]),
        )
        for strategy in described.names_in(NAME)
    },
    over_mallocs=MAIN[:2],
    panel=Works(
        operations={},
        text="CPU nanoseconds for an operation of the program. Framed: the fastest, if it beats new-delete.",
        relative="In percent of new-delete's time in the same program.",
        amounts=(HELD,),
        compared=MAIN,
        legend="mean: geometric, over the programs that the strategy and new-delete finished, in percent of "
        "new-delete. A strategy that reuses nothing takes part where a program frees little.",
    ),
)
