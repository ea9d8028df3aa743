"""A flame graph on a page, as an icicle: callers above, callees below, as wide as their bytes or operations.

Above the call that is as wide as the graph stand the root, a row for the calls between, and its caller. The
first such call is the first that divides: a program has twenty calls before.

The page has the widest calls of the first figure. The script (static/profile/flame.js) draws the others,
zooms and searches, and shows callers below and all calls of a function. Both give a call the width of its
children if that is more than its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mallard.shared.report.figures import count, share, size
from mallard.shared.report.markup import Markup, element, joined
from mallard.shared.report.model import Call, Flame, nested, parent_of
from mallard.shared.report.page_names import PageNames

ROW = 19  # pixels
WIDTH = 1170  # pixels of a page, for the choice of a name that fits
LETTER = 6.4  # pixels
NEARLY_ALL = 0.97  # of its parent's width: a chain of such calls is passed over at the beginning
LEAST = 0.4  # percent of the width, for a call to be in the page without the script
STEPS = ((0.005, ""), (0.25, "up to 25 %"), (0.5, "up to 50 %"), (0.75, "up to 75 %"), (0.95, "up to 95 %"))
DIGITS = 4  # of a share
GAP = -1


@dataclass(frozen=True)
class Box:
    call: int  # GAP for the row of calls between
    left: float  # both as shares of the width
    width: float
    depth: int


def flame_graph(flame: Flame, names: PageNames) -> tuple[Markup | None, dict[str, Any]]:
    """The drawing and the data of its script; nothing for a graph without widths."""
    calls = flame.calls[: names.limits.calls]
    mode = next((mode for mode in flame.modes if widths(calls, mode[0])[0] > 0), None)
    if mode is None:
        return None, {}
    omitted = flame.omitted + len(flame.calls) - len(calls)
    drawing = joined(
        _legend(flame, mode[2]),
        _graph(flame, calls, widths(calls, mode[0]), names),
        element("p", f"{count(omitted)} smaller branches are left out.", class_="setting")
        if omitted > 0
        else None,
    )
    return drawing, {
        "parent": [call.parent for call in calls],
        "name": [-1 if call.name is None else names.number(call.name) for call in calls],
        "allocations": [call.allocations for call in calls],
        "bytes": [call.bytes for call in calls],
        "contained": [call.contained for call in calls],
        "operations": [call.operations for call in calls],
        "peak": [call.peak for call in calls],
        "alive": [call.alive for call in calls],
        "shares": [round(part, DIGITS) for part in flame.shares[: len(calls)]],
        "steps": [end for end, _ in STEPS],
        "label": flame.label,
        "told": flame.texts[: len(calls)],
        "modes": flame.modes,
        "mode": mode[0],
        "row": ROW,
        "nearly": NEARLY_ALL,
    }


def _legend(flame: Flame, text: str) -> Markup:
    words = [flame.none, *(words for _, words in STEPS[1:]), "more"]
    steps = [element("li", text, class_=f"c{step}") for step, text in enumerate(words)]
    return element(
        "div",
        element("p", element("span", text), f" Colour: {flame.meaning}." if flame.meaning else None),
        element("ul", *steps, class_="steps") if flame.meaning else None,
        class_="flame-controls legend",
    )


def _graph(flame: Flame, calls: Sequence[Call], values: Sequence[int], names: PageNames) -> Markup:
    root = first_divided(calls, values)
    shown = [box for box in layout(calls, values, root) if box.width * 100 >= LEAST]
    depth = 1 + max(box.depth for box in shown)
    drawn = [_drawn(flame, calls, box, root, names) for box in shown]
    rows = element("div", *drawn, class_="rows", style=f"height:{depth * ROW}px")
    return element("div", rows, class_="flame", role="group", aria_label="Flame graph", tabindex="0")


def _drawn(flame: Flame, calls: Sequence[Call], box: Box, root: int, names: PageNames) -> Markup:
    place = f"left:{100 * box.left:.3f}%;width:{100 * box.width:.3f}%;top:{box.depth * ROW}px"
    if box.call == GAP:
        between = len(_line(calls, root)) - 3
        return element("i", f"{count(between)} calls between", class_="gap outer", style=place)
    call = calls[box.call]
    name = names.short(call.name) if call.name else "all"
    part = share(call.contained / call.bytes if call.bytes else None)
    text = (
        f"{name}: {size(call.bytes)} allocated, {size(call.contained)} contained ({part}), "
        f"{count(call.operations)} operations"
    )
    if flame.texts:
        text += f"; {flame.label} {flame.texts[box.call]}"
    inner = box.call == root or box.depth >= len(_outer(calls, root))
    class_ = colour(flame.shares[box.call]) + ("" if inner else " outer")
    return element("i", label(name, box.width * WIDTH), class_=class_, style=place, title=text)


def label(name: str, pixels: float) -> str:
    """The name, or its last part if it is too long for its box."""
    if len(name) * LETTER + 8 <= pixels:
        return name
    last = name.rpartition("::")[2]
    return last[last.find("+0x") :] if "+0x" in last else last


def colour(part: float) -> str:
    return f"c{sum(round(part, DIGITS) > end for end, _ in STEPS)}"


def widths(calls: Sequence[Call], mode: str) -> list[int]:
    return nested(calls, [0, *(int(getattr(call, mode)) for call in calls[1:])])  # the root is not a call


def _children(calls: Sequence[Call], values: Sequence[int]) -> list[list[int]]:
    """The children of each call that have a width, the widest first."""
    by_parent: list[list[int]] = [[] for _ in calls]
    for at in range(1, len(calls)):
        if values[at] > 0:
            by_parent[parent_of(calls, at)].append(at)
    for children in by_parent:
        children.sort(key=lambda child: -values[child])
    return by_parent


def first_divided(calls: Sequence[Call], values: Sequence[int]) -> int:
    """The first call whose widest child is clearly less wide."""
    children = _children(calls, values)
    at = 0
    while children[at] and values[children[at][0]] >= NEARLY_ALL * values[0]:
        at = children[at][0]
    return at


def _line(calls: Sequence[Call], at: int) -> list[int]:
    """The callers of a call, from the root to itself."""
    path = [at]
    while path[-1]:
        path.append(parent_of(calls, path[-1]))
    return path[::-1]


def _outer(calls: Sequence[Call], root: int) -> list[int]:
    outer = _line(calls, root)[:-1]
    return outer if len(outer) <= 3 else [0, GAP, outer[-1]]


def layout(calls: Sequence[Call], values: Sequence[int], root: int = 0) -> list[Box]:
    """A box for each call with a width below the root; children stand side by side."""
    outer = _outer(calls, root)
    children = _children(calls, values)
    total = values[root] or 1
    below = [Box(root, 0.0, 1.0, len(outer))]
    for box in below:  # grows during iteration
        left = box.left
        for child in children[box.call]:
            below.append(Box(child, left, values[child] / total, box.depth + 1))
            left += values[child] / total
    return [*(Box(call, 0.0, 1.0, depth) for depth, call in enumerate(outer)), *below]
