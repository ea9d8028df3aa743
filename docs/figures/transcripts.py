"""README's excerpt of a transcript, whose command docs/transcript.py runs again on the page that has it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from figures import block

MOST_LINES = 5  # of the table, which has the heading and the program as it is
PAGE = Path(__file__).resolve().parents[1] / "advisor/tutorial.md"


@block("advice")
def advice() -> str:
    """The command, its answer with what to type, and the best of what was tried."""
    found = re.search(
        r"(?m)^    (\$ \./mallard advise .*)\n\n((?:    .*\n)+)\n((?:    .*\n)+)",
        PAGE.read_text(encoding="utf-8"),
    )
    assert found, f"{PAGE} has no answer of mallard advise"
    answer, table = (textwrap.dedent(lines).splitlines() for lines in found.group(2, 3))
    more = ["..."] if len(table) > MOST_LINES else []
    return "\n".join(["```", found[1], *answer, "", *table[:MOST_LINES], *more, "```"])
