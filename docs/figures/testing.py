"""The times of the stages of `mallard test` and of the commands in bare Debians, and what some runs found:
the soak, mutation testing, and the stage `platforms`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dev.check import STAGES
from figures import block, whole_table
from figures.stored import markdown_table
from mallard.bench.library_code import fingerprint

RESULTS = Path(__file__).resolve().parents[2] / "bench/results"
SOAKS = RESULTS / "soak.json"
MUTATION = RESULTS / "mutation.json"
STAGE_TIMES = RESULTS / "stages.json"
PLATFORMS = RESULTS / "platforms.json"
FRESH = RESULTS / "fresh.json"
FORMAT = 1
PASSED = re.compile(r"passed$|\d checks$|\d blocks ")  # the end of an outcome of a program that ran


def add_soaks(lines: Path) -> None:
    """Stores the runs whose last lines the file has next to those that are stored."""
    stored = read(SOAKS)
    known = [{**run, "library": ""} for run in stored]
    for line in lines.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        if run["format"] != FORMAT:
            raise ValueError(f"{lines}: a run in format {run['format']}, not {FORMAT}")
        if {**run, "library": ""} not in known:
            stored.append({**run, "library": fingerprint() if run["commit"] == head() else ""})
    _write(SOAKS, stored)


def head() -> str:
    """The commit of this tree, as mallard_soak names it; empty if the tree is not git's."""
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(words, cwd=RESULTS, capture_output=True, text=True, check=False).stdout.strip()


def changed(runs: Iterable[dict[str, Any]]) -> str:
    """A sentence if a run is of another library than today's, or did not store of which."""
    codes = {run.get("library", "") for run in runs}
    if codes - {"", fingerprint()}:
        return " The library has changed since."
    return " The code of the library was not recorded." if "" in codes else ""


def add_entries(file: Path, entries: Path) -> None:
    """Stores them in place of those of the same names."""
    _write(file, read(file) | read(entries), in_order=file != STAGE_TIMES)


def _write(file: Path, stored: Any, *, in_order: bool = True) -> None:
    file.write_text(json.dumps(stored, indent=1, sort_keys=in_order) + "\n", encoding="utf-8")


@whole_table("fresh")
def fresh() -> str:
    """A line for each command: the seconds of root and of a user who has sudo, in each Debian."""
    times = read(FRESH)
    seconds: dict[tuple[str, str], dict[str, str]] = {}
    for name, entry in times.items():
        release, user, command = name.split(", ", 2)
        seconds.setdefault((command, release), {})[user] = f"{entry['seconds']:,}"
    commands, releases = (sorted(set(names)) for names in zip(*seconds, strict=True))
    rows = [
        [
            f"`{command}`",
            *(
                " / ".join(users[user] for user in sorted(users, reverse=True))
                for release in releases
                for users in [seconds.get((command, release), {})]
            ),
        ]
        for command in commands
    ]
    dates = sorted({entry["date"] for entry in times.values()})
    period = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    return f"{markdown_table(['s, as root / by sudo', *releases], rows)}\n\nRun {period}."


@whole_table("platforms")
def platforms() -> str:
    fields = ("outcome", "date", "commit")
    rows = [[target, *(run[field] for field in fields)] for target, run in sorted(read(PLATFORMS).items())]
    return markdown_table(["target", *fields], rows, texts=4)


@block("platforms")
def platform_groups() -> str:
    """A line for each system: its targets, the compilers and emulators, the outcome if the targets share one,
    the dates.
    """
    groups: dict[str, dict[str, dict[str, str]]] = {}
    for target, run in sorted(read(PLATFORMS).items()):
        system, _, part = target.partition(", ")
        groups.setdefault(system, {})[part] = run
    lines = []
    for system, runs in groups.items():
        split = [_tools_and_result(run["outcome"]) for run in runs.values()]
        tools = ", ".join(dict.fromkeys(tool for tool, _ in split))
        results = "; ".join(dict.fromkeys(result for _, result in split))
        dates = sorted({run["date"] for run in runs.values()})
        period = " to ".join(dict.fromkeys((dates[0], dates[-1])))
        lines.append([system, str(len(runs)), tools, results, period])
    texts = ("by", "outcome", "run")
    return markdown_table(["system", "targets", *texts], lines, more_texts=texts)


def _tools_and_result(outcome: str) -> tuple[str, str]:
    """g++ and qemu-user: 12 passed -> g++ and qemu-user; passed. Sizes, and what was not run, stay."""
    tools, _, result = outcome.partition(": ")
    return tools, "passed" if PASSED.search(result) else result


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


@block("soak")
def soak() -> str:
    runs = read(SOAKS)
    heading = ["operations", "seconds", "seed", "allocators", "build", "commit"]
    lines = []
    for run in runs:
        build = f"{run['compiler']}, `{run['flags']}`"
        if run["sanitizers"]:
            build += f", sanitizers {run['sanitizers'].replace(';', ' and ')}"
        counts = (f"{run['operations']:,}", f"{run['seconds']:,.0f}", run["seed"], len(run["allocators"]))
        lines.append([*map(str, counts), build, run["commit"]])
    total = sum(run["operations"] for run in runs)
    sanitized = sum(run["operations"] for run in runs if "address" in run["sanitizers"])
    table = markdown_table(heading, lines, texts=0, more_texts=heading[-2:])
    return f"{table}\n\n{total:,} in all, {sanitized:,} of them under AddressSanitizer.{changed(runs)}"


@block("mutation")
def mutation() -> str:
    """A line for each run over the whole library."""
    runs = read(MUTATION)
    heading = ("seed", "commit", "judged", "killed", "95 % interval", "by random operations", "survived")
    lines = [
        [
            str(run["seed"]),
            run["commit"],
            str(run["judged"]),
            f"{run['killed']}, {run['killed_percent']} %",
            "{} to {} %".format(*run["interval_percent"]),
            str(run["killed_by_random_operations"]),
            str(run["survived"]),
        ]
        for run in runs
    ]
    table = markdown_table(heading, lines, texts=2)
    return f"{table}\n\nJudged: drawn, compiled and not left out by an `#if`.{changed(runs)}"


@block("stages", is_part=True)
def stages(*, whole: bool = False) -> str:
    """The page has the sums, and the slowest stage of each."""
    entries = read(STAGE_TIMES)
    lines = []
    for full in (False, True):
        members = {name: entry for name, entry in entries.items() if entry["full"] == full}
        sums = {
            key: sum(entry[key] for entry in members.values()) for key in ("passed", "wall", "user", "system")
        }
        if not whole:
            slowest = max(members, key=lambda name: members[name]["wall"])
            members = {slowest: members[slowest]}
        members["**what `--full` adds**" if full else "**`./mallard test`**"] = sums
        for name, entry in members.items():
            seconds = (f"{entry[key]:,.0f}" for key in ("wall", "user", "system"))
            lines.append([name, f"{entry['passed']:,}", *seconds])
    machines = sorted({entry["machine"] for entry in entries.values()})
    missing = [stage.name for stage in STAGES if stage.name not in entries]
    without = f" Not stored: {', '.join(missing)}." if missing else ""
    footer = f"On {' and '.join(machines)}, after installing; the tests that passed.{without}"
    return f"{markdown_table(['stage', 'tests', 'wall-clock s', 'user s', 'system s'], lines)}\n\n{footer}"
