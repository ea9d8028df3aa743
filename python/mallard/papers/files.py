"""Reads the tables that are shipped with the package, figures as printed in the papers."""

from __future__ import annotations

import csv
from importlib import resources


def read_csv(name: str) -> list[dict[str, str]]:
    source = resources.files("mallard.papers") / "data" / name
    return list(csv.DictReader(source.read_text(encoding="utf-8").splitlines()))
