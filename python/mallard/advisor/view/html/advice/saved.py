"""The flame graph of the advice: the calls that the saved time comes from.

A trial saves time in the operations of its scope. The share of a call is the operations below it that are
also below the scope: a call inside the scope is fully coloured, its caller by the part that goes through.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.wording import times
from mallard.advisor.profile.document import Node
from mallard.advisor.view.html.profile.content import Content, Part
from mallard.advisor.view.html.profile.flame import MODES, Colouring, contained, flame_part

LEGEND = (
    ("c0", "nothing"),
    ("c1", "up to 25 %"),
    ("c2", "up to 50 %"),
    ("c3", "up to 75 %"),
    ("c4", "up to 95 %"),
    ("c5", "more"),
)
OPERATIONS_FIRST = (
    *(mode for mode in MODES if mode[0] == "operations"),
    *(mode for mode in MODES if mode[0] != "operations"),
)


def saved_part(study: Study, content: Content) -> Part | None:
    best, chosen = study.best, study.chosen
    if best is None or chosen is None or chosen.function is None:
        return flame_part(content, contained, MODES)
    function = chosen.function

    def colouring(nodes: Sequence[Node]) -> Colouring:
        inside = operations_inside(nodes, function)
        all_ = max(inside[0], 1)
        return Colouring(
            f"share of the operations that {chosen.title} makes, where the time was saved",
            LEGEND,
            tuple(
                saved_operations / max(operations, 1)
                for saved_operations, operations in zip(inside, _operations(nodes), strict=True)
            ),
            tuple(times(-best.time.median * saved_operations / all_) for saved_operations in inside),
            "saved, by its operations",
        )

    return flame_part(content, colouring, OPERATIONS_FIRST, "Where the time is saved")


def operations_inside(nodes: Sequence[Node], function: int) -> list[int]:
    """For each node, the operations made by the function, directly or through calls below it."""
    inside = [False] * len(nodes)
    counts = [0] * len(nodes)
    for at in range(1, len(nodes)):
        inside[at] = inside[_parent(nodes, at)] or nodes[at].function == function
    own = _operations(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        if inside[at]:
            counts[at] = own[at]
        if not inside[_parent(nodes, at)]:
            counts[_parent(nodes, at)] += counts[at]
    return counts


def _operations(nodes: Sequence[Node]) -> list[int]:
    """The operations of each node, at least the sum of its children's, like the widths."""
    own = [node.operations for node in nodes]
    below = [0] * len(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        own[at] = max(own[at], below[at])
        below[_parent(nodes, at)] += own[at]
    own[0] = max(own[0], below[0])
    return own


def _parent(nodes: Sequence[Node], at: int) -> int:
    parent = nodes[at].parent
    return parent if parent is not None and 0 <= parent < at else 0
