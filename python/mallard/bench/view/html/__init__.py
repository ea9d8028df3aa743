"""The report as one self-contained page.

page.py       assembles the sections         contents.py   the page's input, and the parts of a section
panel/        the sections of experiments    findings/     peers, claims, decisions
cells/        coloured tables whose cells hold several figures, and the script's data for them: one JSON

`mallard.shared.view.html` has escaped elements, drawings, plain tables, and the style and script.
"""

from mallard.bench.view.html.contents import Measured
from mallard.bench.view.html.page import page

__all__ = ["Measured", "page"]
