"""The inputs that are files, from a seed. Each line is a document."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from typing import Any

SEED = 42
SMALL_DOCUMENTS, LARGE_ITEMS = 600, 2500


def write(generator: str, folder: Path) -> Path:
    """Writes the input, if it is not there, and returns its file."""
    file = folder / generator
    if not file.is_file():
        size, kind = generator.split("_")
        draw = random.Random(SEED)
        write_order = {"json": _json, "xml": _xml}[kind]
        if size == "small":
            lines = [write_order(draw, 1 + draw.randrange(6)) for _ in range(SMALL_DOCUMENTS)]
        else:
            lines = [write_order(draw, LARGE_ITEMS)]
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return file


def _text(draw: random.Random, least: int, most: int) -> str:
    return "".join(draw.choices(string.ascii_lowercase + "  ", k=draw.randint(least, most)))


def _order(draw: random.Random, items: int) -> dict[str, Any]:
    return {
        "id": draw.randrange(10**9),
        "customer": _text(draw, 8, 40),
        "address": {"street": _text(draw, 8, 40), "city": _text(draw, 4, 20), "number": draw.randrange(300)},
        "paid": draw.random() < 0.5,
        "items": [
            {
                "name": _text(draw, 8, 60),
                "price": draw.randrange(10**5) / 4,
                "count": draw.randrange(20),
                "labels": [_text(draw, 4, 24) for _ in range(draw.randrange(4))],
            }
            for _ in range(items)
        ],
    }


def _json(draw: random.Random, items: int) -> str:
    return json.dumps(_order(draw, items), separators=(",", ":"))


def _xml(draw: random.Random, items: int) -> str:
    order = _order(draw, items)
    parts = [f'<order id="{order["id"]}" customer="{order["customer"]}">']
    for item in order["items"]:
        labels = "".join(f"<label>{label}</label>" for label in item["labels"])
        parts.append(f'<item name="{item["name"]}" price="{item["price"]}">{labels}</item>')
    return "".join([*parts, "</order>"])
