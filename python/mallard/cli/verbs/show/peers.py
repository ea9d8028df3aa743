"""`mallard show peers`: mallard's strategies against the allocators of other libraries, wins and losses."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from mallard.bench.analysis.peers import (
    TIME,
    CellResult,
    Counterpart,
    Side,
    cell_results,
    counterparts,
    has_contenders,
)
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.store import Run, Store
from mallard.cli import exit_status
from mallard.cli.forms import check_forms, write_report
from mallard.cli.options import nothing_measured
from mallard.cli.parser import check_choice
from mallard.cli.verbs.show.runs import FORM_OPTIONS, check_runs, selected_runs, several
from mallard.shared.errors import UsageError

EXAMPLES = (
    ("mallard show peers", "a line for each library, by the newest runs"),
    ("mallard show peers small-objects", "one experiment, with the cells that it lost"),
    ("mallard show peers --run 3,5", "by these runs alone"),
    ("mallard show peers --all --markdown", "as Markdown; --json has every cell"),
    ("mallard bench density --contenders", "measures density with the other libraries"),
)
ARGUMENT = ("EXPERIMENT", "one of 'mallard show experiments' (default: a summary)")
OPTIONS = {
    "all": "every experiment as if it were named",
    "run": several("cell"),
    **FORM_OPTIONS,
}
PIPE_WIDTH = 160


def check(arguments: argparse.Namespace) -> None:
    if arguments.argument is not None:
        check_choice("unknown experiment", arguments.argument, EXPERIMENTS)
    check_runs(arguments)
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.peers import peers_report, summary_report

    all_results, pairs, runs = _load_comparisons(arguments)
    if not all_results:
        experiment = arguments.argument or "density"
        where = f" in {experiment}" if arguments.argument else ""
        raise UsageError(
            f"{arguments.db} has no run with allocators of other libraries{where}; "
            f"'mallard bench {experiment} --contenders' makes one"
        )
    if arguments.argument is None and not arguments.all:
        report = summary_report(all_results, pairs)
    else:
        report = peers_report(all_results, pairs, runs)
    write_report(arguments, report, partial(_as_json, all_results, pairs), PIPE_WIDTH)
    return exit_status.DONE


def _load_comparisons(arguments: argparse.Namespace) -> tuple[list[CellResult], list[Counterpart], list[Run]]:
    if nothing_measured(arguments) and arguments.run == "latest":
        return [], [], []
    with Store.open_existing(arguments.db) as store:
        runs = selected_runs(store, arguments.run)
        rows = [row for run in runs for row in store.rows(run.id, arguments.argument)]
    if not has_contenders(rows):
        return [], [], []
    all_results = cell_results(rows)
    used = {result.run for result in all_results}
    return all_results, counterparts(rows), [run for run in runs if run.id in used]


def _as_json(results: Sequence[CellResult], pairs: Sequence[Counterpart]) -> str:
    records = [
        {
            "mallard": pair.ours,
            "other": pair.theirs,
            "ratio": pair.ratio,
            "cells": dict(pair.counts),
            "experiments": {
                summary.experiment: summary.mean.median for summary in pair.summaries if summary.mean
            },
        }
        for pair in pairs
    ]
    data = {"format": 1, "counterparts": records, "comparisons": list(map(_record, results))}
    return json.dumps(data, indent=1)


def _record(result: CellResult) -> dict[str, Any]:
    """JSON has no infinity, so an unbounded end of an interval is null."""
    ratio = result.ratio
    return {
        "run": result.run,
        "experiment": result.experiment,
        "parameters": dict(result.cell),
        "quantity": "ns_per_operation" if result.quantity == TIME else result.quantity.figure,
        "peer": result.peer,
        "mallard": _side(result.ours),
        "other": _side(result.theirs),
        "ratio": ratio.median if ratio else None,
        "low": ratio.low if ratio and ratio.bounded else None,
        "high": ratio.high if ratio and ratio.bounded else None,
        "verdict": result.verdict,
    }


def _side(side: Side) -> dict[str, Any]:
    return {"strategy": side.strategy, "median": side.value, "status": side.status or "ok"}
