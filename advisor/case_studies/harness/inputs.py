"""The inputs that are files: from a seed, or of Debian. Of JSON and XML each line is a document."""

from __future__ import annotations

import gzip
import json
import random
import re
import string
from pathlib import Path
from typing import Any

from mallard.shared.errors import UsageError

SEED = 42
SMALL_DOCUMENTS, LARGE_ITEMS = 600, 2500
PACKED = "gunzip:"


def write(generator: str, folder: Path) -> Path:
    """Writes the input, if it is not there, and returns its file. Behind `gunzip:` stands a file of a Debian
    package that is packed.
    """
    if generator.startswith(PACKED):
        return _unpack(Path(generator.removeprefix(PACKED)), folder)
    file = folder / generator
    if not file.is_file():
        size, kind = generator.split("_")
        if size in FILES_OF_DEBIAN:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(_documents_of(size, kind), encoding="utf-8")
            return file
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


# Documents that nobody wrote for this. The packages are iso-codes and shared-mime-info.
FILES_OF_DEBIAN = {
    "records": {
        "json": "/usr/share/iso-codes/json/iso_639-3.json",
        "xml": "/usr/share/mime/packages/freedesktop.org.xml",
    },
    "whole": {
        "json": "/usr/share/iso-codes/json/iso_3166-2.json",
        "xml": "/usr/share/mime/packages/freedesktop.org.xml",
    },
}


def _documents_of(size: str, kind: str) -> str:
    """The records of a file, each in a line, or all of it in one."""
    source = Path(FILES_OF_DEBIAN[size][kind])
    if not source.is_file():
        raise UsageError(f"there is no {source}: apt-get install iso-codes shared-mime-info")
    text = source.read_text(encoding="utf-8")
    if kind == "json":
        document = json.loads(text)
        records = next(iter(document.values())) if size == "records" else [document]
        return "".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n" for each in records)
    one_line = " ".join(text.split())
    records = re.findall(r"<mime-type .*?</mime-type>", one_line) if size == "records" else [one_line]
    return "".join(record + "\n" for record in records)


def _unpack(packed: Path, folder: Path) -> Path:
    file = folder / packed.stem
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.decompress(packed.read_bytes()))
    return file
