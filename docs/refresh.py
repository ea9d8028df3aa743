"""Writes every measured figure of README.md and docs/ from stored rows.

    build/venv/bin/python docs/refresh.py                    the rows in bench/results
    build/venv/bin/python docs/refresh.py --from mallard.db  stores that database's runs there first
    build/venv/bin/python docs/refresh.py --add mallard.db   stores them in place of runs of the same command
                                                             (each replaces runs of the same processor only,
                                                             and two processors are kept)
    build/venv/bin/python docs/refresh.py --soak soak.jsonl  adds the runs of mallard_soak
    build/venv/bin/python docs/refresh.py --stages build/test-logs/times.json
                                                             stores the times of these stages of mallard test
    build/venv/bin/python docs/refresh.py --fresh build/fresh/times.json
                                                             stores the times of the commands in bare Debians
    build/venv/bin/python docs/refresh.py --platforms build/platforms/results.json
                                                             stores the outcomes of the stage platforms
    build/venv/bin/python docs/refresh.py --print TABLE      prints the whole of a table that a page shortens,
                                                             or the report of an experiment, peers or claims

A block in a document begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`; what stands between
is replaced. The function of a block is in docs/figures/, behind `@block("NAME")`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]
sys.path.insert(0, str(DOCS))

import figures as figures_package  # noqa: E402
from figures import BLOCKS, WHOLE_TABLES, allocator_images, density, programs, testing  # noqa: E402
from figures.stored import (  # noqa: E402
    chosen_runs,
    machine_key,
    machines,
    plain,
    read_stored,
    stored_file,
)
from measure import commands  # noqa: E402

from mallard.bench.experiments import EXPERIMENTS  # noqa: E402

for module in pkgutil.iter_modules(figures_package.__path__):
    importlib.import_module(f"figures.{module.name}")
RUNS = ROOT / "bench/results/runs.md"
LISTED = {plain(entry) for entry in commands()}
# Each page with figures, with its folder.
DOCUMENTS = (
    ROOT / "README.md",
    RUNS,
    *(page for page in sorted(DOCS.rglob("*.md")) if "<!-- figures: " in page.read_text(encoding="utf-8")),
)
IMAGES = {
    DOCS / "images" / "density.svg": density.image,
    DOCS / "images" / "programs.svg": programs.bars,
    **{
        DOCS / "images" / "allocators" / f"{name}.svg": image
        for name, image in allocator_images.images().items()
    },
}
MOST_MACHINES = 2
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def store_runs(database: Path, keep_others: bool) -> None:
    """Stores the finished runs of each experiment in the database. They replace the stored runs of their
    processor, with `keep_others` those of their commands and of commands that are not listed any more.
    """
    command = [sys.executable, "-m", "mallard", "show", "export", "--format", "json", "--run", "all"]
    text = subprocess.run(
        [*command, "--db", str(database.resolve())],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    ).stdout
    everything = json.loads(text)
    for experiment in EXPERIMENTS:
        runs = [run for run in everything["runs"] if run["experiment"] == experiment and run["finished"]]
        for run in runs:
            run["command"] = f"mallard {plain(run['command'])}"
        kept = {run["id"] for run in runs}
        rows = [row for row in everything["rows"] if row["run_id"] in kept]
        if runs:
            stored = read_stored(experiment) if stored_file(experiment).exists() else {"runs": [], "rows": []}
            keep_runs(stored, partial(is_kept, added=runs, keep_others=keep_others))
            add_runs(stored, runs, rows)
            kept = {run["id"] for run in chosen_runs(stored)}
            compared = machines(stored)[:MOST_MACHINES]
            kept |= {run["id"] for run in stored["runs"] if machine_key(run) in compared}
            keep_runs(stored, lambda run, kept=kept: run["id"] in kept)  # type: ignore[misc]
            data = json.dumps(stored, sort_keys=True).encode()
            stored_file(experiment).write_bytes(gzip.compress(data, mtime=0))


def is_kept(run: dict[str, Any], added: list[dict[str, Any]], *, keep_others: bool) -> bool:
    """True for a stored run that no added one replaces."""
    replacing = {plain(other["command"]) for other in added if machine_key(other) == machine_key(run)}
    command = plain(run["command"])
    return not replacing or (keep_others and command not in replacing and command in LISTED)


def keep_runs(stored: dict[str, Any], is_kept: Callable[[dict[str, Any]], bool]) -> None:
    """Drops the other stored runs, with their rows."""
    stored["runs"] = [run for run in stored["runs"] if is_kept(run)]
    kept = {run["id"] for run in stored["runs"]}
    stored["rows"] = [row for row in stored["rows"] if row["run_id"] in kept]


def add_runs(stored: dict[str, Any], runs: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    """Appends the runs, with numbers after the stored ones."""
    last = max((run["id"] for run in stored["runs"]), default=0)
    numbers = {run["id"]: last + place for place, run in enumerate(runs, start=1)}
    stored["runs"] += [{**run, "id": numbers[run["id"]]} for run in runs]
    stored["rows"] += [{**row, "run_id": numbers[row["run_id"]]} for row in rows]


def refreshed(document: Path, figures: dict[str, Callable[[], str]]) -> str:
    """The document's text with new figures, whose links to the page of the runs lead there from it."""
    link = f"]({os.path.relpath(RUNS, document.parent)}"

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}{figures[match[2]]().replace(f']({RUNS.name}', link)}\n{match[3]}"

    return BLOCK.sub(block, document.read_text(encoding="utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write the measured figures of the documents from stored rows."
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--from", dest="database", type=Path, metavar="FILE", help="store this database's runs first"
    )
    source.add_argument(
        "--add",
        dest="added",
        type=Path,
        metavar="FILE",
        help="the same, in place of runs of one command",
    )
    source.add_argument(
        "--print",
        dest="table",
        choices=WHOLE_TABLES,
        metavar="TABLE",
        help=f"print the whole of a table that a page shortens, or a report: {', '.join(WHOLE_TABLES)}",
    )
    parser.add_argument("--soak", type=Path, metavar="FILE", help="add these runs of mallard_soak")
    parser.add_argument("--stages", type=Path, metavar="FILE", help="store the times of these stages")
    parser.add_argument("--fresh", type=Path, metavar="FILE", help="store these times in bare Debians")
    parser.add_argument("--platforms", type=Path, metavar="FILE", help="store these outcomes of targets")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a document differs")
    arguments = parser.parse_args()
    if arguments.table:
        print(WHOLE_TABLES[arguments.table]())
        return 0
    if database := arguments.database or arguments.added:
        store_runs(database, keep_others=arguments.added is not None)
    if arguments.soak:
        testing.add_soaks(arguments.soak)
    for file, entries in (
        (testing.STAGE_TIMES, arguments.stages),
        (testing.FRESH, arguments.fresh),
        (testing.PLATFORMS, arguments.platforms),
    ):
        if entries:
            testing.add_entries(file, entries)
    wanted = {document: refreshed(document, BLOCKS) for document in DOCUMENTS}
    wanted |= {path: image() for path, image in IMAGES.items()}
    stale = [
        path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if arguments.check:
            print(
                f"{path.relative_to(ROOT)} differs from the stored rows: run docs/refresh.py", file=sys.stderr
            )
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
