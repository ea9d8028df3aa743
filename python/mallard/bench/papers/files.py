"""Reads the package's tables: figures as printed in the papers, and other lists."""

from __future__ import annotations

import csv
from importlib import resources

from mallard.bench.strategy_names import current


def read_csv(name: str, folder: str = "papers/data") -> list[dict[str, str]]:
    """The rows of a file. The papers' numbers of strategies become names in the columns."""
    source = resources.files("mallard.bench") / folder / name
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines())
    return [
        {column: current(text) if column.startswith("strategy") else text for column, text in row.items()}
        for row in rows
    ]
