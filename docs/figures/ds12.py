"""The documents' figures of DS12, which P0089 nominates for further study: the paper's observations, from
its own table and from the stored rows, at the sizes that both have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from figures import WHOLE_TABLES, block
from figures.stored import StoredRun, markdown_table, on_huge_pages, run_conditions, stored_runs
from mallard.bench.analysis.cell_tables import density_tables
from mallard.bench.analysis.names import BASE
from mallard.bench.experiments.density import WARM
from mallard.bench.library import WALK
from mallard.bench.papers.printed import P0089
from mallard.bench.papers.registry import own_table

STRUCTURE = "DS12"
MONOTONIC, POOL = "monotonic", "multipool"
SHOWN = (
    *(BASE, f"{BASE}/base", MONOTONIC, f"{MONOTONIC}/wink", WALK, f"{MONOTONIC}/base"),
    *(f"{MONOTONIC}/base/wink", POOL, f"{POOL}/wink"),
)
PAIRS = (
    *(
        (BASE, MONOTONIC),
        (f"{BASE}/base", BASE),
        (f"{MONOTONIC}/base", MONOTONIC),
        (f"{MONOTONIC}/base", WALK),
    ),
    *((f"{name}/wink", name) for name in (MONOTONIC, f"{MONOTONIC}/base", POOL)),
)
STEPPING = (BASE, MONOTONIC, WALK)
Times = Mapping[int, Mapping[str, float]]  # size -> strategy -> nanoseconds a leaf element


WHOLE_TABLES["ds12"] = lambda: "\n\n".join((table(), observations(whole=True), run_conditions(_run())))


def _run() -> StoredRun:
    """The one with the most sizes, on small pages, with a warm buffer and hashed prefixes."""
    runs = [
        run
        for run in stored_runs("density")
        if not on_huge_pages(run)
        and (run.run["options"].get("buffer"), run.run["options"].get("hash")) == (WARM, "prefix")
    ]
    return max(runs, key=lambda run: len(_times(run)))


def _times(run: StoredRun) -> Times:
    """Of the sizes at which all shown strategies finished."""
    lines = [
        line for table in density_tables(run.rows) if table.structure == STRUCTURE for line in table.lines
    ]
    return {
        line.size_log2: {name: line.cells[name].ns_per_operation for name in SHOWN}
        for line in lines
        if all(line.finished(name) for name in SHOWN)
    }


def both() -> tuple[Times, Times]:
    """The paper's times and these, at the sizes that both have."""
    here, printed = _times(_run()), own_table(P0089, STRUCTURE)
    there = {
        size: {
            name: time
            for name in SHOWN
            if name in printed.rows[size,] and (time := printed.nanoseconds((size,), name)) is not None
        }
        for size in here
        if (size,) in printed.rows
    }
    return there, {size: here[size] for size in there}


def table() -> str:
    """Here / printed: nanoseconds of new-delete, the others in percent of it."""
    there, here = both()
    return markdown_table(
        ["elements", f"{BASE}, ns", *(f"{name}, %" for name in SHOWN[1:])],
        [
            [
                f"2^{size}",
                *(
                    " / ".join(_figure(times[size], name) for times in (here, there) if name in times[size])
                    for name in SHOWN
                ),
            ]
            for size in here
        ],
    )


def _figure(times: Mapping[str, float], name: str) -> str:
    return f"{times[name]:.0f}" if name == BASE else f"{100 * times[name] / times[BASE]:.0f}"


@block("ds12")
def observations(*, whole: bool = False) -> str:
    """What the paper observed in its table, there and here. A page has the jump, the base class, the walk and
    the wink.
    """
    there, here = both()
    lines = [
        [f"`{name}` / `{base}`", *(_ratios(times, name, base) for times in (there, here))]
        for name, base in PAIRS
        if whole or name in (f"{MONOTONIC}/base", f"{MONOTONIC}/wink")
    ]
    if len(here) > 1:
        lines += [
            [f"`{name}`: a leaf / one at the size before", *(_steps(times, name) for times in (there, here))]
            for name in (STEPPING if whole else STEPPING[:1])
        ]
    return markdown_table(["ratio of times", "P0089", "here"], lines, texts=3)


def _ratios(times: Times, name: str, base: str) -> str:
    ratios = {size: each[name] / each[base] for size, each in times.items() if {name, base} <= each.keys()}
    return _span(ratios, lambda size: f"2^{size}")


def _steps(times: Times, name: str) -> str:
    before = {second: first for first, second in pairwise(sorted(times)) if name in times[first]}
    ratios = {second: times[second][name] / times[first][name] for second, first in before.items()}
    return _span(ratios, lambda size: f"2^{before[size]} to 2^{size}")


def _span(ratios: Mapping[int, float], place: Callable[[int], str]) -> str:
    """`0.92 (2^14) to 1.01 (2^6)`; empty if the paper has no such strategy."""
    if not ratios:
        return ""
    ends = (min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__))
    return " to ".join(f"{ratios[size]:.2f} ({place(size)})" for size in ends)
