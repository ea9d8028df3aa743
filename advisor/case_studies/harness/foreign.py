"""Programs that nobody here wrote: advice on one input, and its fact on another one.

    foreign/programs.json -> Program -> results/foreign/advice -> results/foreign/facts, results/foreign/nulls

A program has: package, Debian's packages of it and of its inputs; advice, the command that the advisor sees;
fact, the command that decides; times, how often the last word of each command is given; patch, if
foreign/NAME/allocator.patch gives it an allocator: Debian's source package, and the scopes of advice that the
change follows. In a command {gunzip:FILE} is an unpacked file of Debian, {INPUTS} the folder of these, and
of what a program writes.

A local allocator for an unchanged binary has a fact only where the program's source was changed
(foreign/NAME has the patch).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness import advising, facts, inputs, patches
from harness.catalogue import OF_MALLARD, UNCHANGED, UNDER
from harness.places import BUILD, RESULTS, STUDIES, Json, commit, sha256, trial_code, without_paths
from mallard.advisor.advice.global_mallocs import (
    HUGE_PAGES,
    KEEP_MEMORY,
    LARGE_CACHES,
    ONE_ARENA,
    run_globals,
)
from mallard.advisor.trial.campaign import LEAST_EFFECT
from mallard.advisor.trial.program import Program as Trial
from mallard.shared import machine, mallocs
from mallard.shared.native_file import TRIAL_LIBRARY

DATA = STUDIES / "foreign" / "programs.json"
FOREIGN = RESULTS / "foreign"
ADVICE, FACTS, NULLS = FOREIGN / "advice", FOREIGN / "facts", FOREIGN / "nulls"
CELL = "fact"  # the cell of each document: the second input
BUILD_BY_STRATEGY = {strategy: build for build, strategy in OF_MALLARD.items()}
SWITCHES = (KEEP_MEMORY, LARGE_CACHES, ONE_ARENA, HUGE_PAGES)  # that the advisor tries, if it has a reason
IDENTICAL = "identical"  # the C library's malloc, preloaded over itself
INPUT = re.compile(r"\{(gunzip:[^}]+)\}")


@dataclass(frozen=True)
class Program:
    name: str
    package: str
    advice: tuple[str, ...]  # the command on the first input
    fact: tuple[str, ...]  # the command on the second input
    patch: patches.Patch | None = None


def load() -> dict[str, Program]:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    return {name: _program(name, entry) for name, entry in data.items()}


def _program(name: str, entry: Json) -> Program:
    advice, fact = (
        (*entry[side], *entry[side][-1:] * (times - 1))
        for side, times in zip(("advice", "fact"), entry.get("times", (1, 1)), strict=True)
    )
    patch = entry.get("patch")
    return Program(
        name,
        entry["package"],
        advice,
        fact,
        patches.Patch(name, entry["package"].split()[0], patch["source"], tuple(patch["scopes"]))
        if patch
        else None,
    )


def missing(program: Program) -> str:
    """The packages to install, or ''."""
    files = [word for word in (*program.advice, *program.fact) if word.startswith("/usr/")]
    present = shutil.which(program.advice[0]) and all(map(os.path.exists, files))
    return "" if present else program.package


def words(command: Sequence[str]) -> list[str]:
    """The command with its inputs, which are written if they are not there."""
    folder = BUILD / "inputs"
    folder.mkdir(parents=True, exist_ok=True)

    def expand(word: str) -> str:
        word = INPUT.sub(lambda match: str(inputs.write(match[1], folder)), word)
        return word.replace("{INPUTS}", str(folder))

    return [expand(word) for word in command]


@cache
def versions() -> dict[str, str]:
    """Of the installed packages."""
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${binary:Package} ${Version}\\n"],
        capture_output=True,
        text=True,
        check=True,
    )
    pairs = (line.split(" ", 1) for line in listed.stdout.splitlines())
    return {name.partition(":")[0]: version for name, version in pairs}


def hashes(program: Program) -> Json:
    """Of the program, its commands and their inputs. Advice holds for these, and for no others."""
    return {
        "program_sha256": sha256(program.advice[0]),
        "package": {name: versions().get(name, "") for name in program.package.split()},
        "commands": [list(program.advice), list(program.fact)],
        "inputs_sha256": {
            word: sha256(file)
            for word in sorted({*program.advice[1:], *program.fact[1:]})
            if word.startswith(("{gunzip", "/")) and Path(file := words([word])[0]).is_file()
        },
    }


def definition_sha256(program: Program) -> str:
    """Of all that decides what follows the advice. A later change of it makes the facts void."""
    patch = [program.patch.scopes, sha256(program.patch.file)] if program.patch else []
    definition = json.dumps([program.package, program.advice, program.fact, patch])
    return hashlib.sha256(definition.encode()).hexdigest()


def advise(program: Program, preloaded: Sequence[str], rounds: int | None, *, quick: bool) -> Json:
    """The advice on the first input."""
    options = [*advising.command(rounds), *(["--quick"] if quick else []), "--global"]
    named = [name for name in preloaded if name not in mallocs.NAMES]
    files = {name: file for name in named if (file := mallocs.find_library(name))}
    installed = [f"{name}={files[name]}" if name in files else name for name in preloaded]
    begin = time.monotonic()
    document = json.loads(
        advising.ask(
            [*options, ",".join([mallocs.OWN, *installed]), "--", *words(program.advice)], findings=True
        )
    )
    return {
        "command": shlex.join(
            ["mallard", *options, ",".join([mallocs.OWN, *preloaded]), "--", *program.advice]
        ),
        "commit": commit(),
        "trial_code": trial_code(),
        "machine": _machine(),
        "minutes": round((time.monotonic() - begin) / 60, 2),
        **hashes(program),
        **without_paths(advising.summary(document), files),
    }


def find_build(program: Program, advice: Json, strategy: str) -> str:
    """The build of a patch that follows advice on this strategy in the advised scope, or ''."""
    followed = strategy and program.patch and program.patch.follows(advice["scope"])
    return BUILD_BY_STRATEGY[strategy] if followed else ""


def second_arm(program: Program, advice: Json) -> str:
    """The arm that follows both halves of the advice, a malloc and then a local allocator under it, or ''."""
    build = find_build(program, advice, advising.second_half(advice))
    return build + UNDER + advising.advised(advice)[1] if build else ""


def measure(program: Program, preloaded: Sequence[str], second: str, rounds: int) -> Json:
    """The program on the second input: as it is, under each malloc and each switch, with an allocator of each
    patch, and as second_arm()."""
    command = words(program.fact)
    arms: dict[str, facts.Arm] = {UNCHANGED: (command, "")}
    arms |= {UNCHANGED + UNDER + malloc: (command, malloc) for malloc in (*preloaded, *SWITCHES)}
    if program.patch:
        for arm in (*patches.BUILDS, *filter(None, [second])):
            build, _, malloc = arm.partition(UNDER)
            arms[arm] = ([str(patches.binary(program.patch, build)), *command[1:]], malloc)
    return {
        "machine": _machine(),
        "definition_sha256": definition_sha256(program),
        "source_version": patches.source_version(program.patch) if program.patch else None,
        "mallocs_sha256": {
            name: sha256(file) for name in preloaded if (file := mallocs.require_library(name))
        },
        **facts.measure_arms(arms, rounds, lambda _done, _total: None),
    }


def measure_null(program: Program, runs: int, rounds: int) -> Json:
    """How often the advisor would preload a malloc that is the program's own."""
    identical = mallocs.register_file(f"{IDENTICAL}={_c_library()}")
    trial = Trial(words(program.fact), TRIAL_LIBRARY.find())
    effects = []
    for seed in range(runs):
        compared = run_globals(trial, (mallocs.OWN, identical), rounds, seed, lambda _done, _total: None)
        best = compared.best
        time = compared.effects[0].time
        effects.append(
            {
                "median": time.median,
                "low": time.low,
                "high": time.high,
                "seconds": compared.seconds,
                "advised": bool(best and -best.time.median >= LEAST_EFFECT * compared.seconds),
            }
        )
    return {"commit": commit(), "machine": _machine(), "rounds": rounds, "runs": effects}


def _machine() -> Json:
    return {name: fact for name, fact in machine.facts().items() if name in machine.STABLE_FACTS}


def _c_library() -> str:
    """The file of the C library, which every dynamically linked program loads anyway."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return next(line.split()[-1] for line in maps.splitlines() if re.search(r"/libc[.-][^/]*$", line))
