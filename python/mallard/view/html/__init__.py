"""The report as one self-contained page.

page.py      puts the sections together        verdict, averages, effects, heat_map ...  one section each
markup.py    escaped elements                  figures.py, plot.py                       how figures are
written and drawn static/      style and script, inlined
"""

from mallard.view.html.page import page

__all__ = ["page"]
