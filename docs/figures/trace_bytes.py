"""The bytes of traces and of plain columns, as advisor/tests/trace/tools/plain_columns.py stored them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from figures.stored import markdown_table

STORED = Path(__file__).resolve().parents[2] / "bench/results" / "trace_bytes.json"


def blocks() -> dict[str, Callable[[], str]]:
    return {"trace_bytes": trace_bytes}


def trace_bytes() -> str:
    heading = ("program", "events", "bytes an event", "plain columns", "times")
    rows = json.loads(STORED.read_text(encoding="utf-8"))
    return markdown_table(
        heading,
        (
            (
                row["program"],
                f"{row['events']:,}",
                f"{row['trace'] / row['events']:.2f}",
                f"{row['plain'] / row['events']:.2f}",
                f"{row['plain'] / row['trace']:.2f}",
            )
            for row in rows
        ),
    )
