"""The report as one self-contained page.

page.py       puts the sections together     contents.py   the page's input, and the parts of a section
density, locality, utilization ...           one section each
heat_map, cell_form, controls, race_cells    coloured tables whose cells hold several figures
cell_data                                    the script's data for all of them: one JSON
strategy_map, strategy_lines                 many strategies in few places: a row or a line for each
plot, line_plot, surface                     drawings
markup, figures                              escaped elements; the text of figures
static/                                      style and script, inlined
"""

from mallard.view.html.contents import Measured
from mallard.view.html.page import page

__all__ = ["Measured", "page"]
