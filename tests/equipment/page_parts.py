"""Test equipment: the parts of `mallard show page`, before they are a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from report_lines import section_text

from mallard.cli import main
from mallard.shared.report.model import Report
from mallard.shared.report.page import Part


def parts_of(database: Path, *options: str) -> tuple[Report, dict[str, Part]]:
    """What the command passes to the writer of pages."""
    written: list[tuple[Report, dict[str, Part]]] = []

    def keep(header: Report, parts: Sequence[Part], texts: Mapping[str, str]) -> str:
        written.append((header, {part.anchor: part for part in parts}))
        return ""

    output = database.with_name("page.html")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mallard.bench.view.page.parts_page", keep)
        assert main(["show", "page", "-o", str(output), "--db", str(database), *options]) == 0
    return written[0]


def part_text(part: Part) -> str:
    """The command, or all words, in one line."""
    return " ".join(
        filter(None, (part.command, part.introduction, *map(section_text, part.sections), *part.notes))
    )
