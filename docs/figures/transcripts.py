"""README's excerpt of a transcript, whose command docs/transcript.py runs again on the page that has it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "advisor/tutorial.md"
MOST_LINES = 7


def blocks() -> dict[str, Callable[[], str]]:
    return {"advice": advice}


def advice() -> str:
    """The command and the beginning of its answer, cut behind a whole point of it."""
    found = re.search(
        r"(?m)^    (\$ \./mallard advise .*)\n\n((?:    .*\n)+)", PAGE.read_text(encoding="utf-8")
    )
    assert found, f"{PAGE} has no answer of mallard advise"
    lines = [line.removeprefix("    ") for line in found[2].splitlines()]
    points = [line for line, text in enumerate(lines) if text.startswith("  ") and not text.startswith("   ")]
    end = max(line for line in [*points, len(lines)] if line < MOST_LINES + 1)
    return "\n".join(["```", found[1], *lines[:end], "...", "```"])
