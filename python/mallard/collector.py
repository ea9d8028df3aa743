"""The native program `mallard-record`: its place."""

from __future__ import annotations

from pathlib import Path

from mallard.native_file import find_native_program


def find_collector() -> Path:
    return find_native_program("mallard-record", "MALLARD_COLLECTOR", "recorder", "record")
