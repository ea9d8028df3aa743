"""Changes the library in one place at a time, and lists the changes that no test notices.

    build/venv/bin/python -m dev.mutation.run --count 60     60 mutants of include/ and src/, drawn at random
    ... --file include/mallard/impl/space/heap_block.hpp     mutants of one file
    ... --list --file src/mallard/upstream/pages.cpp         the mutants, without a verdict

A mutant is compiled in a copy of the tree, and meets the unit tests of its folder, then random operations on
all allocators, under AddressSanitizer and UndefinedBehaviorSanitizer.
accepted.json has the mutants that may survive, by the text of their lines, each with its reason.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dev.check.command import Workplace
from dev.check.stage import build_and_test
from dev.mutation.mutants import Mutant, find_mutants
from dev.package.tree import library_sources
from mallard.bench.library_code import fingerprint

ROOT = Path(__file__).resolve().parents[2]
ACCEPTED = Path(__file__).with_name("accepted.json")
PRESET = "asan"
SOAK = "soak/mallard_soak"
SOAK_OPTIONS = ("--operations", "200000", "--seed", "1")
RANDOM_OPERATIONS = "random operations"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutation testing of include/ and src/.")
    parser.add_argument("--count", type=positive, default=60, metavar="N", help="how many mutants (60)")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(1 << 32), help="of the draw"
    )
    parser.add_argument("--file", action="append", type=Path, help="only mutants of it; may be repeated")
    parser.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, metavar="N", help="of the build"
    )
    parser.add_argument("--store", type=Path, metavar="FILE", help="add the sums there, for docs/refresh.py")
    parser.add_argument("--list", action="store_true", help="only print which mutants would be drawn")
    return parser.parse_args()


def positive(word: str) -> int:
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{word} is not above 0")
    return value


def draw(files: Sequence[Path] | None, count: int, seed: int) -> list[Mutant]:
    """Each mutant of the files is as likely as any other."""
    headers = [file for folder in ("include", "src") for file in (ROOT / folder).rglob("*.hpp")]
    chosen = files or [*headers, *(ROOT / name for name in library_sources(ROOT))]
    mutants = [
        mutant
        for file in sorted(file.resolve().relative_to(ROOT) for file in chosen)
        for mutant in find_mutants(str(file), (ROOT / file).read_text(encoding="utf-8"))
    ]
    return sorted(
        random.Random(seed).sample(mutants, min(count, len(mutants))), key=lambda m: (m.file, m.begin)
    )


def is_accepted(mutant: Mutant) -> bool:
    entries = json.loads(ACCEPTED.read_text(encoding="utf-8"))
    lines = {(entry["file"], entry["line"], entry["mutated"]) for entry in entries if entry["reason"].strip()}
    return (mutant.file, mutant.line_before, mutant.line_after) in lines


def find_tests(file: str) -> str:
    """The program with the unit tests of the file's folder."""
    folder = Path(*Path(file).parent.parts[2:])
    return "_".join(("mallard", *folder.parts, "tests"))


class Judge:
    """A copy of the tree, in which programs are built and run with one change."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.tree = folder / "tree"
        shutil.rmtree(self.tree / "src", ignore_errors=True)
        names = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, names.splitlines()):
            target = self.tree / name
            if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, target)
        (self.tree / "build").mkdir(exist_ok=True)
        self.workplace = Workplace(self.tree, folder / "log.txt", jobs)
        self.programs = self.tree / "build" / PRESET / "tests"
        self.sound: dict[str, str] = {}

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """The outcome and the program that decided."""
        tests = find_tests(mutant.file)
        file, source = self.tree / mutant.file, (ROOT / mutant.file).read_text(encoding="utf-8")
        if tests not in self.sound:
            if self.fails(tests) or self.fails_in_soak():
                sys.exit(f"tests fail without any mutant; {self.workplace.log} has the output")
            self.sound[tests] = self.code(tests)
        file.write_text(mutant.applied(source), encoding="utf-8")
        try:
            if self.fails(tests, until="build"):
                return "not compiled", ""
            if self.fails(tests):
                return "killed", tests
            if self.fails_in_soak():
                return "killed", RANDOM_OPERATIONS
            return ("equivalent" if self.code(tests) == self.sound[tests] else "survived"), ""
        finally:
            file.write_text(source, encoding="utf-8")

    def fails(self, tests: str, until: str | None = None) -> bool:
        workplace = replace(self.workplace, until=until)
        return bool(build_and_test(workplace, PRESET, [tests], rf"^{tests}(\.|$)").failed)

    def fails_in_soak(self) -> bool:
        build = ["cmake", "--build", f"build/{PRESET}", "--parallel", str(self.workplace.jobs)]
        commands = ([*build, "--target", "mallard_soak"], [self.programs / SOAK, *SOAK_OPTIONS])
        return any(self.workplace.run([*map(str, command)]) for command in commands)

    def code(self, tests: str) -> str:
        """A hash of the programs: equal if a change reaches none."""
        programs = (self.programs / "unit" / tests, self.programs / SOAK)
        return hashlib.sha256(b"".join(program.read_bytes() for program in programs)).hexdigest()


def wilson_interval(hits: int, draws: int) -> tuple[float, float]:
    """The 95 % interval of a share, of which `hits` of `draws` is a sample (Wilson 1927)."""
    if draws == 0:
        return (0.0, 1.0)
    z = statistics.NormalDist().inv_cdf(0.975)
    centre = hits + z * z / 2
    half = z * math.sqrt(hits * (draws - hits) / draws + z * z / 4)
    return ((centre - half) / (draws + z * z), (centre + half) / (draws + z * z))


def sums(judged: Sequence[tuple[Mutant, str, str]]) -> dict[str, Any]:
    """The share is of the mutants that a test of this build could notice."""
    counts = Counter(outcome for _, outcome, _ in judged)
    seen = counts["killed"] + counts["survived"]
    return {
        "drawn": len(judged),
        "not_compiled": counts["not compiled"],
        "equivalent": counts["equivalent"],
        "judged": seen,
        "killed": counts["killed"],
        "killed_by_random_operations": sum(by == RANDOM_OPERATIONS for _, _, by in judged),
        "survived": counts["survived"],
        "accepted": sum(outcome == "survived" and is_accepted(mutant) for mutant, outcome, _ in judged),
        "killed_percent": round(100 * counts["killed"] / seen, 1) if seen else 0.0,
        "interval_percent": [round(100 * end, 1) for end in wilson_interval(counts["killed"], seen)],
    }


def judge_all(mutants: Sequence[Mutant], judge: Judge) -> Iterator[tuple[Mutant, str, str]]:
    for number, mutant in enumerate(mutants, start=1):
        start = time.monotonic()
        outcome, by = judge.judge(mutant)
        words = [outcome, *(["by", by] if by else []), *(["as accepted"] if is_accepted(mutant) else [])]
        seconds = time.monotonic() - start
        print(
            f"{number} of {len(mutants)}: {' '.join(words)} ({seconds:.0f} s): {mutant.description}",
            flush=True,
        )
        yield mutant, outcome, by


def main() -> int:
    options = arguments()
    mutants = draw(options.file, options.count, options.seed)
    if options.list:
        print(*(mutant.description for mutant in mutants), sep="\n")
        return 0
    print(f"{len(mutants)} mutants, seed {options.seed}", flush=True)
    figures = sums(list(judge_all(mutants, Judge(ROOT / "build" / "mutation", options.jobs))))
    commit = ["git", "describe", "--always", "--dirty=+dirty", "--abbrev=12", "--exclude=*"]
    output = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    figures |= {"seed": options.seed, "commit": output.strip(), "library": fingerprint()}
    if options.store:
        runs = json.loads(options.store.read_text(encoding="utf-8")) if options.store.exists() else []
        kept = [run for run in runs if run["seed"] != options.seed]
        text = json.dumps([*kept, figures], indent=1, sort_keys=True)
        options.store.write_text(f"{text}\n", encoding="utf-8")
    print(json.dumps(figures, sort_keys=True))
    return int(figures["survived"] > figures["accepted"])


if __name__ == "__main__":
    sys.exit(main())
