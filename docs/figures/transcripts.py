"""README's excerpt of a transcript, whose command docs/transcript.py runs again on the page that has it."""

from __future__ import annotations

import re
from pathlib import Path

from figures import block

PAGE = Path(__file__).resolve().parents[1] / "advisor/tutorial.md"
OF_MALLOCS = " instead of "


@block("advice")
def advice() -> str:
    """The command, its answer, and what the mallocs save that a user could preload instead: the first two of
    these points, which save most, with all of their lines.
    """
    found = re.search(
        r"(?m)^    (\$ \./mallard advise .*)\n\n((?:    .*\n)+)", PAGE.read_text(encoding="utf-8")
    )
    assert found, f"{PAGE} has no answer of mallard advise"
    lines = [line.removeprefix("    ") for line in found[2].splitlines()]
    points: list[list[str]] = [[]]  # the answer first
    for line in lines:
        if line.startswith("  ") and not line.startswith("   "):
            points.append([])
        points[-1].append(line)
    answer, *rest = points
    of_mallocs = [point for point in rest if OF_MALLOCS in " ".join(point)]
    shown = [line for point in of_mallocs[:2] for line in point]
    cut = ["  ..."] if len(shown) < len(lines) - len(answer) else []
    return "\n".join(["```", found[1], *answer, *shown, *cut, "```"])
