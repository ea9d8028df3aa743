"""The stored rows behind the documents' figures, and the text of a figure."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from measure import commands, plain

from mallard.bench.analysis.words import percent
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import HUGE, SMALL
from mallard.bench.library_code import fingerprint
from mallard.bench.plan import SCALES
from mallard.bench.plan.request import GIB
from mallard.bench.result import Row
from mallard.bench.store import Measured, Run
from mallard.shared.age import YOUNG
from mallard.shared.stats import Ratio, Spread

DOCS = Path(__file__).resolve().parents[1]
MOST_RUNS = 1000  # of an experiment
NO_BUFFER = "none"
TOUCHED = ("warm", "static")  # as bench/results/runs.md says


@dataclass(frozen=True)
class StoredRun:
    """A finished run of an experiment, as `mallard show export` wrote it."""

    run: dict[str, Any]
    rows: list[Row]

    @property
    def measured(self) -> Measured:
        """As of a database, without notes."""
        return Measured(Run(**{field.name: self.run[field.name] for field in fields(Run)}), [], self.rows)


def stored_file(experiment: str) -> Path:
    return DOCS.parent / "bench/results" / f"{experiment}.json.gz"


def read_stored(experiment: str) -> dict[str, Any]:
    """The runs and rows of the experiment, as stored."""
    data: dict[str, Any] = json.loads(gzip.decompress(stored_file(experiment).read_bytes()))
    return data


def machine_key(run: dict[str, Any]) -> str:
    """The processor on which it was measured."""
    return processor(run["machine"])


def machines(data: dict[str, Any]) -> list[str]:
    """The processors on which an experiment was measured: the one that ran most of bench/results/commands.txt
    first, of several the latest.
    """
    latest: dict[str, str] = {}
    listed: dict[str, set[str]] = {}
    for run in data["runs"]:
        name = machine_key(run)
        latest[name] = max(latest.get(name, ""), run["started"])
        listed.setdefault(name, set()).update({plain(run["command"])} & _listed().keys())
    return sorted(latest, key=lambda name: (len(listed[name]), latest[name]), reverse=True)


def of_machine(data: dict[str, Any], machine: str) -> dict[str, Any]:
    return _with_rows(data, [run for run in data["runs"] if machine_key(run) == machine])


def _with_rows(data: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, Any]:
    kept = {run["id"] for run in runs}
    return {"runs": runs, "rows": [row for row in data["rows"] if row["run_id"] in kept]}


@cache
def stored_runs(experiment: str) -> list[StoredRun]:
    """Those that the documents show, as chosen_runs()."""
    data = _read_or_none(experiment)
    return _numbered(experiment, _with_rows(data, chosen_runs(data)))


def chosen_runs(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The runs of the first of machines(); then those of listed commands that ran on others only. A table is
    of one run, so none mixes processors.
    """
    chosen: list[dict[str, Any]] = []
    for machine in machines(data):
        missing = _listed().keys() - {plain(run["command"]) for run in chosen}
        of_this = (run for run in data["runs"] if machine_key(run) == machine)
        chosen += [run for run in of_this if not chosen or plain(run["command"]) in missing]
    return chosen


@cache
def runs_of_machine(experiment: str, place: int) -> list[StoredRun]:
    """The runs on one of machines()."""
    data = _read_or_none(experiment)
    if place >= len(machines(data)):
        return []
    return _numbered(experiment, of_machine(data, machines(data)[place]))


def _read_or_none(experiment: str) -> dict[str, Any]:
    return read_stored(experiment) if stored_file(experiment).exists() else {"runs": [], "rows": []}


def _numbered(experiment: str, data: dict[str, Any]) -> list[StoredRun]:
    """In the order of bench/results/commands.txt: the first run is the experiment's table, the others are
    about special settings. Runs are numbered anew, so that experiments share no number, and that the table
    passes for the latest run: its cells decide.
    """
    rows: dict[int, list[dict[str, Any]]] = {}
    for row in data["rows"]:
        rows.setdefault(row["run_id"], []).append(row)
    runs = sorted(
        data["runs"],
        key=lambda run: (-_place(run["command"]), SCALES.index(run["scale"]), len(rows[run["id"]])),
    )
    first = MOST_RUNS * tuple(EXPERIMENTS).index(experiment)
    stored = [
        StoredRun({**run, "id": number}, [Row.from_native(number, row) for row in rows[run["id"]]])
        for number, run in enumerate(runs, start=first)
    ]
    return stored[::-1]


@cache
def _listed() -> dict[str, int]:
    """The commands of bench/results/commands.txt, with their places."""
    return {plain(entry): place for place, entry in enumerate(commands())}


def _place(command: str) -> int:
    """The end of the list for a command that is not in it."""
    return _listed().get(plain(command), len(_listed()))


def on_huge_pages(stored: StoredRun) -> bool:
    return bool(stored.run["options"].get("pages") == [HUGE])


def is_special(stored: StoredRun) -> bool:
    """Cells on huge pages and in aged heaps have pages of their own, and are in no count of cells."""
    return on_huge_pages(stored) or any(age != YOUNG for age in stored.run["options"].get("ages", ()))


def load(experiment: str) -> StoredRun:
    return stored_runs(experiment)[0]


def with_strategy(experiment: str, strategy: str) -> StoredRun | None:
    """The first stored run that has it, if any."""
    matches = (run for run in stored_runs(experiment) if any(row.strategy == strategy for row in run.rows))
    return next(matches, None)


def conditions(*experiments: str) -> str:
    return run_conditions(*(load(experiment) for experiment in experiments))


def run_conditions(*runs: StoredRun) -> str:
    """What distinguishes the tables' runs; bench/results/runs.md has commits, commands, machines and builds.
    Runs with the same conditions share a sentence, those of a day the date.
    """
    days_by_state: dict[str, dict[str, list[str]]] = {}
    for stored in {run_link(stored): stored for stored in runs}.values():
        run = stored.run
        state = f"{special_pages(run)}{initial_buffers(stored)}"
        shared = f"on {run['machine']['cpu']}{state}.{changed_since(stored)}{remarks(run)}"
        links = days_by_state.setdefault(shared, {}).setdefault(run["started"][:10], [])
        links.append(run_link(stored))
    sentences = []
    for shared, days in days_by_state.items():
        several = sum(map(len, days.values())) > 1
        texts = (f"{', '.join(links)} of {day}" for day, links in days.items())
        sentences.append(f"Run{'s' * several} {', '.join(texts)} {shared}")
    return "\n".join(sentences)


def processors(run: dict[str, Any]) -> str:
    """`2 virtual processors`"""
    machine = run["machine"]
    return f"{machine['cores']} {'virtual ' * bool(machine.get('virtual'))}processors"


def with_others(conditions: str, others: Mapping[str, StoredRun]) -> str:
    """The conditions of a table's run, and the runs of some of its columns or lines by their name, if those
    are of other runs."""
    names = (f"{name}: {link}." for name, run in others.items() if (link := run_link(run)) not in conditions)
    return " ".join((conditions, *names))


def run_link(stored: StoredRun) -> str:
    """Relative to bench/results; docs/refresh.py adapts it to the page."""
    experiment = stored.run["experiment"]
    return f"[{experiment} {run_number(stored)}](runs.md#{experiment})"


def run_number(stored: StoredRun) -> int:
    """The place among all stored runs of the experiment, from 1."""
    identities = [_identity(each) for each in every_run(stored.run["experiment"])]
    return identities.index(_identity(stored)) + 1


@cache
def every_run(experiment: str) -> list[StoredRun]:
    """The runs of all machines(), in their order."""
    places = range(len(machines(read_stored(experiment))))
    return [stored for place in places for stored in runs_of_machine(experiment, place)]


def _identity(stored: StoredRun) -> tuple[str, str, str]:
    return stored.run["started"], stored.run["command"], machine_key(stored.run)


def processor(machine: dict[str, Any]) -> str:
    """The processor's name, numbers and first two data caches: names alone are ambiguous."""
    numbers = [machine["cpu_model"]] if machine.get("cpu_model") else []
    caches = [f"{name} {size >> 10} KiB" for name, size in machine["caches"].items() if name in ("L1d", "L2")]
    return f"{machine['cpu']} ({', '.join([*numbers, *caches])})"


def special_pages(run: dict[str, Any]) -> str:
    """The sizes of pages, for all strategies alike, if they are not small."""
    sizes = run["options"].get("pages", [SMALL])
    return "" if sizes == [SMALL] else f"; on {' and '.join(sizes)} pages"


def buffer_states(stored: StoredRun) -> set[tuple[str, int]]:
    """The states and sizes of the buffers in which strategies with a monotonic part begin."""
    return {
        (str(row.parameters["buffer"]), int(row.parameters.get("buffer_bytes", 0)))
        for row in stored.rows
        if "buffer" in row.parameters and "monotonic" in row.strategy
    }


def initial_buffers(stored: StoredRun) -> str:
    """The buffers as text: only some strategies have one, so it is a condition of one side."""
    texts = [buffer_text(state, size) for state, size in sorted(buffer_states(stored), reverse=True)]
    return f"; monotonic strategies begin in {', or '.join(texts)}" if texts else ""


def buffer_text(state: str, size: int) -> str:
    """A buffer of 1 GiB, touched before the clock starts."""
    if state == NO_BUFFER:
        return "no buffer"
    amount = f" of {size / GIB:g} GiB" if size else ""
    touched = "before the clock starts" if state in TOUCHED else "in the timed part"
    return f"a buffer{amount}, touched {touched}"


def remarks(run: dict[str, Any]) -> str:
    """The notes that a run got while it was measured, such as a busy machine."""
    notes = [note for note in run.get("notes", []) if note["kind"] != "resumed"]
    return "".join(f" Marked {note['kind']}: {note['text']}." for note in notes)


def changed_since(stored: StoredRun) -> str:
    return "" if is_current(stored) else " The library has changed since."


def is_current(stored: StoredRun) -> bool:
    """False for runs of before this hash was stored, too."""
    return bool(stored.run["runner"].get("library") == fingerprint())


def median_percent(ratio: Ratio) -> str:
    """Without the interval, which the whole table has."""
    return percent(ratio.median)


def nanoseconds(times: Spread) -> str:
    if times.median >= 1000:
        return f"{times.median:,.0f}"
    return f"{times.median:.2f}" if times.median < 10 else f"{times.median:.1f}"


def ratio_text(ratio: Ratio | None, digits: int = 2) -> str:
    """2.1 (1.9 to 2.3); without an interval where one repetition gives none."""
    if ratio is None:
        return ""
    value, low, high = (f"{figure:.{digits}f}" for figure in (ratio.median, ratio.low, ratio.high))
    return f"{value} ({low} to {high})" if ratio.bounded else value


def log2_text(number: int) -> str:
    """2^21 for 2097152; other numbers in full."""
    return f"2^{number.bit_length() - 1}" if number & (number - 1) == 0 else f"{number:,}"


def markdown_table(
    heading: Sequence[str], lines: Iterable[Sequence[str]], texts: int = 1, more_texts: Collection[str] = ()
) -> str:
    """The first columns are texts, those of these headings too, the others are figures."""
    left = {*heading[:texts], *more_texts}
    rule = ["---" if head in left else "---:" for head in heading]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, rule, *lines))
