"""The figures of density: means beside the papers', a line a structure, the picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from figures.heat_map_image import heat_map_image
from figures.stored import conditions, percent_interval, stored_runs
from mallard.analysis.averages import mean_over_rows
from mallard.analysis.names import BASE
from mallard.analysis.summary import Summary, paper_average, summaries
from mallard.analysis.verdicts import Verdict
from mallard.experiments.description.axis import SMALL
from mallard.library import WALK
from mallard.papers.tables import AVERAGES, P0089, printed_table
from mallard.stats import Ratio
from mallard.strategy_names import number_of

HASHED_STRINGS = ("unordered_set", "string")
HASHES = ("prefix", "full")
SHOWN = ("monotonic", "monotonic/wink", "multipool", "multipool/base", "multipool+monotonic/wink")


@cache
def summary() -> Summary:
    return hashed("prefix")


@cache
def hashed(how: str) -> Summary:
    """The newest summary of rows with this hash, on small pages if there are some."""
    return min(_summaries(how), key=lambda each: dict(each.setting).get("pages", SMALL) != SMALL)


def is_stored(how: str) -> bool:
    return bool(_summaries(how))


@cache
def _summaries(how: str) -> list[Summary]:
    runs = [run for run in stored_runs("density") if run.run["options"].get("hash") == how]
    return summaries(runs[0].rows) if runs else []


def whole_strings() -> dict[str, Ratio]:
    """The means with whole strings hashed, over the same rows: most structures hash none."""
    if not is_stored("full"):
        return {}
    full = hashed("full").tables
    tables = [*full, *(table for table in summary().tables if table.type not in {each.type for each in full})]
    means = {name: mean_over_rows(tables, name) for name in summary().strategies}
    return {name: mean for name, mean in means.items() if mean and mean.n == summary().means[name].n}


def population() -> str:
    once = summary().built_once
    return (
        f"Means over {summary().population}. In {once} of these rows a process builds one structure only: "
        f"there `new-delete` touches its pages for the first time, and a warm buffer has its pages."
    )


def structures() -> str:
    """A line for each structure. Where strings are hashed, the figure for whole strings stands beside the one
    for their first characters, because that choice decides the share of the allocator.
    """
    return "\n".join(
        [
            f"| % of {BASE} | {' | '.join(SHOWN)} | fastest |",
            f"|---|{'---:|' * len(SHOWN)}---|",
            *(_structure(verdict) for verdict in summary().verdicts),
        ]
    )


def _structure(verdict: Verdict) -> str:
    figures = [_both(verdict.type, name) for name in SHOWN]
    fastest = verdict.best.strategy if verdict.best else BASE
    return f"| `{verdict.type}` | {' | '.join(figures)} | {fastest} |"


def _both(type_: str, strategy: str) -> str:
    hashes = all(part in type_ for part in HASHED_STRINGS)
    return " / ".join(_share(how, type_, strategy) for how in (HASHES if hashes else HASHES[:1]))


def _share(how: str, type_: str, strategy: str) -> str:
    found = hashed(how).tables if is_stored(how) else []
    mean = mean_over_rows([table for table in found if table.type == type_], strategy)
    return f"{100 * mean.median:.0f}" if mean else "not measured"


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "averages": averages,
        "conditions": lambda: conditions("density"),
        "population": population,
        "structures": structures,
    }


def image() -> str:
    return heat_map_image(summary())


def averages() -> str:
    """The first table of the results: whole strings hashed beside their first characters, because that choice
    decides the share of the allocator where strings are keys.
    """
    full = whole_strings()
    here = f"here, % of {BASE} | interval | built more than once | whole strings hashed"
    lines = [f"| strategy | AS | {here} | P0213 | P0089 |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    printed = printed_table(AVERAGES).lines[0]
    for name, mean in summary().means.items():
        if name in (BASE, WALK):
            continue
        beside = (
            [f"{printed[name]:.2f}", f"{paper_average(P0089, name):.1f}"] if name in printed else ["", ""]
        )
        shown = f"{100 * mean.median:.1f}"
        others = (
            f"{100 * means[name].median:.1f}" if name in means else "" for means in (summary().repeated, full)
        )
        here = f"{shown} | {percent_interval(mean)} | {' | '.join(others)}"
        lines.append(f"| {name} | {number_of(name)} | {here} | {beside[0]} | {beside[1]} |")
    return "\n".join(lines)
