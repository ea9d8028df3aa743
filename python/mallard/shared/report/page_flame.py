"""A flame graph on a page, as an icicle: callers above, callees below, as wide as their bytes or operations.

The script (static/profile/flame.js) draws the calls, zooms and searches, and shows callers below and all
calls of a function. A call has the width of its children if that is more than its own.
"""

from __future__ import annotations

from typing import Any

from mallard.shared.report.figures import count
from mallard.shared.report.markup import Markup, element, joined
from mallard.shared.report.model import Flame, nested
from mallard.shared.report.page_names import PageNames

ROW = 19  # pixels
NEARLY_ALL = 0.97  # of its parent's width: a chain of such calls is passed over at the beginning
STEPS = ((0.005, ""), (0.25, "up to 25 %"), (0.5, "up to 50 %"), (0.75, "up to 75 %"), (0.95, "up to 95 %"))
DIGITS = 4  # of a share
FIGURES = ("allocations", "bytes", "contained", "operations", "peak", "alive")


def flame_graph(flame: Flame, names: PageNames) -> tuple[Markup | None, dict[str, Any]]:
    """The frame of the drawing and the data of its script; nothing for a graph without widths."""
    calls = flame.calls[: names.limits.calls]
    figures = {figure: [getattr(call, figure) for call in calls] for figure in FIGURES}
    # The root is not a call.
    mode = next((mode for mode in flame.modes if nested(calls, [0, *figures[mode[0]][1:]])[0] > 0), None)
    if mode is None:
        return None, {}
    omitted = flame.omitted + len(flame.calls) - len(calls)
    drawing = joined(
        _legend(flame, mode[2]),
        element("noscript", element("p", "A script draws this graph.")),
        element("div", element("div", class_="rows"), class_="flame", role="group", aria_label="Flame graph"),
        element("p", f"{count(omitted)} smaller branches are left out.", class_="setting")
        if omitted > 0
        else None,
    )
    return drawing, figures | {
        "parent": [call.parent for call in calls],
        "name": [-1 if call.name is None else names.number(call.name) for call in calls],
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


def colour(part: float) -> str:
    return f"c{sum(round(part, DIGITS) > end for end, _ in STEPS)}"
