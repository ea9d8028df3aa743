"""The stored export for DHAT's viewer agrees with the viewer's format."""

from __future__ import annotations

import json

from source_tree import ROOT

EXAMPLE = ROOT / "advisor/tests/profiler/export/example.dhat"


def test_the_example_for_dhat_has_the_fields_of_its_version() -> None:
    example = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    assert example["dhatFileVersion"] == 2
    assert (example["bklt"], example["bkacc"]) == (True, False)
    frames = [tuple(point["fs"]) for point in example["pps"]]
    assert len(set(frames)) == len(frames)
    assert all(0 < number < len(example["ftbl"]) for stack in frames for number in stack)
