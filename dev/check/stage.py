"""The two kinds of stages: a CMake preset, and a folder of Python tests."""

from __future__ import annotations

import fcntl
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dev.check.command import SILENT, Workplace
from dev.check.counts import Counts, read_junit
from mallard.shared import compilers as tools

RANDOM_BITS = Path("/proc/sys/vm/mmap_rnd_bits")
# ThreadSanitizer of g++ 12 cannot place its shadow if more bits than these are random.
TSAN_RANDOM_BITS = 28


@dataclass(frozen=True)
class Stage:
    name: str
    text: str
    tools: tuple[str, ...] = ()
    """The tools that the front door installs for the stage, by the front door's names."""
    dist: str = "loadfile"
    """The distribution mode of pytest-xdist: "loadfile" by file, "load" by test, "worksteal" by test
    where some take much longer."""
    full: bool = False
    in_other_systems: bool = False
    """In bare Debians and under emulators, which wait for downloads."""
    selection: tuple[str, ...] = ()
    """Arguments for pytest instead of the folder with the stage's name."""

    def run(self, workplace: Workplace) -> Counts:
        raise NotImplementedError


class PythonStage(Stage):
    def run(self, workplace: Workplace) -> Counts:
        return run_pytest(workplace, self.name, self.selection or [f"tests/{self.name}"], self.dist)


class NativeStage(Stage):
    def run(self, workplace: Workplace) -> Counts:
        return build_and_test(workplace, self.name)


def run_pytest(
    workplace: Workplace, name: str, words: Sequence[str], dist: str, part: tuple[float, float] = (0.0, 1.0)
) -> Counts:
    report = workplace.root / "build/test-logs" / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *words, f"--junitxml={report}", "-o", "cache_dir=build/pytest"]
    command += ["--numprocesses", str(workplace.jobs), "--dist", dist]
    status = workplace.run(command, environment={"MALLARD_ROOT": str(workplace.root)}, part=part)
    return check_status(workplace, status, read_junit(report) if report.is_file() else Counts(), "pytest")


def check_status(workplace: Workplace, status: int, counts: Counts, program: str) -> Counts:
    """The counts, with a failure for an error that they do not show."""
    output = workplace.log.read_text(encoding="utf-8", errors="replace")
    if status == SILENT:
        counts.fail("a test was silent for too long", output)
    elif status != 0 and counts.failed == 0:
        counts.fail(f"{program} ended with exit status {status}", output)
    elif counts == Counts():
        counts.fail("no tests found", output)
    return counts


def build_and_test(
    workplace: Workplace,
    preset: str,
    targets: Sequence[str] = (),
    tests: str = ".",
    environment: Mapping[str, str] | None = None,
) -> Counts:
    """Builds a preset, or some of its targets, and runs the tests whose names match a regular expression."""
    counts, directory = Counts(), workplace.root / "build" / preset
    jobs = str(workplace.jobs)
    # A test of a Python stage may build some of the targets.
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not configure(workplace, preset, counts):
            return counts
        if workplace.until == "configure":
            return Counts(passed=1)
        prefix = fixed_addresses() if preset == "tsan" else []
        if prefix is None:
            counts.skip(f"{preset} skipped: sysctl vm.mmap_rnd_bits={TSAN_RANDOM_BITS}")
            return counts
        build = [*prefix, "cmake", "--build", str(directory), "--parallel", jobs]
        build += ["--target", *targets] if targets else []
        if (status := workplace.run(build, part=(0.0, 0.8))) != 0:
            return check_status(workplace, status, counts, "the build")
    if workplace.until == "build":
        return Counts(passed=1)
    report, programs = directory / "ctest.xml", directory / "test-results"
    report.unlink(missing_ok=True)
    shutil.rmtree(programs, ignore_errors=True)
    programs.mkdir()  # only GoogleTest makes the folder of its file
    test = [*prefix, "ctest", "--preset", preset, "--parallel", jobs, "-R", tests]
    test += ["--output-junit", str(report)]
    status = workplace.run(test, environment=environment, part=(0.8, 1.0))
    results = read_junit(report, programs) if report.is_file() else Counts()
    counts.add(check_status(workplace, status, results, "ctest"))
    return counts


def configure(workplace: Workplace, preset: str, counts: Counts) -> bool:
    """Configures the preset. Two compilers find more defects than one, and clang++ needs two thirds of the
    time: the longest stages use it if it is installed."""
    compiler = tools.compiler_for(preset)
    if compiler is None:
        packages = "clang-19 libc++-19-dev libc++abi-19-dev" if preset == "libcxx" else "g++"
        counts.skip(f"{preset} skipped: {tools.install(packages)}")
        return False
    directory = workplace.root / "build" / preset
    cache = directory / "CMakeCache.txt"
    if cache.is_file() and f"={compiler}\n" not in cache.read_text(encoding="utf-8"):
        shutil.rmtree(directory)  # configured for another compiler
    status = workplace.run(["cmake", "--preset", preset, f"-DCMAKE_CXX_COMPILER={compiler}"], part=(0.0, 0.0))
    if status != 0:
        check_status(workplace, status, counts, "cmake")
    return status == 0


def fixed_addresses() -> list[str] | None:
    """The command prefix under which ThreadSanitizer works on this machine; None if it cannot work."""
    try:
        if int(RANDOM_BITS.read_text(encoding="utf-8")) <= TSAN_RANDOM_BITS:
            return []
    except FileNotFoundError:
        return []
    except PermissionError:  # only root may read it: the prefix never harms
        pass
    prefix = ["setarch", platform.machine(), "--addr-no-randomize"]
    if shutil.which("setarch") is None:
        return None
    works = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    return prefix if works else None
