"""`mallard show export`: the rows of a run, or its cells, for other programs."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mallard.bench.analysis.names import in_table_order
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.store import Note, Run, Store
from mallard.cli.needs import Needs
from mallard.cli.verbs.show.runs import check_runs, selected_runs
from mallard.shared.atomic_file import write_atomically
from mallard.shared.errors import UsageError
from mallard.shared.parquet import EXTRA, Column, write_parquet
from mallard.shared.stats import median

PARQUET = "parquet"
EXAMPLES = (
    ("mallard show export > rows.csv", "every repetition of the latest run"),
    ("mallard show export --summary", "a cell a line: median, interval, ratio"),
    ("mallard show export --run all -o all.json", "every run, in the format of the file"),
    ("mallard show export --run all -o all.parquet", "for DuckDB, Spark or ClickHouse"),
)

FORMATS = ("csv", "json", PARQUET)
Record = dict[str, Any]
Notes = Mapping[int, Sequence[Note]]  # by the number of a run

OPTIONS = {
    "format": f"{', '.join(FORMATS)} (default: by the ending of the file, or else {FORMATS[0]})",
    "output": "the file to write (default: standard output)",
    "summary": "a line for each cell, not each repetition",
    "run": "latest (default), all, or numbers: 3,5",
}
CHOICES = {"format": FORMATS}


def check(arguments: argparse.Namespace) -> None:
    if _format(arguments) == PARQUET and arguments.output is None:
        raise UsageError("--format parquet needs a file; add -o rows.parquet")
    check_runs(arguments, measured=True)


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(environment=EXTRA if _format(arguments) == PARQUET else "run")


def run(arguments: argparse.Namespace) -> int:
    with Store.open_existing(arguments.db) as store:
        latest = arguments.run == "latest"
        runs = [store.select_run("latest")] if latest else selected_runs(store, arguments.run)
        rows = [row for run in runs for row in store.rows(run.id)]
        notes = {run.id: store.notes(run.id) for run in runs}
    if not rows:
        raise UsageError(f"{arguments.db} has no rows to export yet; 'mallard bench' makes them")
    if arguments.summary:
        records = [_of_cell(row.cells[name]) for row in cell_rows(rows) for name in in_table_order(row.cells)]
    else:
        records = [row.to_dict() for row in rows]
    if _format(arguments) == PARQUET:
        _write_parquet(arguments.output, records, notes)
        return 0
    text = WRITERS[_format(arguments)](runs, records, notes)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write_atomically(arguments.output, text)
    return 0


def _format(arguments: argparse.Namespace) -> str:
    if arguments.format or not arguments.output:
        return str(arguments.format or FORMATS[0])
    ending = arguments.output.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(
            f"--output {arguments.output}: its ending names no format; allowed are {', '.join(FORMATS)}; "
            "rename the file, or add --format"
        )
    return str(ending)


def _of_cell(cell: Cell) -> Record:
    """A flat record with units in the names; None for a missing figure."""
    times, ratio, last = cell.time, cell.ratio, cell.rows[-1]
    return {
        "run_id": last.run_id,
        "experiment": last.experiment,
        "parameters": last.parameters,
        "strategy": cell.strategy,
        "status": cell.status,
        "detail": "" if cell.finished else cell.detail,
        "repetitions": times.n if times else 0,
        "median_ns_per_operation": times.median if times else None,
        "low_ns_per_operation": times.low if times else None,
        "high_ns_per_operation": times.high if times else None,
        "ratio_to_as1": ratio.median if ratio else None,
        "ratio_low": ratio.low if ratio else None,
        "ratio_high": ratio.high if ratio and ratio.bounded else None,
        "verdict": ratio.verdict if ratio else "",
        "minor_faults": cell.minor_faults,
        "peak_rss_bytes": cell.peak_rss_bytes,
        "figures": {name: median(list(values.values())) for name, values in cell.figures.items()},
        "notes": list(cell.notes),
    }


def _as_json(runs: Sequence[Run], records: Sequence[Record], notes: Notes) -> str:
    run_records = [{**asdict(run), "notes": [asdict(note) for note in notes[run.id]]} for run in runs]
    return json.dumps({"format": 1, "runs": run_records, "rows": records}, indent=1) + "\n"


def _as_csv(runs: Sequence[Run], records: Sequence[Record], notes: Notes) -> str:
    of_run = {
        run: "; ".join(f"{note.kind}: {note.text}" for note in run_notes) for run, run_notes in notes.items()
    }
    flat = [{**_flat(record), "run_notes": of_run[record["run_id"]]} for record in records]
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(flat), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _write_parquet(path: Path, records: Sequence[Record], notes: Notes) -> None:
    """A parameter has a column of its own. Further figures, which differ from cell to cell, are a map."""
    flat = [
        {
            **{name: value for name, value in record.items() if name not in ("parameters", "figures")},
            **record["parameters"],
            "figures": {name: float(value) for name, value in record["figures"].items()},
            "run_notes": [f"{note.kind}: {note.text}" for note in notes[record["run_id"]]],
        }
        for record in records
    ]
    columns = {name: column_type([record.get(name) for record in flat]) for name in _columns(flat)}
    for record in flat:
        for name, kind in columns.items():
            if kind is str and record.get(name) is not None:
                record[name] = str(record[name])
    write_parquet(path, columns, flat, "-o")


def column_type(values: Sequence[Any]) -> Column:
    """The narrowest type of the values. Parameters of one name may have numbers here and words there."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {list, tuple} and kinds:
        return list[str]
    if kinds == {dict}:
        return dict[str, float]
    if kinds in ({int}, {bool}):
        return kinds.pop()
    return float if kinds and kinds <= {int, float} else str


def _flat(record: Record) -> Record:
    """Parameters become columns of their own. A list becomes one text, and so do the further figures, which
    differ from cell to cell.
    """
    flat: Record = {}
    for name, value in record.items():
        if name == "parameters":
            flat.update(value)
        elif name == "figures":
            flat[name] = json.dumps(value, sort_keys=True) if value else ""
        else:
            flat[name] = "; ".join(value) if isinstance(value, list) else value
    return flat


def _columns(flat: Sequence[Record]) -> list[str]:
    """The columns of all records, in the order of their first use. Experiments have different parameters."""
    return list(dict.fromkeys(name for record in flat for name in record))


WRITERS = {"csv": _as_csv, "json": _as_json}
