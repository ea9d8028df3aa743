"""The report of a database as one self-contained page.

page.py       assembles the sections         contents.py   the page's input, and the parts of a section
peers_maps.py the maps of other libraries

`mallard.shared.report.page` writes the sections of experiments. `mallard.shared.view.html` has escaped
elements, drawings, plain tables, and the style and script.
"""

from mallard.bench.view.html.contents import Measured
from mallard.bench.view.html.page import page

__all__ = ["Measured", "page"]
