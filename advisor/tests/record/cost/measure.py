"""Measures what a recording costs, and stores each run.

    python3 advisor/tests/record/cost/measure.py --store bench/results/recording.json
    python3 advisor/tests/record/cost/measure.py --only hot --rounds 3

Each round runs each program by itself and recorded, some under heaptrack too, one after another. The machine
should do nothing else. `mallard record` must have been called before, which builds the recorder.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "python"))

import programs  # noqa: E402

from mallard.shared.machine import facts  # noqa: E402
from mallard.shared.native_file import COLLECTOR, PROFILER  # noqa: E402
from run import Runs, has_heaptrack  # noqa: E402

FORMAT = 1
GROUPS = {"hot": programs.hot, "curve": programs.curve, "real": programs.real, "large": programs.large}
ONCE = {"large"}  # minutes each


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what a recording costs.")
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="runs of each program (default: 5)"
    )
    parser.add_argument("--only", choices=GROUPS, action="append", help="these programs (default: all)")
    parser.add_argument("--store", type=Path, metavar="FILE", help="keep the runs with others of the commit")
    arguments = parser.parse_args()
    groups = arguments.only or list(GROUPS)
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_measured(Path(folder), groups, arguments.rounds))
    for row in rows:
        print(json.dumps(row))
    if arguments.store:
        _store(arguments.store, rows)
    return 0


def _measured(folder: Path, groups: list[str], rounds: int) -> Iterator[dict[str, Any]]:
    runs = Runs(folder, COLLECTOR.find(), PROFILER.find())
    once = [case for group in groups if group in ONCE for case in GROUPS[group](folder)]
    cases = [case for group in groups if group not in ONCE for case in GROUPS[group](folder)]
    try:
        for case in [*once, *rounds * cases]:
            yield from _ways(runs, case)
    finally:
        for folder in {case.scratch for case in cases if case.scratch is not None}:
            shutil.rmtree(folder, ignore_errors=True)


def _ways(runs: Runs, case: programs.Case) -> Iterator[dict[str, Any]]:
    ways = {"plain": runs.plain, "recorded": runs.recorded}
    if case.under_heaptrack and has_heaptrack():
        ways["heaptrack"] = runs.under_heaptrack
    for way, call in ways.items():
        where = {"name": case.name, "levels": case.levels, "new": case.new, "work": case.work}
        yield {**where, "way": way, **dataclasses.asdict(call(case))}


def _store(file: Path, rows: list[dict[str, Any]]) -> None:
    """Runs of another commit are dropped: the recorder may have changed."""
    head = {"format": FORMAT, "commit": _commit(), "machine": _machine(), "versions": _versions()}
    stored = json.loads(file.read_text()) if file.exists() else {}
    is_current = stored.get("commit") == head["commit"] and stored.get("format") == FORMAT
    head["rows"] = (stored["rows"] if is_current else []) + rows
    lines = ",\n  ".join(json.dumps(row) for row in head.pop("rows"))
    text = json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n  {lines}\n ]\n}}\n'
    file.write_text(text)


def _commit() -> str:
    parts = ("recorder", "trace", "advisor")
    words = ["git", "-C", str(ROOT), "log", "-1", "--format=%h", "--abbrev=12", "--", *parts]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _machine() -> dict[str, Any]:
    known = facts()
    return {name: known[name] for name in ("cpu", "cores", "virtual", "kernel", "libc")}


def _versions() -> dict[str, str]:
    """First lines of what the programs say about their versions."""
    versions = {}
    for program in ("clang++-16", "cmake", "protoc", "/usr/bin/python3", "heaptrack"):
        if shutil.which(program):
            words = [program, "--version"]
            output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            versions[program] = output.splitlines()[0]
    return versions


if __name__ == "__main__":
    sys.exit(main())
