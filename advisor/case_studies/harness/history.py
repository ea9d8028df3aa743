"""Whether the advice on a cell was stored before its change was measured, by the history of git.

    commits of a case study's results -> History of each cell -> results/history.json

The file keeps the answer for copies of the source tree without that history. Facts for earlier advice count
as a measurement of the change, because they were known when the later advice was asked for.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

from harness import foreign
from harness.catalogue import CASES
from harness.places import ADVICE, FACTS, HISTORY, ROOT, Json, document_sha256, results_file, unpack

FORMER = Path("case_studies/results")  # where earlier commits have them, as plain JSON


def advised_first(case: str, input_name: str, advice: Json) -> bool:
    """False, too, for advice that the stored history does not have."""
    return is_advised_first(f"{case} {input_name}", advice)


def is_advised_first(cell: str, advice: Json) -> bool:
    known = stored().get(cell, {})
    return bool(known.get("advice_sha256") == document_sha256(advice) and known["advised_first"])


@cache
def stored() -> dict[str, Json]:
    document: dict[str, Json] = json.loads(HISTORY.read_text(encoding="utf-8")) if HISTORY.is_file() else {}
    return document


def write() -> None:
    HISTORY.write_text(json.dumps(compute(), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def compute() -> dict[str, Json]:
    """Of our case studies and of the foreign programs."""
    cells = {name: cell for case in CASES for name, cell in from_git(case, ADVICE, FACTS, ROOT).items()}
    for program in foreign.load():
        cells |= from_git(program, foreign.ADVICE, foreign.FACTS, ROOT)
    return cells


def from_git(case: str, advice_folder: Path, facts_folder: Path, root: Path) -> dict[str, Json]:
    """By cell: the first commit that has the advice of today, and the first that has facts of the cell, for
    whatever advice."""
    files = [results_file(folder, case) for folder in (advice_folder, facts_folder)]
    former = [FORMER / file.parent.name / f"{case}.json" for file in files]
    if not files[0].is_file():
        return {}
    today = unpack(files[0].read_bytes())["cells"]
    shas = {input_name: document_sha256(advice) for input_name, advice in today.items()}
    advised: dict[str, str] = {}
    measured: dict[str, str] = {}
    order = git(
        root, "log", "--reverse", "--topo-order", "--format=%H", "--", *map(str, [*files, *former])
    ).split()
    for commit in order:
        advice, facts = (
            _cells(root, commit, file) or _cells(root, commit, plain)
            for file, plain in zip(files, former, strict=True)
        )
        for input_name, sha in shas.items():
            if input_name in advice and document_sha256(advice[input_name]) == sha:
                advised.setdefault(input_name, commit)
            if input_name in facts and _second(advice.get(input_name, {})) == _second(today[input_name]):
                measured.setdefault(input_name, commit)
    # A commit that is not there yet comes after all others.
    place = {commit: number for number, commit in enumerate(order)}
    last = len(order)
    return {
        f"{case} {input_name}": {
            "advice_sha256": sha,
            "advised": advised.get(input_name),
            "measured": measured.get(input_name),
            "advised_first": place.get(advised.get(input_name, ""), last)
            < place.get(measured.get(input_name, ""), last),
        }
        for input_name, sha in shas.items()
    }


def _second(advice: Json) -> list[str] | None:
    """The command of a fact, if the advice has one: facts on another input are of another cell."""
    return advice["commands"][-1] if "commands" in advice else None


def _cells(root: Path, commit: str, file: Path) -> Json:
    path = file.relative_to(root) if file.is_absolute() else file
    shown = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=root, capture_output=True, check=False)
    if shown.returncode != 0:
        return {}
    document = unpack(shown.stdout) if file.suffix == ".gz" else json.loads(shown.stdout)
    cells: Json = document.get("cells", {})
    return cells


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout
