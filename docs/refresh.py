"""Writes every measured figure of README.md and docs/ from stored rows, so that none is typed by hand.

    build/venv/bin/python docs/refresh.py                    the rows in docs/results
    build/venv/bin/python docs/refresh.py --from mallard.db  stores that database's latest runs there first

A block in a document begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`; what stands between
is replaced.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(DOCS))

from heat_map_image import heat_map_image  # noqa: E402

from mallard.analysis.averages import Effect  # noqa: E402
from mallard.analysis.cells import BASE, FLOOR, KEEP  # noqa: E402
from mallard.analysis.summary import Summary, paper_average, summaries  # noqa: E402
from mallard.analysis.verdicts import sentence  # noqa: E402
from mallard.cell_figures import cell_figures  # noqa: E402
from mallard.papers.catalogue import strategies, strategy_text  # noqa: E402
from mallard.papers.tables import (  # noqa: E402
    AVERAGES,
    P0089,
    PRINTED_DISPATCH,
    PRINTED_WINK_OUT,
    printed_table,
)
from mallard.result import Row  # noqa: E402
from mallard.stats import Ratio  # noqa: E402

EXPERIMENTS = ("density", "primitives")
DOCUMENTS = (ROOT / "README.md",)
IMAGE = DOCS / "images" / "density.svg"
CALLS = "null-base"  # what two calls through the abstract base cost that do nothing
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

Stored = dict[str, Any]


def stored_file(experiment: str) -> Path:
    return DOCS / "results" / f"{experiment}.json.gz"


def store_latest(database: Path) -> None:
    """Keeps the latest finished run of each experiment."""
    command = [
        sys.executable,
        "-m",
        "mallard",
        "export",
        "--format",
        "json",
        "--run",
        "all",
        "--db",
        str(database),
    ]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT / "python").stdout
    everything = json.loads(text)
    for experiment in EXPERIMENTS:
        runs = [run for run in everything["runs"] if run["experiment"] == experiment and run["finished"]]
        if not runs:
            continue
        latest = runs[-1]
        latest["command"] = re.sub(r" --db \S+", "", latest["command"])  # where it lay says nothing
        rows = [row for row in everything["rows"] if row["run_id"] == latest["id"]]
        data = json.dumps({"run": latest, "rows": rows}, sort_keys=True).encode()
        stored_file(experiment).write_bytes(gzip.compress(data, mtime=0))


def load(experiment: str) -> tuple[Stored, list[Row]]:
    data = json.loads(gzip.decompress(stored_file(experiment).read_bytes()))
    run: Stored = data["run"]
    return run, [Row.from_native(run["id"], row) for row in data["rows"]]


def interval(ratio: Ratio) -> str:
    return f"{100 * ratio.low:.1f} to {100 * ratio.high:.1f}"


def averages(summary: Summary) -> str:
    lines = [
        f"| | strategy | here, % of {BASE} | interval | P0213 | P0089 |",
        "|---|---|---:|---:|---:|---:|",
    ]
    printed = printed_table(AVERAGES).lines[0]
    for name, mean in summary.means.items():
        if name == BASE:
            continue
        beside = (
            [f"{printed[name]:.2f}", f"{paper_average(P0089, name):.1f}"] if name in printed else ["", ""]
        )
        shown = f"{100 * mean.median:.1f}"
        lines.append(
            f"| {name} | {strategy_text(name)} | {shown} | {interval(mean)} | {beside[0]} | {beside[1]} |"
        )
    dispatch, wink = summary.dispatch.overall, summary.wink_out.overall
    assert dispatch is not None
    assert wink is not None
    dispatch, wink_out = effect(summary.dispatch), effect(summary.wink_out)
    lines.append("")
    lines.append(f"Cost of virtual dispatch over all cells: {dispatch}; P0213 printed {PRINTED_DISPATCH} %.")
    lines.append(f"Gain of winking out: {wink_out}; P0213 printed {PRINTED_WINK_OUT} %.")
    return "\n".join(lines)


def effect(of: Effect) -> str:
    mean = of.overall
    assert mean is not None
    return f"{mean.value:.1f} % ({mean.low:.1f} to {mean.high:.1f})"


def verdicts(summary: Summary) -> str:
    said = [(verdict.type, sentence(verdict)) for verdict in summary.verdicts]
    return "\n".join(f"- {text.replace(type_, f'`{type_}`', 1)}" for type_, text in said)


def primitives(rows: list[Row]) -> str:
    cells = {(str(cell.parameters["operation"]), cell.strategy): cell for cell in cell_figures(rows)}
    order = [FLOOR, CALLS, *strategies()]
    names = [name for name in order if ("pair", name) in cells]
    lines = [
        "| | allocator, binding | a pair of 24 bytes, ns | make, serve one block, destroy, ns |",
        "|---|---|---:|---:|",
    ]
    for name in names:
        figures = []
        for operation in ("pair", "create"):
            times = cells[operation, name].ns_per_operation
            assert times is not None
            figures.append(f"{times.median:.2f}" if times.median < 10 else f"{times.median:.1f}")
        text = strategy_text(name).rsplit(", ", 1)[0]  # how objects end makes no difference to one block
        if name in (FLOOR, CALLS):
            figures[1] = ""
        lines.append(f"| {name} | {text} | {figures[0]} | {figures[1]} |")
    return "\n".join(lines)


def conditions(run: Stored) -> str:
    machine, runner = run["machine"], run["runner"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['libc']}"
    how = f"{runner['compiler']}, `{runner['flags']}`; {run['repetitions']} processes a cell or more"
    return (
        f"Measured {run['started'][:10]} by `{run['command']}` at commit {runner['commit']}: {where}, {how}."
    )


def floor_and_keep(summary: Summary) -> str:
    floor, keep = (100 * summary.means[name].median for name in (FLOOR, KEEP))
    return (
        f"The floor, the same work over memory that is already there, takes {floor:.1f} % of {BASE}; "
        f"{BASE} with its page return switched off takes {keep:.1f} %."
    )


def blocks() -> tuple[dict[str, Callable[[], str]], Summary]:
    density_run, density_rows = load("density")
    primitives_run, primitives_rows = load("primitives")
    summary = summaries(density_rows)[0]
    return {
        "averages": lambda: averages(summary),
        "conditions": lambda: conditions(density_run),
        "floor": lambda: floor_and_keep(summary),
        "primitives": lambda: primitives(primitives_rows),
        "primitives_conditions": lambda: conditions(primitives_run),
        "verdicts": lambda: verdicts(summary),
    }, summary


def refreshed(text: str, figures: dict[str, Callable[[], str]]) -> str:
    return BLOCK.sub(lambda found: f"{found[1]}{figures[found[2]]()}\n{found[3]}", text)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write the measured figures of the documents from stored rows."
    )
    parser.add_argument(
        "--from", dest="database", type=Path, metavar="FILE", help="store this database's runs first"
    )
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a document differs")
    arguments = parser.parse_args()
    if arguments.database:
        store_latest(arguments.database)
    figures, summary = blocks()
    wanted = {document: refreshed(document.read_text(encoding="utf-8"), figures) for document in DOCUMENTS}
    wanted[IMAGE] = heat_map_image(summary)
    stale = [
        path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if arguments.check:
            print(
                f"{path.relative_to(ROOT)} differs from the stored rows: run docs/refresh.py", file=sys.stderr
            )
        else:
            path.write_text(wanted[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
