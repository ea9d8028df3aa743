"""The tree of contexts as an icicle: callers above, callees below, as wide as their bytes or operations.

Above the node that is as wide as the graph stand the root, a row for the calls between, and its caller. The
first such node is the first that divides: a program has twenty calls before.

The page has the widest nodes of the first figure. The script (static/profile/flame.js) draws the others,
zooms and searches. Both give a node the width of its children if that is more than its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.advisor.profile.document import Node
from mallard.advisor.view.html.profile.page import Content, Part
from mallard.shared.report.figures import count, share, size
from mallard.shared.view.html.markup import Markup, element, joined

ROW = 19  # pixels
WIDTH = 1170  # pixels of a page, for the choice of a name that fits
LETTER = 6.4  # pixels
NEARLY_ALL = 0.97  # of its parent's width: a chain of such nodes is passed over at the beginning
LEAST = 0.4  # percent of the width, for a node to be in the page without the script
STEPS = (0.005, 0.25, 0.5, 0.75, 0.95)  # upper ends of the shares that are contained
CLASSES = ("c0", "c1", "c2", "c3", "c4", "c5")
LEGEND = (
    ("c0", "nothing contained"),
    ("c1", "up to 25 %"),
    ("c2", "up to 50 %"),
    ("c3", "up to 75 %"),
    ("c4", "up to 95 %"),
    ("c5", "more"),
)
MODES = (
    ("contained", "containable bytes", "Width: bytes that are freed before the function's activation ends."),
    ("bytes", "bytes", "Width: bytes allocated in the function and its callees."),
    ("operations", "operations", "Width: allocations and frees of the function and its callees."),
)


GAP = -1


@dataclass(frozen=True)
class Colouring:
    """The meaning of the colours: a share of each node, from 0 to 1."""

    text: str
    legend: tuple[tuple[str, str], ...]
    shares: tuple[float, ...]
    texts: tuple[str, ...] = ()  # of each node, for its panel
    label: str = ""  # of these texts


@dataclass(frozen=True)
class Box:
    node: int  # GAP for the row of calls between
    left: float  # both as shares of the width
    width: float
    depth: int


def contained(nodes: Sequence[Node]) -> Colouring:
    shares = tuple(node.contained_bytes / node.bytes if node.bytes else 0.0 for node in nodes)
    return Colouring("share of the bytes that the function contains", LEGEND, shares)


def flame_part(
    content: Content,
    colouring: Callable[[Sequence[Node]], Colouring] = contained,
    modes: Sequence[tuple[str, str, str]] = MODES,
    heading: str = "Where the memory is allocated, and where it could be contained",
) -> Part | None:
    """`modes` are the figures that can be the width; the first that is not zero is shown."""
    flame = content.profile.flame
    nodes = flame.nodes[: content.limits.nodes] if flame else ()
    if flame is None or len(nodes) < 2:
        return None
    mode = next(name for name, *_ in (*modes, ("", "", "")) if not name or widths(nodes, name)[0] > 0)
    if not mode:
        return None
    colours = colouring(nodes)
    body = joined(
        _controls(mode, colours),
        _graph(content, nodes, mode, colours),
        _pruned(flame.pruned + len(flame.nodes) - len(nodes)),
    )
    columns = {
        "parent": [-1 if node.parent is None else node.parent for node in nodes],
        "function": [-1 if node.function is None else node.function for node in nodes],
        "allocations": [node.allocations for node in nodes],
        "bytes": [node.bytes for node in nodes],
        "contained": [node.contained_bytes for node in nodes],
        "blocks": [node.contained_allocations for node in nodes],
        "operations": [node.operations for node in nodes],
    }
    payload = {
        **columns,
        "colours": [colour(share) for share in colours.shares],
        "label": colours.label,
        "told": colours.texts,
        "modes": list(modes),
        "mode": mode,
        "row": ROW,
        "nearly": NEARLY_ALL,
    }
    return Part("flame", "Flame graph", heading, body, {"flame": payload})


def _controls(mode: str, colours: Colouring) -> Markup:
    text = next(text for name, _, text in MODES if name == mode)
    legend = element(
        "ul", *(element("li", words, class_=step) for step, words in colours.legend), class_="steps"
    )
    return element(
        "div",
        element("p", element("span", text), f" Colour: {colours.text}."),
        legend,
        class_="flame-controls legend",
    )


def _graph(content: Content, nodes: Sequence[Node], mode: str, colours: Colouring) -> Markup:
    values = widths(nodes, mode)
    root = first_divided(nodes, values)
    shown = [box for box in layout(nodes, values, root) if box.width * 100 >= LEAST]
    depth = 1 + max(box.depth for box in shown)
    drawn = [_drawn(content, nodes, box, root, colours) for box in shown]
    rows = element("div", *drawn, class_="rows", style=f"height:{depth * ROW}px")
    return element("div", rows, class_="flame", role="group", aria_label="Flame graph", tabindex="0")


def _drawn(content: Content, nodes: Sequence[Node], box: Box, root: int, colours: Colouring) -> Markup:
    place = f"left:{100 * box.left:.3f}%;width:{100 * box.width:.3f}%;top:{box.depth * ROW}px"
    if box.node == GAP:
        between = len(_line(nodes, root)) - 3
        return element("i", f"{count(between)} calls between", class_="gap outer", style=place)
    node = nodes[box.node]
    name = content.short(node.function) if node.function is not None else "all"
    part = share(node.contained_bytes / node.bytes if node.bytes else None)
    text = (
        f"{name}: {size(node.bytes)} allocated, {size(node.contained_bytes)} contained ({part}), "
        f"{count(node.operations)} operations"
    )
    if colours.texts:
        text += f"; {colours.label} {colours.texts[box.node]}"
    inner = box.node == root or box.depth >= len(_outer(nodes, root))
    class_ = colour(colours.shares[box.node]) + ("" if inner else " outer")
    return element("i", label(name, box.width * WIDTH), class_=class_, style=place, title=text)


def label(name: str, pixels: float) -> str:
    """The name, or its last part if it is too long for its box."""
    if len(name) * LETTER + 8 <= pixels:
        return name
    last = name.rpartition("::")[2]
    return last[last.find("+0x") :] if "+0x" in last else last


def colour(share: float) -> str:
    return CLASSES[sum(share > end for end in STEPS)]


def _pruned(number: int) -> Markup | None:
    if number <= 0:
        return None
    return element("p", f"{count(number)} smaller branches are left out.", class_="setting")


def widths(nodes: Sequence[Node], mode: str) -> list[int]:
    """The value of each node, at least the sum of its children's. Parents come before their children."""
    field = {"contained": "contained_bytes"}.get(mode, mode)
    own = [int(getattr(node, field)) for node in nodes]
    own[0] = 0  # the root is not a call
    below = [0] * len(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        own[at] = max(own[at], below[at])
        below[_parent(nodes, at)] += own[at]
    own[0] = below[0]
    return own


def _parent(nodes: Sequence[Node], at: int) -> int:
    parent = nodes[at].parent
    return parent if parent is not None and 0 <= parent < at else 0


def _children(nodes: Sequence[Node], values: Sequence[int]) -> list[list[int]]:
    """The children of each node that have a width, the widest first."""
    by_parent: list[list[int]] = [[] for _ in nodes]
    for at in range(1, len(nodes)):
        if values[at] > 0:
            by_parent[_parent(nodes, at)].append(at)
    for children in by_parent:
        children.sort(key=lambda child: -values[child])
    return by_parent


def first_divided(nodes: Sequence[Node], values: Sequence[int]) -> int:
    """The first node whose widest child is clearly less wide."""
    children = _children(nodes, values)
    at = 0
    while children[at] and values[children[at][0]] >= NEARLY_ALL * values[0]:
        at = children[at][0]
    return at


def _line(nodes: Sequence[Node], at: int) -> list[int]:
    """The callers of a node, from the root to itself."""
    path = [at]
    while path[-1]:
        path.append(_parent(nodes, path[-1]))
    return path[::-1]


def _outer(nodes: Sequence[Node], root: int) -> list[int]:
    outer = _line(nodes, root)[:-1]
    return outer if len(outer) <= 3 else [0, GAP, outer[-1]]


def layout(nodes: Sequence[Node], values: Sequence[int], root: int = 0) -> list[Box]:
    """A box for each node with a width below the root; children stand side by side."""
    outer = _outer(nodes, root)
    children = _children(nodes, values)
    total = values[root] or 1
    below = [Box(root, 0.0, 1.0, len(outer))]
    for box in below:  # grows during iteration
        left = box.left
        for child in children[box.node]:
            below.append(Box(child, left, values[child] / total, box.depth + 1))
            left += values[child] / total
    return [*(Box(node, 0.0, 1.0, depth) for depth, node in enumerate(outer)), *below]
