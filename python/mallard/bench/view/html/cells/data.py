"""The script's data for a page as one JSON: compressed and base64-encoded.

forms   the values of a table's cells and their texts (cell_form.py), each form once
tables  the heat maps in order (heat_map.py), with the number of their form
plots   the line plots in order: for each series the values of its points (line_plot.py)
steps   the classes of the palette; a letter of a cell counts them
texts   the description of each strategy
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping

from mallard.bench.view.html.cells.heat_map import MapData
from mallard.shared.view.html.figures import PALETTE
from mallard.shared.view.html.line_plot import PlotData
from mallard.shared.view.html.markup import Markup, element

ID = "cells"


def cell_data(body: Markup, texts: Mapping[str, str]) -> Markup:
    tables = [item for item in body.data if isinstance(item, MapData)]
    forms = list(dict.fromkeys(table.form for table in tables))
    payload = {
        "forms": [form.script_data for form in forms],
        "tables": [
            {
                "form": forms.index(table.form),
                "title": table.title,
                "heads": table.heads,
                "labels": table.labels,
                "columns": table.columns,
            }
            for table in tables
        ],
        "plots": [item.values for item in body.data if isinstance(item, PlotData)],
        "steps": PALETTE,
        "texts": texts,
    }
    return element("script", Markup(_packed(payload)), id=ID, type="application/octet-stream")


def _packed(payload: object) -> str:
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 7)).decode()
