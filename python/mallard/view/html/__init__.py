"""The report as one self-contained page.

page.py       puts the sections together     contents.py   what a page is made from, what a section is
density, locality, utilization ...           one section each
heat_map, cell_form, controls, race_cells    coloured tables whose cells hold several figures
cell_data                                    what the script is told of all of them: one JSON
strategy_map, strategy_lines                 many strategies in few places: a row, a line for each
plot, line_plot, surface                     drawings
markup, figures                              escaped elements; how figures are written
static/                                      style and script, inlined
"""

from mallard.view.html.contents import Measured
from mallard.view.html.page import page

__all__ = ["Measured", "page"]
