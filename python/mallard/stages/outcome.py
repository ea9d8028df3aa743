"""The outcome of a stage of the tests: counts, and lines for the reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

LINES_OF_A_FAILURE = 40
"""The last ones: a test's own message, and the end of a program's output."""


@dataclass(frozen=True)
class Failure:
    """A test that failed, and its last words."""

    name: str
    lines: tuple[str, ...]


@dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    """Those of the failed tests that a report names; `failed` counts all."""

    def add(self, other: Outcome) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes
        self.failures += other.failures

    def fail(self, why: str) -> None:
        self.failed += 1
        self.notes.append(why)

    def skip(self, what: str, remedy: str) -> None:
        self.skipped += 1
        self.notes.append(f"{what} skipped: {remedy}")


def read_junit(path: Path, accounts: Path | None = None) -> Outcome:
    """The counts of a JUnit file, as ctest and pytest write it.

    A test of ctest that is a program of tests leaves an account in `accounts`, named after it. Its tests
    are counted; if it ended before it wrote them, it counts as one. ctest marks a test without an
    executable as skipped. That is a failure here."""
    outcome = Outcome()
    for case in ElementTree.parse(path).iter("testcase"):
        account = accounts / f"{case.get('name')}.xml" if accounts else None
        whole = count(case)
        if account is not None and account.is_file():
            parts = read_junit(account)
            if whole.failed and not parts.failed:
                parts.fail(f"{case.get('name')}: its tests passed, its program failed")
                parts.failures += whole.failures
            outcome.add(parts)
        else:
            outcome.add(whole)
    return outcome


FAILED = ("failure", "error")


def count(case: ElementTree.Element) -> Outcome:
    outcome = Outcome()
    skipped = case.find("skipped")
    if any(case.find(word) is not None for word in FAILED):
        outcome.failed = 1
        outcome.failures.append(failure_of(case))
    elif case.get("result") == "suppressed":  # GoogleTest's word for a disabled test
        outcome.skipped = 1
    elif skipped is None:
        outcome.passed = 1
    elif "Unable to find executable" in (skipped.get("message") or ""):
        outcome.fail(f"{case.get('name')}: its program is not there")
    else:
        outcome.skipped = 1
    return outcome


def failure_of(case: ElementTree.Element) -> Failure:
    """GoogleTest and pytest write the reason into the failure, ctest the output of the program beside it."""
    texts = [
        text
        for word in (*FAILED, "system-out")
        for found in case.findall(word)
        for text in (found.text or found.get("message") or "",)
        if text.strip()
    ]
    name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
    lines = (texts[0] if texts else "").strip().splitlines()
    return Failure(name, tuple(lines[-LINES_OF_A_FAILURE:]))
