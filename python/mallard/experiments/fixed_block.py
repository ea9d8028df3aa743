"""The works of Optimized C++, chapter 13, each with the strategies that serve it."""

from __future__ import annotations

from mallard.experiments.description import COUNT, COUNTS, FOLLOWS, Axis, Experiment

EXPERIMENT = Experiment(
    name="fixed-block",
    text="blocks of one size at work (Optimized C++, chapter 13)",
    examples=(("--work list,map", "the containers among the works"),),
    operation="a pair, a replacement, a container or a call",
    title="Fixed blocks",
    heading="Fixed blocks: the works of Optimized C++",
    how="new-delete: an object made and deleted, over and over. replace: one of 100 objects, drawn at "
    "random, deleted and made anew. list and map: 1,000 integers put in, the container destroyed. "
    "remove-ctrl: control characters taken out of a string, by the function as the book prints it and by the "
    "better versions that it points to.",
    axes=(
        Axis(
            *("work", COUNTS, "works of the chapter: new-delete,replace,list,map,remove-ctrl (default: all)"),
            said="{}",
        ),
        Axis(
            "version",
            COUNTS,
            "versions of remove-ctrl: as-printed, and the book's better ones (default: all)",
            said="{}",
        ),
        # A sufficient number follows from the work.
        Axis(
            *("count", COUNT, "operations in a time, about; such as 10^6 (default: enough for each work)"),
            role=FOLLOWS,
        ),
    ),
    places=(),
    apart=("work", "version"),
    claimed=("work", "version"),
)
