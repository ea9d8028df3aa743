"""Buttons above the heat maps of a section choose what they show. cells.js makes one for each choice of their
form. The legend of the first choice is there without script.
"""

from __future__ import annotations

from mallard.view.html.cell_form import Form, Steps
from mallard.view.html.markup import Content, Markup, element


def maps(
    name: str, form: Form, *blocks: Content, head: Markup | None = None, anchor: str | None = None
) -> Markup:
    """`name` sets the buttons apart from those of other sections."""
    first = form.choices[0]
    legend = element("div", element("p", first.text), steps(first.legend), class_="legend")
    controls = element("div", legend, class_="controls", data_name=name)
    return element("div", head, controls, *blocks, class_="maps", id=anchor)


def folded(summary: str, *blocks: Content) -> Markup:
    """Heat maps of folded tables, which the script fills when they are opened."""
    without = element("noscript", element("p", "A script fills these tables."))
    return element("details", element("summary", summary), without, *blocks)


def steps(legend: Steps) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in legend), class_="steps")
