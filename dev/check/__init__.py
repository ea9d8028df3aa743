"""The stages of `mallard test`, in order: the library, the advisor and the Python front, each test once in
the configuration that finds most. --full adds the runner, packages, pages in a browser, and the other
configurations. A stage is a CMake preset or a folder of Python tests.

The Python stages run in parallel with the presets, and those in other systems in parallel with both.
`recording` comes first, because `record` runs its programs."""

from __future__ import annotations

from dev.check.command import Workplace
from dev.check.counts import Counts
from dev.check.stage import NativeStage, PythonStage, Stage
from dev.check.suites import SuitesStage
from dev.check.words import WordStage

__all__ = ["STAGES", "Counts", "NativeStage", "PythonStage", "Stage", "WordStage", "Workplace"]

LIBRARY = ("googletest", "boost", "mold")
ADVISOR = ("googletest", "mold", "advisor")

STAGES: tuple[Stage, ...] = (
    PythonStage(
        "lint",
        "ruff, mypy, clang-format, shellcheck",
        ("clang-format-19", "shellcheck"),
        "load",
        selection=("dev/lint/test_lint.py",),
    ),
    PythonStage("structure", "directions of #include and import, names and sizes of files"),
    PythonStage("python", "the Python front", ("git",)),
    NativeStage("recording", "the recorder, the traces that it leaves, and the advisor", ADVISOR),
    NativeStage(
        "asan",
        "the library's tests under AddressSanitizer and UndefinedBehaviorSanitizer",
        (*LIBRARY, "clang"),
    ),
    NativeStage("tsan", "those with threads under ThreadSanitizer", LIBRARY),
    PythonStage("front", "the front door ./mallard", dist="load"),
    PythonStage(
        "record",
        "programs that are recorded, from their start to the trace",
        ("git", *ADVISOR),
        "load",
        selection=("advisor/tests/record",),
    ),
    NativeStage(
        "runner", "the runner and its tests; programs that must not compile", (*LIBRARY, "clang"), full=True
    ),
    PythonStage(
        "tutorial",
        "the tutorial's commands, typed in a fresh clone",
        ("advisor", "git"),
        full=True,
    ),
    PythonStage(
        "fresh",
        "what a stranger types first, in bare Debians (MALLARD_FRESH=whole: all of it, in hours)",
        ("debootstrap", "git"),
        "load",
        full=True,
        in_other_systems=True,
    ),
    PythonStage(
        "consumer",
        "the installed library, found by CMake and by pkg-config",
        ("pkg-config",),
        "load",
        full=True,
    ),
    PythonStage(
        "debuggers",
        "the printers for allocators in gdb and lldb, on programs by g++ and clang++",
        ("gdb", "lldb", "clang"),
        full=True,
    ),
    PythonStage(
        "packages",
        "single header, FetchContent, Conan, vcpkg, Meson, Bazel and Debian's packages, each in use",
        ("debian", "clang", "git", *ADVISOR),
        "load",
        full=True,
    ),
    PythonStage(
        "site",
        "the documentation as a site: built, every link followed, pages opened in a browser",
        ("doxygen", "browser"),
        full=True,
    ),
    PythonStage("e2e", "the report in a real browser", ("browser",), "worksteal", full=True),
    NativeStage(
        "optimised",
        "the tests of allocators in a release build; every allocator in every adaptor and by every binding",
        (*LIBRARY, "c-libraries"),
        full=True,
    ),
    NativeStage("no-exceptions", "those that mention failure, without C++ exceptions", LIBRARY, full=True),
    NativeStage(
        "libcxx",
        "the tests of bindings and containers with clang++ and libc++",
        ("libcxx", "googletest", "mold"),
        full=True,
    ),
    SuitesStage(
        "suites",
        "test suites of other libraries, downloaded, over mallard's allocators",
        ("googletest", "boost", "mold"),
        full=True,
    ),
    PythonStage(
        "platforms",
        "other processors and systems under emulators, and systems without one",
        (
            *("aarch64", "riscv64", "qemu-user", "mingw", "wine", "wasm", "arm-none-eabi"),
            *("qemu-system-arm", "debootstrap", "proot", "googletest", "mold"),
        ),
        full=True,
        in_other_systems=True,
    ),
    PythonStage(
        "python-full",
        "the Python tests that are marked full: the other inputs, verbs and packages",
        ("git", *ADVISOR),
        full=True,
        selection=("tests", "advisor/tests/record", "-m", "full"),
    ),
    PythonStage(
        "wheel",
        "the Python package as pipx installs it, here and in a bare Debian, and on aarch64",
        ("static-libraries", "advisor", "debootstrap", "aarch64", "qemu-user", "proot"),
        full=True,
        in_other_systems=True,
    ),
    PythonStage(
        "tidy",
        "clang-tidy on the library and the advisor",
        ("clang-tidy-19", "boost", *ADVISOR),
        "load",
        full=True,
        selection=("dev/lint/test_tidy.py",),
    ),
)
