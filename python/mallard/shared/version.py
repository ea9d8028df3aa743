"""The version of this program, read from project() in CMakeLists.txt."""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import metadata
from pathlib import Path

from mallard.shared.errors import UsageError


def source_root() -> Path:
    """The source tree: $MALLARD_ROOT, set by ./mallard, or the tree that contains this package."""
    stated = os.environ.get("MALLARD_ROOT")
    return Path(stated) if stated else Path(__file__).resolve().parents[3]


@cache
def version() -> str:
    build_file = source_root() / "CMakeLists.txt"
    if build_file.is_file():
        text = build_file.read_text(encoding="utf-8")
        match = re.search(r"^\s+VERSION (\d+\.\d+\.\d+)$", text, re.MULTILINE)
        if match:
            return match[1]
    try:
        return metadata.version("mallard")
    except metadata.PackageNotFoundError:
        raise UsageError(
            f"no version found: {build_file} has none and mallard is not installed; "
            "run the program by ./mallard of the source tree, or install it by `pip install .`"
        ) from None
