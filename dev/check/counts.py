"""Counts of passed, failed and skipped tests, read from JUnit files, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

FAILURE_LINES = 40
"""The last lines: the message of the test, and the end of the program's output."""


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    """The distinct reasons of skipped tests."""

    def add(self, counts: Counts) -> None:
        self.passed += counts.passed
        self.failed += counts.failed
        self.skipped += counts.skipped
        self.failures += counts.failures
        self.skips += [reason for reason in counts.skips if reason not in self.skips]

    def fail(self, reason: str, output: str = "") -> None:
        self.failed += 1
        last = output.strip().splitlines()[-FAILURE_LINES:]
        self.failures.append("\n".join([reason, *(f"| {line}" for line in last)]))

    def skip(self, reason: str) -> None:
        self.skipped += 1
        self.skips += [reason] if reason and reason not in self.skips else []


def read_junit(path: Path, programs: Path | None = None) -> Counts:
    """Reads a JUnit file of ctest, GoogleTest or pytest.

    A test program that ctest runs may leave a file in `programs`, which is counted instead. A
    program that ended before it wrote the file counts as one test. ctest marks a test without an executable
    as skipped; here it fails."""
    counts = Counts()
    for case in ElementTree.parse(path).iter("testcase"):
        name = case.get("name", "")
        own = programs / f"{name}.xml" if programs else None
        failure = next((element for element in case if element.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        reason = "" if skipped is None else skipped.get("message", "")
        output = "" if failure is None else failure.text or failure.get("message") or ""
        output = output.strip() or case.findtext("system-out", "")
        if own is not None and own.is_file():
            tests = read_junit(own)
            if failure is not None and not tests.failed:
                tests.fail(f"{name}: its tests passed, its program failed", output)
            counts.add(tests)
        elif failure is not None:
            counts.fail(".".join(filter(None, (case.get("classname"), name))), output)
        elif "Unable to find executable" in reason:
            counts.fail(f"{name}: its program does not exist")
        elif skipped is not None or case.get("result") == "suppressed":  # GoogleTest's term for disabled
            counts.skip(reason)
        else:
            counts.passed += 1
    return counts
