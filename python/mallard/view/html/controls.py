"""What the heat maps of a section show is chosen by radio buttons; the style sheet does the rest. Each choice
has its own legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.view.html.figures import LEGEND
from mallard.view.html.markup import Markup, element, empty_element, joined
from mallard.view.html.race_cells import Wording

BESIDE = (
    "Upper figure: (here / new-delete here) divided by ({paper} / its new-delete); above 1 the strategy "
    "does worse here than there. Lower: percent of new-delete here / there. Under new-delete: nanoseconds "
    "{operation} here, and there."
)
Steps = tuple[tuple[str, str], ...]  # (class, text)
FAULTS: Steps = (
    ("z0", "under 0.1"),
    ("z1", "0.1\u20131"),
    ("z2", "1\u201310"),
    ("z3", "10\u2013100"),
    ("z4", "over 100"),
)
MEMORY: Steps = (
    ("z0", "least of the row"),
    ("z1", "over 1.1 times"),
    ("z2", "over 1.5"),
    ("z3", "over 2"),
    ("z4", "over 4"),
)
BESIDE_LEGEND: Steps = tuple(("eq", "within 1.1") if name == "eq" else (name, text) for name, text in LEGEND)
LEGENDS = {"f": FAULTS, "m": MEMORY, "c": BESIDE_LEGEND, "d": BESIDE_LEGEND}


@dataclass(frozen=True)
class Choice:
    kind: str  # the letter of its figures
    label: str
    text: str
    legend: Steps


def controls(name: str, kinds: str, wording: Wording) -> Markup:
    """For a race of strategies; `name` sets the buttons of one section apart from those of another."""
    texts = _texts(wording)
    return choices(name, [Choice(key, *texts[key], LEGENDS.get(key, LEGEND)) for key in kinds])


def choices(name: str, of: Sequence[Choice]) -> Markup:
    """The first is chosen."""
    buttons = [
        joined(
            empty_element(
                "input",
                type="radio",
                name=name,
                id=f"{name}-{each.kind}",
                value=each.kind,
                checked=each is of[0],
            ),
            element("label", each.label, for_=f"{name}-{each.kind}"),
        )
        for each in of
    ]
    legends = [
        element("div", element("p", each.text), steps(each.legend), class_=f"legend {each.kind}")
        for each in of
    ]
    fields = element(
        "fieldset", element("legend", "The maps show", class_="unseen"), *buttons, class_="choice"
    )
    return element("div", fields, *legends, class_="controls")


def _texts(wording: Wording) -> dict[str, tuple[str, str]]:
    operation = wording.operation
    return {
        "p": (
            "% of new-delete",
            "Time in percent of new-delete's in the same row. Framed: mallard's fastest of its row.",
        ),
        "i": ("interval", "The 95 % interval of that percent. What holds 100 is no difference."),
        "n": (
            f"ns {operation}",
            f"{wording.clock} nanoseconds for {wording.what}. Colours as in % of new-delete.",
        ),
        "c": ("beside P0213", BESIDE.format(paper="P0213", operation=operation)),
        "d": ("beside P0089", BESIDE.format(paper="P0089", operation=operation)),
        "f": ("page faults", f"Minor page faults of the timed part, in 1000 {wording.operations}."),
        "m": ("memory", f"{wording.memory_text}, MiB. Darker: more than others in the row."),
    }


def steps(legend: Steps) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in legend), class_="steps")
