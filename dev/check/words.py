"""`mallard test WORD`: builds and runs the tests that mention a word."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dev.check.command import Workplace
from dev.check.counts import Counts
from dev.check.stage import Stage, build_and_test, configure, run_pytest

FOLDERS = ("tests", "history/tests", "bench/tests", "advisor/tests")
WITHOUT_WORDS = ("tutorial", "wheel")
"""Folders of Python tests that a word does not choose."""
PRESETS = {"bench": "runner", "advisor": "recording"}
"""By the first folder of the native tests; asan builds the others."""
TEST = re.compile(r"^\s*(?:(?:TYPED_)?TEST(?:_\w+)?\(\s*(\w+)|def test_)[^)\n]*", re.MULTILINE)


@dataclass(frozen=True)
class Mention:
    """A test file; `entire_file` unless only the tests with the word in their names match."""

    file: Path
    suites: frozenset[str]
    entire_file: bool


def mentions(root: Path, word: str) -> list[Mention]:
    """The test files with the word in their paths or in the names of their tests. Without any, the files
    with the word in their text."""
    named, others = [], []
    for file in sorted(file for folder in FOLDERS for file in root.glob(f"{folder}/**/*.[cp][py]*")):
        path = file.relative_to(root)
        is_test = file.suffix == ".cpp" or (file.suffix == ".py" and file.name.startswith("test_"))
        if not is_test or (file.suffix == ".py" and path.parts[1] in WITHOUT_WORDS):
            continue
        text = file.read_text(encoding="utf-8")
        tests = list(TEST.finditer(text))
        suites = frozenset(test[1] for test in tests if test[1])
        in_path = word in str(path)
        if tests and (in_path or any(word in test[0] for test in tests)):
            named.append(Mention(path, suites, in_path))
        elif tests and re.search(rf"\b{re.escape(word)}\b", text):
            others.append(Mention(path, suites, True))
    return named or others


class WordStage(Stage):
    def run(self, workplace: Workplace) -> Counts:
        counts = Counts()
        matches = mentions(workplace.root, self.name)
        native: dict[str, list[Mention]] = {}
        for mention in matches:
            if mention.file.suffix == ".cpp":
                native.setdefault(PRESETS.get(mention.file.parts[0], "asan"), []).append(mention)
        for preset, part in native.items():
            counts.add(self.run_native(workplace, preset, part))
        python = [mention for mention in matches if mention.file.suffix == ".py"]
        if python:
            words = [str(mention.file) for mention in python]
            words += [] if all(mention.entire_file for mention in python) else ["-k", self.name]
            counts.add(run_pytest(workplace, self.name, words, "load"))
        return counts

    def run_native(self, workplace: Workplace, preset: str, mentions: list[Mention]) -> Counts:
        """Selects the test programs by their labels, which list the sources."""
        counts = Counts()
        if not configure(workplace, preset, counts):
            return counts
        listing = ["ctest", "--test-dir", f"build/{preset}", "--show-only=json-v1"]
        output = subprocess.run(
            listing, cwd=workplace.root, capture_output=True, text=True, check=True
        ).stdout
        programs = {
            test["name"].partition(".")[0]
            for test in json.loads(output)["tests"]
            for entry in test["properties"]
            if entry["name"] == "LABELS" and {str(mention.file) for mention in mentions} & {*entry["value"]}
        }
        if not programs:
            return counts
        suites = {suite for mention in mentions if mention.entire_file for suite in mention.suites}
        filters = [pattern for suite in sorted(suites) for pattern in (f"{suite}[./]*", f"*/{suite}[./]*")]
        names = "|".join(sorted(programs))
        environment = {"GTEST_FILTER": ":".join([f"*{self.name}*", *filters])}
        return build_and_test(workplace, preset, sorted(programs), rf"^({names})(\.|$)", environment)
