"""The documents' printed tables as evidence, so that a rule can run on the tables that it judges."""

from __future__ import annotations

from collections.abc import Iterable

from mallard.bench.claims.figures import AVERAGED
from mallard.bench.evidence.comparison import fixed_block_place, small_objects_place
from mallard.bench.evidence.evidence import SHUFFLED, Evidence
from mallard.bench.papers.locality import DEGRADATION, ONSET, TIME
from mallard.bench.papers.printed import P0089, P0213, PrintedTable
from mallard.bench.papers.registry import own_table, table_named, tables_of

STRUCTURES = tuple(f"DS{number}" for number in range(1, 13))
AVERAGES = (AVERAGED, 0, "half")  # the place of Table 20, a mean of R, among the ratios
P0213_PERCENTS = (12, *range(53, 58), 14, 16, *range(59, 65), *range(66, 72))


def table_evidence(tables: Iterable[PrintedTable]) -> Evidence:
    evidence = Evidence()
    for table in tables:
        for key, line in table.rows.items():
            for column in line:
                _add(evidence, table, key, column)
    return evidence


def p0089() -> Evidence:
    """DS1 with the two decimals of P0213's copy, Benchmark II as effects of shuffling, without buffers."""
    names = [
        *(f"p0089:{number}" for number in range(15, 20)),
        *(f"p0089:III-{total}" for total in range(30, 36)),
    ]
    parts = ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))
    names += [f"p0089:IV-{n}-{s}" for n, s in parts]
    return table_evidence([*(own_table(P0089, name) for name in STRUCTURES), *map(table_named, names)])


def p0213() -> Evidence:
    """The printed percents, or else the printed seconds."""
    numbers = (*range(43, 47), *P0213_PERCENTS, *range(17, 20))
    tables = [table_named(f"p0213:{number}") for number in numbers]
    return table_evidence([*(own_table(P0213, name) for name in STRUCTURES), *tables])


def small_documents() -> Evidence:
    """The Loki test and Optimized C++."""
    return table_evidence([*tables_of("small-objects"), *tables_of("fixed-block")])


def _add(evidence: Evidence, table: PrintedTable, key: tuple[int, ...], column: str) -> None:
    figure = table.rows[key][column]
    if figure is None:
        return
    if table.experiment == "locality":
        _add_access(evidence, table, key[0], column, figure)
        return
    if table.experiment == "fragmentation":
        structure, freed = table.place.get("ds"), table.place.get("freed")
        place = (str(structure), key[0], str(freed)) if structure else AVERAGES
        cell = (*place, column)
        evidence.ratios[cell] = figure
        return
    time = table.nanoseconds(key, column)
    assert time is not None
    if table.experiment == "density":
        evidence.density[str(table.place["ds"]), key[0], column] = time
    elif table.experiment == "utilization":
        total, active, block = key
        buffer = "none" if table.data_paper == "P0089" else "cold"
        evidence.utilization[buffer, total, active, block, column] = time
    elif table.experiment == "small-objects":
        evidence.of(table.experiment)[small_objects_place(table, key, column)] = time
    elif table.experiment == "fixed-block":
        evidence.of(table.experiment)[fixed_block_place(table, key, column)] = time
    else:
        n, s = int(table.place["iterations_log2"]), int(table.place["block_log2"])
        evidence.contention[str(table.place["buffer"]), n, s, key[0], column] = time


def _add_access(evidence: Evidence, table: PrintedTable, length: int, column: str, figure: float) -> None:
    kind, links, strategy = table.place["what"], int(table.place["links"]), str(table.place["strategy"])
    if kind == TIME:
        shuffled = int(table.place["shuffle_factor"])
        evidence.locality[links, length, shuffled, int(column), strategy] = figure
    elif kind == ONSET:
        evidence.locality[links, length, int(column), int(table.place["access_factor"]), strategy] = figure
    elif kind == DEGRADATION:
        evidence.locality[links, length, 0, int(column), strategy] = 1.0
        evidence.locality[links, length, SHUFFLED, int(column), strategy] = figure
