"""Compiles the programs of one mutant and runs them until the first one fails."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dev.mutation.mutants import Mutant
from dev.mutation.programs import ROOT, Program, compiled_sources, find_programs, sources_to_recompile

GOOGLETEST = Path(os.environ.get("MALLARD_GOOGLETEST", "/usr/src/googletest")) / "googletest"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FLAGS = ("-std=c++20", "-O0", "-w", "-D_GLIBCXX_ASSERTIONS", "-DMALLARD_THOROUGH=0", *SANITIZERS)
# A hang is one of the processor, or of threads that wait for each other. No test comes near these bounds,
# even where other processes leave a tenth of the processor.
CPU_SECONDS = 60
WALL_SECONDS = 900
MEMORY_MB = 3000
PARTS = (
    *("tests/equipment/ledger.cpp", "tests/model/player.cpp", "tests/model/shadow.cpp"),
    "tests/model/turn.cpp",
)


@dataclass(frozen=True)
class Verdict:
    """`outcome`: not compiled, killed, hung, survived; not reached if no program includes the file; inactive
    if an #if leaves the line out; gone if the line has changed.
    """

    outcome: str
    by: str = ""


class UnsoundProgramError(Exception):
    """A test fails in the tree as it is."""


class Workshop:
    """Compiled once for all mutants: the library, the equipment, GoogleTest, the standard headers."""

    def __init__(self, directory: Path, compiler: str = "g++") -> None:
        self.directory = directory.resolve()  # a program starts in another one
        self.compiler = compiler
        self.linker = ("-fuse-ld=mold",) if shutil.which("mold") else ()
        self.once = self.directory / "once"
        self.sound: dict[str, bool] = {}
        self.lock = threading.Lock()

    def prepare(self, jobs: int) -> None:
        self.once.mkdir(parents=True, exist_ok=True)
        header = self.once / "standard.hpp"
        header.write_text((ROOT / "dev/mutation/standard.hpp").read_text(encoding="utf-8"))
        self.compile(header, self.once / "standard.hpp.gch", "-x", "c++-header", precompiled=False)
        googletest = (GOOGLETEST / "src" / name for name in ("gtest-all.cc", "gtest_main.cc"))
        sources = [*compiled_sources(), *(ROOT / part for part in PARTS), *googletest]

        def compile_once(source: Path) -> None:
            self.compile(source, self.once / f"{source.name}.o", f"-I{GOOGLETEST}")

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compile_once, sources))

    def compile(
        self, source: Path, output: Path, *options: str, precompiled: bool = True, overlay: Path | None = None
    ) -> None:
        overlay_folders = (f"-I{overlay}/include", f"-I{overlay}/src/mallard") if overlay else ()
        folders = (f"-I{ROOT}/{name}" for name in ("include", "src", "src/mallard", "tests"))
        command = [self.compiler, *FLAGS, *overlay_folders, *folders, "-isystem", str(GOOGLETEST / "include")]
        if precompiled:
            command += ["-include", str(self.once / "standard.hpp")]
        command += [*options, "-MMD", "-MF", f"{output}.d", "-c", str(source), "-o", str(output)]
        subprocess.run(command, check=True, capture_output=True)

    def judge(self, mutant: Mutant, source: str, place: Path) -> Verdict:
        """Whether a program of the file fails with the mutant; `place` is a directory for this call alone."""
        programs = find_programs(ROOT / mutant.file)
        try:
            self.overlay(mutant.file, mutant.applied(source), place)
            verdict = self._run_programs(mutant.file, programs, place)
            if verdict.outcome == "survived" and not self.is_active(mutant, source, programs, place):
                return Verdict("inactive")
            return verdict
        except subprocess.CalledProcessError:
            self.overlay(mutant.file, source, place)
            self.expect_compiles(mutant.file, programs, place)
            return Verdict("not compiled")
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def overlay(self, file: str, text: str, place: Path) -> None:
        """Sources include private headers by relative paths, so all of src/ is copied with the file."""
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(ROOT / "src", place / "src")
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(text, encoding="utf-8")

    def _compile_library(self, file: Path, place: Path) -> dict[Path, Path]:
        library = {source: place / f"{source.name}.o" for source in sources_to_recompile(file)}
        for source, output in library.items():
            self.compile(place / source.relative_to(ROOT), output, overlay=place)
        return library

    def _run_programs(self, name: str, programs: Sequence[Program], place: Path) -> Verdict:
        file = ROOT / name
        library = self._compile_library(file, place)
        reached = file.is_relative_to(ROOT / "src")
        for program in programs:
            output = place / "program.o"
            self.compile(program.source, output, *program.options, overlay=place)
            reached = reached or str(place / name) in Path(f"{output}.d").read_text(encoding="utf-8")
            self.link(program, output, library, place / "program")
            failed = self.run(place / "program")
            if failed:
                self.expect_sound(program)
                return Verdict(failed, program.name)
        return Verdict("survived" if reached else "not reached")

    def is_active(self, mutant: Mutant, source: str, programs: Sequence[Program], place: Path) -> bool:
        """False if an #if leaves the line out of every program, so that no test of this build sees it."""
        line = source.rfind("\n", 0, mutant.begin) + 1
        self.overlay(mutant.file, f"{source[:line]}#error\n{source[line:]}", place)
        library = [place / part.relative_to(ROOT) for part in sources_to_recompile(ROOT / mutant.file)]
        for part, options in [(part, ()) for part in library] + [(p.source, p.options) for p in programs]:
            try:
                self.compile(part, place / "probe.o", *options, "-E", overlay=place)
            except subprocess.CalledProcessError:
                return True
        return False

    def expect_compiles(self, name: str, programs: Sequence[Program], place: Path) -> None:
        """Raises if the file as it is does not compile either: then the tool or the tree is at fault."""
        with self.lock:
            try:
                library = self._compile_library(ROOT / name, place)
                for program in programs:
                    self.compile(program.source, place / "program.o", *program.options, overlay=place)
                    self.link(program, place / "program.o", library, place / "program")
            except subprocess.CalledProcessError as error:
                message = error.stderr.decode(errors="replace")[:4000]
                raise UnsoundProgramError(f"{name} does not compile without a mutant:\n{message}") from error

    def expect_sound(self, program: Program) -> None:
        """Raises if the program fails without any mutant, too: it can judge none then."""
        with self.lock:
            if program.name not in self.sound:
                output = self.once / "sound.o"
                self.compile(program.source, output, *program.options)
                self.link(program, output, {}, self.once / "sound")
                self.sound[program.name] = not self.run(self.once / "sound")
            if not self.sound[program.name]:
                raise UnsoundProgramError(f"{program.name} fails without any mutant: mend that first")

    def link(self, program: Program, output: Path, library: dict[Path, Path], to: Path) -> None:
        # The mutated functions first: of several that are inline, the linker takes the first.
        objects = [output, *library.values()]
        objects += [self.once / f"{source.name}.o" for source in compiled_sources() if source not in library]
        objects += [self.once / f"{Path(part).name}.o" for part in PARTS]
        if program.is_unit_test:
            objects += [self.once / "gtest-all.cc.o", self.once / "gtest_main.cc.o"]
        command = [
            self.compiler,
            *SANITIZERS,
            *self.linker,
            *map(str, objects),
            "-lpthread",
            "-ldl",
            "-o",
            str(to),
        ]
        subprocess.run(command, check=True, capture_output=True)

    def run(self, program: Path) -> str:
        """The kind of its failure, or nothing."""
        options = f"allocator_may_return_null=1:hard_rss_limit_mb={MEMORY_MB}:detect_leaks=0"
        process = subprocess.Popen(
            [str(program)],
            cwd=program.parent,
            env={**os.environ, "ASAN_OPTIONS": options},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            status = process.wait(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            return "hung"
        finally:
            end_group(process)
        if status == -signal.SIGXCPU:
            return "hung"
        return "killed" if status else ""


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_group(process: subprocess.Popen[bytes]) -> None:
    """With the children that it left behind, such as those of death tests."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
