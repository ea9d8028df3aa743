"""Stages that run pytest over one folder of tests."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass

from mallard.stages import tools
from mallard.stages.command import SILENT, Workplace
from mallard.stages.outcome import Outcome, read_junit


@dataclass(frozen=True)
class PythonStage:
    name: str
    text: str
    cost: float
    full: bool = False
    any_of: tuple[str, ...] = ()
    package: str = ""
    tools: tuple[str, ...] = ()
    side_by_side: str = ""
    """The unit for a core: "load" is a single test, "loadfile" a file, whose tests share equipment."""

    def run(self, workplace: Workplace) -> Outcome:
        outcome = Outcome()
        if self.any_of and not any(map(shutil.which, self.any_of)):
            outcome.skip(self.name, f"{self.any_of[0]} not found: {tools.install(self.package)}")
            return outcome
        if importlib.util.find_spec("pytest") is None:
            outcome.skip(self.name, f"pytest not found: {tools.PYTHON_REMEDY}")
            return outcome
        report = workplace.build / "test-logs" / f"{self.name}.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", f"tests/{self.name}"]
        command += [f"--junitxml={report}", "-o", f"cache_dir={workplace.build / 'pytest'}"]
        if self.side_by_side:
            command += ["--numprocesses", str(workplace.jobs), "--dist", self.side_by_side]
        status = workplace.run(command, environment={"MALLARD_ROOT": str(workplace.root)})
        if report.is_file():
            outcome = read_junit(report)
        if status == SILENT:
            outcome.fail("a test was silent for too long")
        elif status != 0 and outcome.failed == 0:
            outcome.fail("no tests found" if status == 5 else f"pytest ended with exit status {status}")
        return outcome
