"""Buttons above the heat maps of a section, which choose the displayed figures. cells.js adds one for each
choice of the form. Without script, the legend of the first choice is shown.
"""

from __future__ import annotations

from mallard.bench.view.html.cells.form import Form, Steps
from mallard.shared.view.html.markup import Content, Markup, element


def maps(
    name: str, form: Form, *blocks: Content, head: Markup | None = None, anchor: str | None = None
) -> Markup:
    """The maps of a section. `name` identifies the section's buttons."""
    first = form.choices[0]
    legend = element("div", element("p", first.text), steps(first.legend), class_="legend")
    controls = element("div", legend, class_="controls", data_name=name)
    return element("div", head, controls, *blocks, class_="maps", id=anchor)


def folded(summary: str, *blocks: Content) -> Markup:
    """Heat maps of folded tables. The script fills them when they are opened."""
    without = element("noscript", element("p", "A script fills these tables."))
    return element("details", element("summary", summary), without, *blocks)


def steps(legend: Steps) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in legend), class_="steps")
