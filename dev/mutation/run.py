"""Changes the library in one place at a time, and lists the changes that no test notices.

    build/venv/bin/python -m dev.mutation.run --count 60     60 mutants of include/ and src/, drawn at random
    ... --file include/mallard/impl/space/heap_block.hpp     mutants of one file
    ... --list --file src/mallard/upstream/pages.cpp         the mutants, without a verdict
    ... --again --seed 1                                     the survivors, by the tests as they are now
    ... --check                                              whether accepted.json is still about the sources

A mutant meets a small program of random operations (random_program.cpp), the unit tests of its file and
those of the file's users, under AddressSanitizer and UndefinedBehaviorSanitizer. build/mutation/ has the
verdicts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from dev.mutation.accepted import read_accepted, stale
from dev.mutation.account import Judged, Kept, is_accepted, page, sums, survivors
from dev.mutation.mutants import Mutant, find_mutants
from dev.mutation.programs import ROOT, compiled_sources
from dev.mutation.verdict import FLAGS, UnsoundProgramError, Verdict, Workshop
from mallard.bench.library_code import fingerprint


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutation testing of include/ and src/.")
    parser.add_argument("--count", type=positive, default=300, metavar="N", help="how many mutants (300)")
    parser.add_argument("--seed", type=int, help="of the draw; drawn, and told, where it is not given")
    parser.add_argument(
        "--file", action="append", type=Path, metavar="FILE", help="only mutants of it; may be repeated"
    )
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, metavar="N", help="at a time")
    parser.add_argument(
        "--directory", type=Path, default=ROOT / "build" / "mutation", help="for what is kept"
    )
    parser.add_argument(
        "--store", type=Path, metavar="FILE", help="write the sums there, for docs/refresh.py"
    )
    parser.add_argument("--again", action="store_true", help="draw none, but judge again what survived")
    parser.add_argument("--list", action="store_true", help="only say which mutants would be drawn")
    parser.add_argument("--check", action="store_true", help="only look at accepted.json")
    return parser.parse_args()


def positive(word: str) -> int:
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{word} is not above 0")
    return value


def sources(chosen: list[Path] | None) -> list[Path]:
    if chosen:
        return [file.resolve().relative_to(ROOT) for file in chosen]
    files = [
        *(ROOT / "include").rglob("*.hpp"),
        *compiled_sources(),
        *(ROOT / "src").rglob("*.hpp"),
    ]
    return sorted(file.relative_to(ROOT) for file in files)


def draw(files: list[Path], count: int, seed: int) -> list[tuple[Mutant, str]]:
    """Each mutant of the files is as likely as any other. With it comes its source as it was."""
    everything = []
    for file in files:
        source = (ROOT / file).read_text(encoding="utf-8")
        everything += [(mutant, source) for mutant in find_mutants(str(file), source)]
    return random.Random(seed).sample(everything, min(count, len(everything)))


def judge_all(drawn: list[tuple[Mutant, str]], kept: Kept, workshop: Workshop, jobs: int) -> list[Judged]:
    """In the order of the draw."""

    def judge(number: int, mutant: Mutant, source: str) -> Judged:
        start = time.monotonic()
        verdict = workshop.judge(mutant, source, workshop.directory / f"mutant_{number}")
        return Judged(mutant, mutant.key(source), verdict, round(time.monotonic() - start, 1))

    keys = [mutant.key(source) for mutant, source in drawn]
    remaining = [i for i, key in enumerate(keys) if key not in kept.judged]
    if len(remaining) < len(drawn):
        print(f"{len(drawn) - len(remaining)} were judged before")
    if remaining:
        print("compiling what all mutants share", flush=True)
        workshop.prepare(jobs)
    pool = ThreadPoolExecutor(jobs)
    try:
        running = [pool.submit(judge, i, *drawn[i]) for i in remaining]
        for done, future in enumerate(as_completed(running), start=1):
            judged = future.result()
            kept.add(judged)
            verdict, mutant = judged.verdict, judged.mutant
            by = f" by {verdict.by}" if verdict.by else ""
            progress = f"{done} of {len(remaining)}: {verdict.outcome}{by} ({judged.seconds} s)"
            print(f"{progress}: {mutant.place}: {mutant.change}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    return [kept.judged[key] for key in keys]


def judge_again(kept: Kept, workshop: Workshop) -> list[Judged]:
    """All that were judged; the survivors by the tests, and in the sources, as they are now."""
    print("compiling what all mutants share", flush=True)
    workshop.prepare(os.cpu_count() or 1)
    for judged in survivors(list(kept.judged.values())):
        start = time.monotonic()
        source = (ROOT / judged.mutant.file).read_text(encoding="utf-8")
        mutant = judged.mutant.locate(source)
        verdict = workshop.judge(mutant, source, workshop.directory / "mutant") if mutant else Verdict("gone")
        kept.add(Judged(judged.mutant, judged.key, verdict, round(time.monotonic() - start, 1)))
        print(f"{verdict.outcome} {verdict.by}: {judged.mutant.place}: {judged.mutant.change}", flush=True)
    return list(kept.judged.values())


def store(file: Path, figures: dict[str, object], *, again: bool) -> None:
    """A run for each seed, and the fate of its survivors."""
    runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if again:
        (first,) = (run for run in runs if run["seed"] == figures["seed"])
        first["again"] = figures
    else:
        runs = [run for run in runs if run["seed"] != figures["seed"]] + [figures]
    file.write_text(json.dumps(runs, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def describe(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"{error.cmd[0]} fails without any mutant:\n{error.stderr.decode(errors='replace')[:4000]}"
    return str(error)


def commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+dirty", "--abbrev=12", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def main() -> int:
    options = arguments()
    accepted = read_accepted()
    stale_entries = stale(accepted, ROOT)
    for entry in stale_entries:
        print(
            f"accepted.json: no mutant of {entry.file} is like this any more: {entry.line}", file=sys.stderr
        )
    if options.check:
        return 1 if stale_entries else 0
    try:
        files = sources(options.file)
        seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
        drawn = draw(files, options.count, seed)
    except (OSError, ValueError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    if options.list:
        for mutant, _ in drawn:
            print(f"{mutant.place} ({mutant.kind}): {mutant.change}")
        return 0
    start = time.monotonic()
    options.directory.mkdir(parents=True, exist_ok=True)
    kept = Kept(options.directory / "judged.jsonl")
    workshop = Workshop(options.directory)
    try:
        if options.again:
            judged = judge_again(kept, workshop)
        else:
            print(
                f"{len(drawn)} mutants of {len(files)} files, seed {seed}, {options.jobs} at a time",
                flush=True,
            )
            judged = judge_all(drawn, kept, workshop, options.jobs)
    except (UnsoundProgramError, subprocess.CalledProcessError) as error:
        print(f"run.py: {describe(error)}", file=sys.stderr)
        return 2
    figures = {
        **sums(judged, accepted),
        "seed": seed,
        "commit": commit(),
        "library": fingerprint(),
        "flags": " ".join(FLAGS),
    }
    figures["seconds"] = round(time.monotonic() - start)
    (options.directory / "survivors.md").write_text(page(judged, accepted), encoding="utf-8")
    if options.store:
        store(options.store, figures, again=options.again)
    print(json.dumps(figures, sort_keys=True))
    print(f"survivors: {options.directory / 'survivors.md'}")
    return 1 if any(not is_accepted(one, accepted) for one in survivors(judged)) else 0


if __name__ == "__main__":
    sys.exit(main())
