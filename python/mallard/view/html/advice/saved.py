"""The flame graph of the advice: which calls the saved time comes from.

A trial saves time in the operations of its scope. A call has its share of them: those below it that are also
below the scope. So a call inside the scope is wholly coloured, and its caller by the part that goes through.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advice.study import Study
from mallard.advice.wording import times
from mallard.profile.document import Node
from mallard.view.html.profile.content import Content, Part
from mallard.view.html.profile.flame import MODES, Colouring, contained, flame_part

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
            tuple(one / max(of, 1) for one, of in zip(inside, _operations(nodes), strict=True)),
            tuple(times(-best.time.median * one / all_) for one in inside),
            "saved, by its operations",
        )

    return flame_part(content, colouring, OPERATIONS_FIRST, "Where the time is saved")


def operations_inside(nodes: Sequence[Node], function: int) -> list[int]:
    """Of each node, its operations that the function makes, itself or by the calls below it."""
    inside = [False] * len(nodes)
    found = [0] * len(nodes)
    for at in range(1, len(nodes)):
        inside[at] = inside[_parent(nodes, at)] or nodes[at].function == function
    own = _operations(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        if inside[at]:
            found[at] = own[at]
        if not inside[_parent(nodes, at)]:
            found[_parent(nodes, at)] += found[at]
    return found


def _operations(nodes: Sequence[Node]) -> list[int]:
    """At least the sum of the children's, as the widths are."""
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
