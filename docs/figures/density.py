"""The figures of density: means with the papers', a line a structure, the picture."""

from __future__ import annotations

import re
from functools import cache

from figures import BLOCKS, bde, block
from figures.heat_map_image import heat_map_image
from figures.stored import (
    DOCS,
    StoredRun,
    buffer_text,
    markdown_table,
    run_conditions,
    stored_runs,
)
from mallard.bench.analysis.averages import Effect, mean_over_rows
from mallard.bench.analysis.cell_tables import Line
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.density import Summary, summaries
from mallard.bench.cells import times_ratio
from mallard.bench.contenders import CONTENDERS
from mallard.bench.experiments.description.axis import SMALL
from mallard.bench.library import KEEP, LOCK, NULL
from mallard.bench.papers.printed import P0089, P0213
from mallard.bench.strategy_names import BASE_MARK, paper_number
from mallard.shared.stats import Ratio, paired_ratio

HASHES = ("prefix", "full")
CLEARLY = 0.05


@cache
def summary() -> Summary:
    return hashed("prefix")


@cache
def hashed(hashing: str) -> Summary:
    """The summary of the newest run with this hash, on small pages if it has some."""
    return min(
        summaries(_run(hashing).rows),
        key=lambda candidate: dict(candidate.setting).get("pages", SMALL) != SMALL,
    )


def _run(hashing: str) -> StoredRun:
    return next(run for run in stored_runs("density") if run.run["options"].get("hash") == hashing)


def full_strings() -> dict[str, Ratio]:
    """The means with whole strings hashed, over the same rows: most structures hash none."""
    full = hashed("full").tables
    types = {table.type for table in full}
    tables = [*full, *(table for table in summary().tables if table.type not in types)]
    means = {name: mean_over_rows(tables, name) for name in summary().strategies}
    return {name: mean for name, mean in means.items() if mean and mean.n == summary().means[name].n}


@block("population")
def population() -> str:
    text = f"Means over {summary().population}."
    if once := summary().built_once:
        text += (
            f" In {once} of these rows a process builds one structure only: there `new-delete` touches its "
            "pages for the first time, and a warm buffer has its pages."
        )
    return text


BLOCKS.update(
    dispatch=lambda: effect_text(summary().dispatch), winking_out=lambda: effect_text(summary().wink_out)
)


@block("density_conditions")
def both_conditions() -> str:
    """Of the run with prefixes, and of the one with whole strings hashed."""
    return run_conditions(*map(_run, HASHES), *bde.runs_of("density"))


STRATEGIES_FILE = DOCS.parent / "bench/runner/strategy/strategies.def"
MECHANISM = re.compile(r"MECHANISM\((\w+),[^)]*takes_buffer")
STRATEGY = re.compile(r'STRATEGY\("([^"]+)", (\w+)')


def begins_in_buffer() -> list[str]:
    """The strategies of this library that begin in the buffer of a cell, without their bindings and ends."""
    text = STRATEGIES_FILE.read_text(encoding="utf-8")
    mechanisms = set(MECHANISM.findall(text))
    return [
        name
        for name, kind in STRATEGY.findall(text)
        if kind in mechanisms and "/" not in name and not name.endswith(f"-{LOCK}")
    ]


@block("kept_pages")
def kept_pages() -> str:
    """The rows that glibc's return of freed pages decides."""
    ratios = [
        ratio
        for table in summary().tables
        for line in table.lines
        if (both := line.paired(KEEP, BASE)) and (ratio := paired_ratio(*both).median)
    ]
    faster = [ratio for ratio in ratios if ratio < 1 - CLEARLY]
    return (
        "glibc returns freed pages to the system and faults them in again. With that switched off "
        f"(`{KEEP}`), but for blocks above 32 MiB, glibc takes at least {100 * CLEARLY:.0f} % less in "
        f"{len(faster)} of {len(ratios)} rows, at best {100 * (1 - min(ratios)):.0f} %."
    )


@block("below_null")
def below_null() -> str:
    """The rows in which a strategy takes less time than the same work over memory that is there."""
    worst = []
    for line in _lines(summary()).values():
        null = line.cells[NULL].times
        others = line.cells.keys() - CONTENDERS.keys() - {NULL, f"{NULL}{BASE_MARK}"}
        compared = [times_ratio(line.cells[name].times, null) for name in others]
        ratios = [ratio for ratio in compared if ratio and ratio.high < 1]
        if ratios:
            worst.append(min(ratio.median for ratio in ratios))
    if not worst:
        return f"No strategy is faster than `{NULL}` beyond the interval."
    clearly = sum(ratio < 1 - CLEARLY for ratio in worst)
    return (
        f"`{NULL}` is no floor: in {len(worst)} of {summary().rows} rows a strategy is faster beyond the "
        f"interval, in {clearly} by more than {100 * CLEARLY:.0f} %, at most by "
        f"{100 * (1 - min(worst)):.0f} %. The code around the allocator differs there."
    )


def effect_text(effect: Effect) -> str:
    """The effect of a binding or of winking out: its mean and its median over all cells."""
    if effect.overall is None:
        return "Not measured."
    mean = effect.overall
    interval = f"{mean.low:.1f} to {mean.high:.1f}"
    return f"{mean.median:.1f} ({interval}) % in the mean of all pairs, {effect.middle:.1f} % in the median."


def _lines(source: Summary) -> dict[tuple[str, int], Line]:
    return {(table.type, line.size_log2): line for table in source.tables for line in table.lines}


def image() -> str:
    stored = stored_runs("density")[0]
    (text,) = {
        buffer_text(str(row.parameters["buffer"]), int(row.parameters["buffer_bytes"])) for row in stored.rows
    }
    return heat_map_image(summary(), f"{', '.join(begins_in_buffer())}: in {text}. The others have none.")


@block("averages")
def averages() -> str:
    """The papers' strategies bound by type, with their printed means. Whole strings hashed are next to
    their first characters, because that choice decides the share of the allocator where strings are keys.
    """
    # Without a row that is built once, "built more than once" would repeat its neighbour.
    columns = {"built more than once": summary().repeated} if summary().built_once else {}
    columns |= {"whole strings hashed": full_strings(), "BDE's": bde.means()}
    heading = ["strategy", "AS", f"here, % of {BASE}", *columns, "P0213, same rows", "P0089, same rows"]
    lines = []
    for name, mean in summary().means.items():
        if name == NULL or (paper_number(name) and name != BASE and BASE_MARK not in name):
            others = (
                f"{100 * column[name].median:.1f}" if name in column else "" for column in columns.values()
            )
            figures = (f"{100 * mean.median:.1f}", *others, *_printed_means(name))
            lines.append([name, paper_number(name), *figures])
    return markdown_table(heading, lines, texts=2)


def _printed_means(name: str) -> list[str]:
    """Of the papers' rows for the structures and sizes that were measured here."""
    means = [summary().printed_mean(paper, name) for paper in (P0213, P0089)]
    return ["" if mean is None else f"{mean:.1f}" for mean in means]
