"""Benchmark V: the tables of density in a heap that was used before.

    rows -> fragmentation_tables -> FragmentationTable, one for each structure and setting
         -> by the freed share of the chunks (D): a table of density; R of it and of `none`

R is P0213's ratio of ratios (section 13): (strategy / new-delete, after D was freed) / (strategy /
new-delete, untouched heap), paired by repetition. Below 1 the strategy suffers less than the global
allocator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line, Setting, StructureTable, structure_tables
from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.cells import Pairing, Times, paired, times_ratio
from mallard.bench.experiments.fragmentation import FREED, HEAP, UNTOUCHED
from mallard.bench.result import Row
from mallard.shared.stats import Ratio, mean_ratio, paired_ratio


@dataclass(frozen=True)
class FragmentationTable:
    structure: str
    type: str
    setting: Setting  # without `freed`
    tables: dict[str, StructureTable]  # the freed share -> cells

    @property
    def upstream(self) -> str:
        return str(dict(self.setting).get("upstream", ""))

    @property
    def freed(self) -> list[str]:
        """The freed shares of used heaps, in the order of the paper."""
        return [name for name in FREED if name in self.tables and name != UNTOUCHED]

    @property
    def sizes_log2(self) -> list[int]:
        return sorted({line.size_log2 for table in self.tables.values() for line in table.lines})

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for table in self.tables.values() for name in table.strategies})

    def line(self, freed: str, size_log2: int) -> Line | None:
        table = self.tables.get(freed)
        return table.line(size_log2) if table else None

    def ratio_of_ratios(self, freed: str, size_log2: int, strategy: str) -> Ratio | None:
        """R of one cell; None if one of its four times is missing."""
        pairing = self.pairing(freed, size_log2, strategy)
        return paired_ratio(*pairing) if pairing else None

    def pairing(self, freed: str, size_log2: int, strategy: str) -> Pairing | None:
        """The times relative to new-delete's of one cell: after D was freed, and in the untouched heap."""
        used = _relative(self.line(freed, size_log2), strategy)
        fresh = _relative(self.line(UNTOUCHED, size_log2), strategy)
        return paired(used, fresh)

    def slowdown(self, freed: str, size_log2: int, strategy: str) -> Ratio | None:
        """The time after D was freed, divided by that in the untouched heap."""
        used, fresh = self.line(freed, size_log2), self.line(UNTOUCHED, size_log2)
        if used is None or fresh is None or strategy not in used.cells or strategy not in fresh.cells:
            return None
        return times_ratio(used.cells[strategy].times, fresh.cells[strategy].times)


def fragmentation_tables(rows: Iterable[Row]) -> list[FragmentationTable]:
    """One for each structure and setting, in the papers' order. Tables with chunks from the heap come
    last.
    """
    grouped: dict[tuple[str, Setting], dict[str, StructureTable]] = {}
    for table in structure_tables(rows, "fragmentation"):
        freed = str(dict(table.setting).get("freed", UNTOUCHED))
        setting = tuple((name, value) for name, value in table.setting if name != "freed")
        grouped.setdefault((table.structure, setting), {})[freed] = table
    tables = [
        FragmentationTable(structure, next(iter(by_freed.values())).type, setting, by_freed)
        for (structure, setting), by_freed in grouped.items()
    ]
    return sorted(tables, key=lambda table: table.upstream == HEAP)


def mean_ratio_of_ratios(
    tables: Iterable[FragmentationTable], freed: Sequence[str], strategy: str
) -> Ratio | None:
    """R over all structures, sizes and heaps of `freed`, with one weight for every cell. P0213's Table 20
    has it for FRAGMENTED.
    """
    pairings = [
        table.pairing(heap, size, strategy) for table in tables for heap in freed for size in table.sizes_log2
    ]
    measured = [pairing for pairing in pairings if pairing]
    return mean_ratio(measured) if measured else None


def _relative(line: Line | None, strategy: str) -> Times:
    """Times of a strategy divided by new-delete's in that repetition."""
    if line is None or strategy not in line.cells or BASE not in line.cells:
        return {}
    times, base = line.cells[strategy].times, line.cells[BASE].times
    return {repetition: times[repetition] / base[repetition] for repetition in times.keys() & base.keys()}
