"""What the heat maps show is chosen by radio buttons; the style sheet does the rest. Each choice has its
own legend.
"""

from __future__ import annotations

from mallard.view.html.figures import LEGEND
from mallard.view.html.markup import Markup, element, empty_element, joined

BESIDE = (
    "Upper figure: (here / AS1 here) divided by ({0} / its AS1); above 1 the strategy does worse here than "
    "there. Lower: percent of AS1 here / there. Under AS1: nanoseconds a leaf here, and there."
)
CHOICES = (
    ("p", "% of AS1", "Time in percent of AS1's in the same row. Framed: the fastest of its row."),
    ("i", "interval", "The 95 % interval of that percent. What holds 100 is no difference."),
    ("n", "ns a leaf", "CPU nanoseconds for one leaf element, made and destroyed. Colours as in % of AS1."),
    ("c", "beside P0213", BESIDE.format("P0213")),
    ("d", "beside P0089", BESIDE.format("P0089")),
    ("f", "page faults", "Minor page faults of the timed part, in 1000 leaf elements."),
    ("m", "memory", "Peak resident memory of the process, MiB. Darker: more than others in the row."),
)
FAULTS = (
    ("z0", "under 0.1"),
    ("z1", "0.1\u20131"),
    ("z2", "1\u201310"),
    ("z3", "10\u2013100"),
    ("z4", "over 100"),
)
MEMORY = (
    ("z0", "least of the row"),
    ("z1", "over 1.1 times"),
    ("z2", "over 1.5"),
    ("z3", "over 2"),
    ("z4", "over 4"),
)


BESIDE_LEGEND = tuple(("eq", "within 1.1") if name == "eq" else (name, text) for name, text in LEGEND)
LEGENDS = {"f": FAULTS, "m": MEMORY, "c": BESIDE_LEGEND, "d": BESIDE_LEGEND}


def controls() -> Markup:
    buttons = [
        joined(
            empty_element(
                "input", type="radio", name="figures", id=f"show-{key}", value=key, checked=key == "p"
            ),
            element("label", text, for_=f"show-{key}"),
        )
        for key, text, _ in CHOICES
    ]
    legends = [
        element(
            "div",
            element("p", text),
            _steps(LEGENDS.get(key, LEGEND)),
            class_=f"legend {key}",
        )
        for key, _, text in CHOICES
    ]
    fields = element(
        "fieldset", element("legend", "The maps show", class_="unseen"), *buttons, class_="choice"
    )
    return element("div", fields, *legends, class_="controls")


def _steps(steps: tuple[tuple[str, str], ...]) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in steps), class_="steps")
