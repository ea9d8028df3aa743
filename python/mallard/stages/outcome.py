"""What a stage of the tests found: counts, and lines that a reader must see."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree


@dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes

    def fail(self, why: str) -> None:
        self.failed += 1
        self.notes.append(why)

    def skip(self, what: str, remedy: str) -> None:
        self.skipped += 1
        self.notes.append(f"{what} skipped: {remedy}")


def read_junit(path: Path) -> Outcome:
    """The counts of a JUnit file, as ctest and pytest write them.

    ctest marks a test that it could not start (no executable) as skipped too; that is a failure here."""
    outcome = Outcome()
    for case in ElementTree.parse(path).iter("testcase"):
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        elif skipped is None:
            outcome.passed += 1
        elif "Unable to find executable" in (skipped.get("message") or ""):
            outcome.fail(f"{case.get('name')}: its program is not there")
        else:
            outcome.skipped += 1
    return outcome
