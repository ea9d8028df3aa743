"""Compares mallard with a malloc that a user could preload: the cells, the columns, and the sentences.

There is a column for each malloc and strategy, a line for each cell, in percent of the C library's malloc.
The programs of the first part decide, and the loops of the other parts explain. The verdict is about one
strategy, so that no cell chooses its winner: `multipool`, or `concurrent-multipool` for blocks that another
thread frees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import structure_type
from mallard.bench.analysis.names import malloc
from mallard.bench.analysis.panel.works import compare, group_works
from mallard.bench.analysis.words import in_a_list, percent, percent_text
from mallard.bench.cells import Cell, CellRow, Pairing, cell_rows, mean_over, paired
from mallard.bench.experiments import programs
from mallard.bench.library import BASE
from mallard.bench.plan.request import Request
from mallard.bench.result import Parameters, Row
from mallard.shared.mallocs import under
from mallard.shared.stats import Outcome, Ratio, paired_ratio

PRIVATE = "multipool"
INLINE = "multipool/inline"
SHARED = "concurrent-multipool"
SHOWN = (PRIVATE, INLINE, SHARED, "monotonic/wink")
WORDS = {
    PRIVATE: "one allocator for everything, bound by type",
    INLINE: "the same behind one type for all mechanisms",
    SHARED: "one allocator for all threads",
    "monotonic/wink": "a region that ends as a whole, without destructors",
}
REPETITIONS = 5
HEAVY = 2.0  # times glibc's time
ANSWERS: dict[Outcome, str] = {
    "faster": "is faster than",
    "even": "is as fast as",
    "not resolved": "has no resolved difference from",
    "slower": "is slower than",
}


@dataclass(frozen=True)
class Part:
    """An experiment, or a part of it: its heading, its request, and the words of a cell."""

    heading: str
    experiment: str
    strategies: tuple[str, ...]
    options: Mapping[str, str]

    def request(self, mallocs: str) -> Request:
        return Request(
            self.experiment,
            options=self.options,
            strategies=",".join((BASE, *self.strategies)),
            mallocs=mallocs,
            repetitions=REPETITIONS,
        )


PROGRAMS = Part("programs", programs.NAME, (PRIVATE, INLINE), {"size": programs.SIZES[0]})
PARTS = (
    PROGRAMS,
    Part(
        "build and destroy",
        "density",
        (PRIVATE, INLINE, "monotonic/wink"),
        {"ds": "2-4,6,8,12", "size": "8,12", "hash": "full"},
    ),
    Part("free, allocate again", "reuse", (PRIVATE, INLINE), {}),
    Part(
        "2 threads, own frees",
        "contention",
        (PRIVATE, INLINE, SHARED),
        {"threads": "2", "block": "8", "iterations": "15", "freed-by": "self"},
    ),
    Part(
        "2 threads, the other frees",
        "contention",
        (SHARED,),
        {"threads": "2", "block": "6,8", "iterations": "15", "freed-by": "other"},
    ),
)


@dataclass(frozen=True)
class Line:
    part: str
    cell: str
    cells: dict[str, Cell]

    @property
    def ours(self) -> str:
        """The strategy that represents mallard in this line."""
        return PRIVATE if PRIVATE in self.cells else SHARED

    def ratio(self, name: str, base: str = BASE) -> Ratio | None:
        pairing = self.pairing(name, base)
        return paired_ratio(*pairing) if pairing else None

    def pairing(self, name: str, base: str) -> Pairing | None:
        cell, base_cell = self.cells.get(name), self.cells.get(base)
        return paired(cell.times, base_cell.times) if cell and base_cell else None


def build_lines(rows_of_parts: Iterable[Iterable[Row]]) -> list[Line]:
    """The lines of the table. `rows_of_parts`: the rows of each part's run, in the order of PARTS."""
    return [line for part, rows in zip(PARTS, rows_of_parts, strict=True) for line in _lines(part, rows)]


def _lines(part: Part, rows: Iterable[Row]) -> list[Line]:
    if part is PROGRAMS:
        works = (work for setting in group_works(programs.NAME, rows).values() for work in setting)
        return [Line(part.heading, work.label, work.line.cells) for work in works]
    return [
        Line(part.heading, _words(part.experiment, row.parameters), row.cells)
        for row in sorted(cell_rows(rows), key=_place)
    ]


def rival_strategies(lines: Sequence[Line]) -> list[str]:
    """The global allocator under each malloc that was selected."""
    names = dict.fromkeys(name for line in lines for name in line.cells)
    return [name for name in names if malloc(name) and name == under(BASE, malloc(name))]


def mean(lines: Sequence[Line], name: str, base: str = BASE) -> Ratio | None:
    """The mean of a strategy's ratios; an empty name is the strategy that represents mallard in each line."""
    return mean_over(line.pairing(name or line.ours, base) for line in lines)


def verdict(lines: Sequence[Line], rival: str) -> list[str]:
    """Sentences about one malloc: whether mallard beats it in the programs, and what the other parts
    explain.
    """
    sentences = [
        *_programs_verdict([line for line in lines if line.part == PROGRAMS.heading], rival),
        *_explanation([line for line in lines if line.part != PROGRAMS.heading], rival),
    ]
    return sentences or [f"{malloc(rival)} finished in no cell that mallard finished."]


def _programs_verdict(lines: Sequence[Line], rival: str) -> list[str]:
    cells = {line.cell: line.cells for line in lines}
    comparison, inline = compare(cells, PRIVATE, rival), compare(cells, INLINE, rival)
    if comparison is None:
        return []
    name, ratios = malloc(rival), comparison.ratios
    behind = f"; {INLINE} {percent_text(inline.mean)}" if inline else ""
    faster = [ratio for ratio in ratios.values() if ratio.verdict == "faster"]
    slower = {cell: ratio for cell, ratio in ratios.items() if ratio.verdict == "slower"}
    worst = sorted(slower, key=lambda cell: slower[cell].median, reverse=True)
    named = in_a_list([f"{cell} ({percent(slower[cell].median)} %)" for cell in worst])
    sentence = (
        f"In {len(ratios)} programs {PRIVATE} {ANSWERS[comparison.mean.outcome]} {name}: it takes "
        f"{percent_text(comparison.mean)} of {name}'s time, geometric mean{behind}. {PRIVATE} is faster in "
        f"{len(faster)}, slower in {len(slower)}, beyond the interval"
    )
    return [f"{sentence}: {named}." if named else f"{sentence}."]


def _explanation(lines: Sequence[Line], rival: str) -> list[str]:
    """The means of the other parts, the number of their cells that each side wins, and the cells to preload
    the malloc for.
    """
    name = malloc(rival)
    ratios = [(line, line.ratio(line.ours, rival)) for line in lines]
    compared = [(line, ratio) for line, ratio in ratios if ratio]
    if not compared:
        return []
    faster = [line for line, ratio in compared if ratio.verdict == "faster"]
    slower = [(line, ratio) for line, ratio in compared if ratio.verdict == "slower"]
    sentences = []
    rival_mean, mallard_mean = mean(lines, rival), mean(lines, "")
    if rival_mean and mallard_mean:
        sentences.append(
            f"In the other parts, which explain, preloading {name} takes {percent_text(rival_mean)} of "
            f"glibc's time on average, and mallard {percent_text(mallard_mean)}."
        )
    sentences += _carried(name, rival, compared)
    sentences += _by_part(name, rival, lines)
    sentences.append(
        f"There mallard is faster than {name} in {len(faster)} of {len(compared)} cells, slower in "
        f"{len(slower)}, beyond the interval."
    )
    sentences += _cells_to_preload_for(name, slower)
    return sentences


def _carried(name: str, rival: str, compared: Sequence[tuple[Line, Ratio]]) -> list[str]:
    """The cells in which the malloc takes at least twice glibc's time, and both means without them, because a
    few such cells dominate the mean.
    """
    lines = [line for line, _ in compared]
    heavy = [line for line in lines if (ratio := line.ratio(rival)) and ratio.median >= HEAVY]
    remaining = [line for line in lines if line not in heavy]
    if not heavy or not remaining:
        return []
    cells = "; ".join(f"{line.part}: {line.cell}" for line in heavy)
    return [
        f"Without the cells that carry its mean ({cells}), {name} and mallard: {_means(rival, remaining)}."
    ]


def _by_part(name: str, rival: str, lines: Sequence[Line]) -> list[str]:
    parts: dict[str, list[Line]] = {}
    for line in lines:
        parts.setdefault(line.part, []).append(line)
    if len(parts) < 2:
        return []
    texts = [f"{part} ({len(cells)}) {_means(rival, cells)}" for part, cells in parts.items()]
    return [f"By part, {name} and mallard: {'; '.join(texts)}."]


def _means(rival: str, lines: Sequence[Line]) -> str:
    """The means of the malloc and of mallard, in percent of glibc's time."""
    means = [mean(lines, name) for name in (rival, "")]
    return " : ".join(f"{100 * ratio.median:.0f} %" if ratio else "-" for ratio in means)


def _cells_to_preload_for(name: str, slower: Sequence[tuple[Line, Ratio]]) -> list[str]:
    if not slower:
        return []
    worst = sorted(slower, key=lambda pair: pair[1].median, reverse=True)
    cells = [f"{line.part}: {line.cell} (mallard takes {percent_text(ratio)} of it)" for line, ratio in worst]
    return [f"Preload {name} for: {'; '.join(cells)}."]


def _words(experiment: str, parameters: Parameters) -> str:
    if experiment == "density":
        type_ = structure_type(str(parameters["ds"])).replace("unordered_", "")
        return f"{type_}, 2^{parameters['size_log2']}"
    if experiment == "reuse":
        least = "16 to " if parameters["sizes"] == "mixed" else ""
        blocks = f"2^{int(parameters['live']).bit_length() - 1}"
        return f"{least}{parameters['block_bytes']} B, {blocks}, {parameters['pattern']}"
    return f"blocks of 2^{parameters['block_log2']} bytes"


def _place(row: CellRow) -> list[tuple[int, str]]:
    """The parameters that sort the lines of a part, numbers by value."""
    order = ("sizes", "pattern", "ds", "block_bytes", "block_log2", "live", "size_log2")
    texts = [str(row.parameters.get(name, "")) for name in order]
    return [(len(text), text) for text in texts]


def legend(lines: Sequence[Line]) -> list[str]:
    """The words of the table: its strategies, and the amounts of its cells."""
    present = {name for line in lines for name in line.cells}
    return [
        *(f"{name}: {text}" for name, text in WORDS.items() if name in present),
        "set: unordered_set; 2^8: elements of a structure, or blocks that live",
    ]
