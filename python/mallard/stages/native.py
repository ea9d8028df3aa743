"""Stages that configure a CMake preset, build it and run ctest."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mallard.stages import tools
from mallard.stages.command import SILENT, Workplace
from mallard.stages.outcome import Outcome, read_junit

# ThreadSanitizer of g++ 12 cannot place its shadow if more bits than these are random.
TSAN_RANDOM_BITS = 28
# Eleven days, in seconds: CTest's default ends a test after 1,500 s.
NO_TIMEOUT = "1000000"
# Files of tests in one call of the compiler. With more, the last calls would run alone.
TOGETHER = 10


@dataclass(frozen=True)
class NativeStage:
    name: str
    text: str
    cost: float
    full: bool = False
    definitions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("unit", "contract", "containers", "process", "misuse", "fuzz", "soak")
    """The folders of native tests in this stage (tests/CMakeLists.txt)."""
    about: str = ""
    """Only files whose text matches this regular expression of CMake's are taken."""
    tests: str = "*"
    """Only GoogleTest's tests that pass this filter are taken."""
    tools: tuple[str, ...] = ("googletest", "boost", "mold")

    def run(self, workplace: Workplace) -> Outcome:
        outcome = Outcome()
        compiler = self.compiler(outcome)
        if compiler is None:
            packages = "clang-19 libc++-19-dev libc++abi-19-dev" if self.name == "libcxx" else "g++"
            outcome.skip(self.name, tools.install(packages))
            return outcome
        prefix = fixed_addresses() if self.name == "tsan" else []
        if prefix is None:
            outcome.skip(self.name, f"sysctl vm.mmap_rnd_bits={TSAN_RANDOM_BITS}")
            return outcome
        outcome.add(self.build_and_test(workplace, compiler, prefix))
        return outcome

    def compiler(self, outcome: Outcome) -> str | None:
        """The requested compiler. By default the longest stage takes clang++, which needs two thirds of the
        time. Two compilers find more than one: the other stages take g++."""
        if self.name == "libcxx":
            return tools.find_libcxx_compiler()
        if "clang" not in self.tools or os.environ.get("CXX"):
            return tools.compiler()
        clang = tools.find_asan_compiler()
        if clang is None:
            outcome.notes.append(f"slower than with clang++: {tools.install('clang-19 libclang-rt-19-dev')}")
        return clang or tools.compiler()

    def build_and_test(self, workplace: Workplace, compiler: str, prefix: list[str]) -> Outcome:
        outcome = Outcome()
        directory = workplace.build / self.name
        configure = [*configure_command(directory, self.name, compiler), *self.definitions]
        configure += [f"-DMALLARD_TEST_PARTS={';'.join(self.parts)}", f"-DMALLARD_TESTS_ABOUT={self.about}"]
        configure += [f"-DMALLARD_TESTS_TOGETHER={TOGETHER}"]
        if workplace.run(configure, environment={"CXX": compiler}, part=(0.0, 0.0)) != 0:
            outcome.fail("cmake could not configure it")
            return outcome
        jobs = str(workplace.jobs)
        build = [*prefix, "cmake", "--build", str(directory), "--parallel", jobs]
        if (status := workplace.run(build, part=(0.0, 0.8))) != 0:
            outcome.fail("it does not build" if status != SILENT else "the build was silent for too long")
            return outcome
        report, accounts = directory / "ctest.xml", directory / "test-results"
        report.unlink(missing_ok=True)
        shutil.rmtree(accounts, ignore_errors=True)
        # Verbose, so that a long test is not silent. Only silence ends a test.
        test = [*prefix, "ctest", "--test-dir", str(directory), "--verbose", "--no-tests=error"]
        test += ["--parallel", jobs, "--timeout", NO_TIMEOUT, "--output-junit", str(report)]
        status = workplace.run(test, environment={"GTEST_FILTER": self.tests}, part=(0.8, 1.0))
        if report.is_file():
            outcome = read_junit(report, accounts)
        if status == SILENT:
            outcome.fail("a test was silent for too long")
        elif status != 0 and outcome.failed == 0:
            outcome.fail(f"ctest ended with exit status {status}")
        if not outcome.passed and not outcome.failed:
            outcome.fail("no tests found")
        return outcome


def configure_command(directory: Path, preset: str, compiler: str) -> list[str]:
    """The command. A build directory of another compiler is made new."""
    cache = directory / "CMakeCache.txt"
    if cache.is_file():
        kept = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.MULTILINE)
        if kept is None or kept[1] != compiler:
            cache.unlink()
            shutil.rmtree(directory / "CMakeFiles", ignore_errors=True)
    return ["cmake", "--preset", preset, f"-DCMAKE_CXX_COMPILER={compiler}"]


def fixed_addresses() -> list[str] | None:
    """The prefix of commands with which ThreadSanitizer works here; None if there is none."""
    bits = Path("/proc/sys/vm/mmap_rnd_bits")
    if not bits.is_file() or int(bits.read_text(encoding="utf-8")) <= TSAN_RANDOM_BITS:
        return []
    prefix = ["setarch", platform.machine(), "--addr-no-randomize"]
    if shutil.which("setarch") is None:
        return None
    works = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    return prefix if works else None
