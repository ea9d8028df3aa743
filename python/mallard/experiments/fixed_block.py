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
    how="new-delete makes and deletes one object, over and over. replace deletes one of 100 objects, drawn "
    "at random, and makes a new one. list and map take 1,000 integers, and are destroyed. remove-ctrl "
    "removes control characters from a string, with the function that the book prints and with the better "
    "versions that it suggests.",
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
)
