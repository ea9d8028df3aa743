"""The stored rows as `mallard show --markdown` writes them: `docs/refresh.py --print EXPERIMENT`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from figures import WHOLE_TABLES, whole_table
from figures.claims import entries, runs
from figures.peers import all_pairs, all_results
from figures.stored import every_run, stored_file
from mallard.bench.analysis.panels import panel_report
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.coverage import coverage
from mallard.bench.view.claims import claims_report
from mallard.bench.view.peers import peers_report
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import Block, Table


def report(experiment: str) -> str:
    """Of each run, the one of the experiment's table first."""
    return "\n".join(
        markdown_report(
            panel_report(experiment, stored.rows, stored.run["machine"]["cores"]), stored.run["command"]
        )
        for stored in every_run(experiment)
    )


@whole_table("peers")
def peers() -> str:
    """With every lost cell, as in a file."""
    full = peers_report(all_results(), all_pairs())
    sections = (replace(section, blocks=tuple(map(_unlimited, section.blocks))) for section in full.sections)
    return markdown_report(replace(full, sections=tuple(sections)), "mallard show peers --all")


def _unlimited(block: Block) -> Block:
    return replace(block, most=None) if isinstance(block, Table) else block


@whole_table("claims")
def claims() -> str:
    covered = coverage(row for stored in runs() for row in stored.rows)
    return markdown_report(claims_report(entries(), covered=covered), "mallard show claims")


WHOLE_TABLES.update({name: partial(report, name) for name in EXPERIMENTS if stored_file(name).exists()})
