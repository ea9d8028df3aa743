"""The documents' figures of fragmentation: R by strategy, freed share and source of chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from figures import block
from figures.stored import (
    StoredRun,
    log2_text,
    markdown_table,
    ratio_text,
    run_conditions,
    stored_runs,
    with_others,
)
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.fragmentation import (
    FragmentationTable,
    fragmentation_tables,
    mean_ratio_of_ratios,
)
from mallard.bench.experiments.fragmentation import ALL, FRAGMENTED, IN_PRINT
from mallard.shared.prose import in_prose

BDES = "BDE's"
FEW = 5  # sizes, to be named
BDE = "bde-"  # before the name of its counterpart


@dataclass(frozen=True)
class Source:
    """The tables of one source of chunks, from the stored run with the most shares of it."""

    name: str
    stored: StoredRun
    tables: list[FragmentationTable]

    @property
    def freed(self) -> list[str]:
        return self.tables[0].freed

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The shares of each column by its heading. A mean stands there if it is one of several shares."""
        single = {f"D = {IN_PRINT[share]}, {self.name}": (share,) for share in self.freed}
        parts = tuple(share for share in self.freed if share in FRAGMENTED)
        mean = f"mean of {', '.join(IN_PRINT[share] for share in parts)}, {self.name}"
        return single | ({mean: parts} if len(parts) > 1 else {})

    def mean(self, shares: tuple[str, ...], strategy: str) -> str:
        return ratio_text(mean_ratio_of_ratios(self.tables, shares, strategy))

    def slowdowns(self, strategy: str, sizes: list[int]) -> list[str]:
        """Its times where everything was freed, divided by those in a fresh heap."""
        slowdowns = (table.slowdown(ALL, size, strategy) for table in self.tables for size in sizes)
        return [f"{slower.median:.2f}" for slower in slowdowns if slower]

    def population(self) -> str:
        structures = in_prose([table.structure for table in self.tables])
        names = [log2_text(1 << size) for size in self.tables[0].sizes_log2]
        sizes = in_prose(names) if len(names) <= FEW else f"{names[0]} to {names[-1]}"
        return f"{structures} with {sizes} elements"


@cache
def _bde() -> Source | None:
    """The other library's strategies take their chunks from the process's malloc, the perturbed heap."""
    stored = next((run for run in stored_runs("fragmentation") if _is_of_bde(run)), None)
    return Source(BDES, stored, fragmentation_tables(stored.rows)) if stored else None


def _is_of_bde(stored: StoredRun) -> bool:
    return any(row.strategy.startswith(BDE) for row in stored.rows)


def sources() -> list[Source]:
    by_name: dict[str, Source] = {}
    for stored in stored_runs("fragmentation"):
        if "--contenders" in stored.run["command"]:
            continue
        tables = fragmentation_tables(stored.rows)
        for name in dict.fromkeys(table.upstream for table in tables):
            source = Source(name, stored, [table for table in tables if table.upstream == name])
            if name not in by_name or len(source.freed) > len(by_name[name].freed):
                by_name[name] = source
    return list(by_name.values())


@block("fragmentation")
def means() -> str:
    """The mean of several shares without these."""
    columns = []
    for source in sources():
        merged = {share for shares in source.columns.values() if len(shares) > 1 for share in shares}
        columns += [
            (head, source, shares)
            for head, shares in source.columns.items()
            if len(shares) > 1 or shares[0] not in merged
        ]
    names = [name for name in sources()[0].tables[0].strategies if name != BASE]
    lines = [[name, *(source.mean(shares, name) for _, source, shares in columns)] for name in names]
    if theirs := _bde():
        columns += [(head, theirs, shares) for head, shares in theirs.columns.items()]
        for line in lines:
            line += [theirs.mean(shares, f"{BDE}{line[0]}") for shares in theirs.columns.values()]
    return markdown_table(["strategy", *(head for head, *_ in columns)], lines)


@block("fragmentation_population")
def population() -> str:
    """Of each source, because they may be of different runs."""
    names: dict[str, list[str]] = {}
    for source in sources():
        names.setdefault(source.population(), []).append(source.name)
    texts = [f"with chunks from the {in_prose(each)}, {rows}" for rows, each in names.items()]
    if theirs := _bde():
        texts.append(f"[BDE](bde.md)'s, from glibc's malloc, {theirs.population()}")
    return "; ".join(texts) + "."


@block("fragmentation_all_freed")
def all_freed() -> str:
    """Whether local allocators suffer more where everything was freed, with the slowdowns of both sides."""
    texts = []
    for source in sources():
        if ALL not in source.freed:
            continue
        names = [name for name in source.tables[0].strategies if name != BASE]
        ratios = {name: mean_ratio_of_ratios(source.tables, (ALL,), name) for name in names}
        above = [name for name, ratio in ratios.items() if ratio and ratio.low > 1]
        *small, size = source.tables[0].sizes_log2
        base, local = (source.slowdowns(name, [size]) for name in (BASE, names[0]))
        smaller = source.slowdowns(BASE, small)
        texts.append(
            f"With D = {IN_PRINT[ALL]} and chunks from the {source.name} R is above 1 for {len(above)} of "
            f"{len(names)} local strategies: they suffer more than the global allocator. For "
            f"{log2_text(1 << size)} elements of {in_prose([table.structure for table in source.tables])} "
            f"`{BASE}` takes {in_prose(base)} of its time in a fresh heap, `{names[0]}` {in_prose(local)}; "
            f"for fewer elements `{BASE}` takes {min(smaller)} to {max(smaller)}."
        )
    return " ".join(texts)


@block("fragmentation_conditions")
def conditions() -> str:
    stored = {source.stored.run["id"]: source.stored for source in sources()}
    return with_others(run_conditions(*stored.values()), {BDES: theirs.stored} if (theirs := _bde()) else {})
