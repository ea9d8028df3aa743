"""mallard beside a malloc that a user would preload: the cells, the columns, and what the figures say.

A column for each malloc and strategy, a line for each cell, in percent of the C library's malloc. The
verdict is about one strategy, so that no cell chooses its winner: `multipool`, or `concurrent-multipool` for
blocks that another thread frees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mallard.analysis.cell_tables import type_of
from mallard.analysis.names import malloc
from mallard.analysis.words import percent_text
from mallard.cells import Cell, CellRow, Pairing, cell_rows, paired, times_ratio
from mallard.library import BASE
from mallard.mallocs import under
from mallard.plan.request import Request
from mallard.result import Parameters, Row
from mallard.stats import Ratio, mean_ratio

ONE = "multipool"
SHARED = "concurrent-multipool"
SHOWN = (ONE, "multipool/inline", SHARED, "monotonic/wink")
WORDS = {
    ONE: "one allocator for everything, bound by type",
    "multipool/inline": "the same behind one type for all mechanisms",
    SHARED: "one allocator for all threads",
    "monotonic/wink": "a region that ends as a whole, without destructors",
}
REPETITIONS = 5
HEAVY = 2.0  # times glibc's time


@dataclass(frozen=True)
class Part:
    """An experiment, or a part of it: its heading, its request, and the words of a cell."""

    heading: str
    experiment: str
    strategies: tuple[str, ...]
    given: Mapping[str, str]

    def request(self, mallocs: str) -> Request:
        return Request(
            self.experiment,
            given=self.given,
            strategies=",".join((BASE, *self.strategies)),
            mallocs=mallocs,
            repetitions=REPETITIONS,
        )


PARTS = (
    Part(
        "build and destroy",
        "density",
        (ONE, "multipool/inline", "monotonic/wink"),
        {"ds": "2-4,6-8,11,12", "size": "8,12", "hash": "full"},
    ),
    Part("free, allocate again", "reuse", (ONE, "multipool/inline"), {}),
    Part(
        "2 threads, own frees",
        "contention",
        (ONE, "multipool/inline", SHARED),
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
        """The strategy that stands for mallard here."""
        return ONE if ONE in self.cells else SHARED

    def ratio(self, name: str, base: str = BASE) -> Ratio | None:
        mine, other = self.cells.get(name), self.cells.get(base)
        return times_ratio(mine.times, other.times) if mine and other else None

    def pairing(self, name: str, base: str) -> Pairing | None:
        mine, other = self.cells.get(name), self.cells.get(base)
        return paired(mine.times, other.times) if mine and other else None


def lines_of(rows_of_parts: Iterable[Iterable[Row]]) -> list[Line]:
    """The lines of the table. `rows_of_parts`: the rows of each part's run, in the order of PARTS."""
    return [
        Line(part.heading, _words(part.experiment, row.parameters), row.cells)
        for part, rows in zip(PARTS, rows_of_parts, strict=True)
        for row in sorted(cell_rows(rows), key=_place)
    ]


def rivals_in(lines: Sequence[Line]) -> list[str]:
    """The global allocator under each malloc that was named."""
    names = dict.fromkeys(name for line in lines for name in line.cells)
    return [name for name in names if malloc(name) and name == under(BASE, malloc(name))]


def mean(lines: Sequence[Line], name: str, base: str = BASE) -> Ratio | None:
    """The mean of a strategy's ratios; `ours` is the strategy that stands for mallard in each line."""
    pairings = [line.pairing(line.ours if name == "" else name, base) for line in lines]
    found = [each for each in pairings if each]
    return mean_ratio(found) if found else None


def verdict(lines: Sequence[Line], rival: str) -> list[str]:
    """Sentences about one malloc: the number of cells that each side wins, and the cells for preloading."""
    name = malloc(rival)
    ratios = [(line, line.ratio(line.ours, rival)) for line in lines]
    known = [(line, ratio) for line, ratio in ratios if ratio]
    if not known:
        return [f"{name} finished in no cell that mallard finished."]
    faster = [line for line, ratio in known if ratio.verdict == "faster"]
    slower = [(line, ratio) for line, ratio in known if ratio.verdict == "slower"]
    sentences = []
    alone, ours = mean(lines, rival), mean(lines, "")
    if alone and ours:
        sentences.append(
            f"On average preloading {name} takes {percent_text(alone)} of glibc's time, and mallard "
            f"{percent_text(ours)}."
        )
    sentences += _carried(name, rival, known)
    sentences += _by_part(name, rival, lines)
    sentences.append(
        f"mallard is faster than {name} in {len(faster)} of {len(known)} cells, slower in {len(slower)}, "
        "beyond the interval."
    )
    sentences += _where_right(name, slower)
    return sentences


def _carried(name: str, rival: str, known: Sequence[tuple[Line, Ratio]]) -> list[str]:
    """The cells in which the malloc takes twice glibc's time or more, and both means without them: a few such
    cells carry the mean of all."""
    lines = [line for line, _ in known]
    heavy = [line for line in lines if (ratio := line.ratio(rival)) and ratio.median >= HEAVY]
    others = [line for line in lines if line not in heavy]
    if not heavy or not others:
        return []
    cells = "; ".join(f"{line.part}: {line.cell}" for line in heavy)
    return [f"Without the cells that carry its mean ({cells}), {name} and mallard: {_means(rival, others)}."]


def _by_part(name: str, rival: str, lines: Sequence[Line]) -> list[str]:
    parts = {line.part: [each for each in lines if each.part == line.part] for line in lines}
    if len(parts) < 2:
        return []
    texts = [f"{part} ({len(cells)}) {_means(rival, cells)}" for part, cells in parts.items()]
    return [f"By part, {name} and mallard: {'; '.join(texts)}."]


def _means(rival: str, lines: Sequence[Line]) -> str:
    """Of the malloc and of mallard, in percent of glibc's time."""
    means = [mean(lines, name) for name in (rival, "")]
    return " : ".join(f"{100 * each.median:.0f} %" if each else "-" for each in means)


def _where_right(name: str, slower: Sequence[tuple[Line, Ratio]]) -> list[str]:
    if not slower:
        return []
    worst = sorted(slower, key=lambda each: each[1].median, reverse=True)
    each = [f"{line.part}: {line.cell} (mallard takes {percent_text(ratio)} of it)" for line, ratio in worst]
    return [f"Preload {name} for: {'; '.join(each)}."]


def _words(experiment: str, parameters: Parameters) -> str:
    if experiment == "density":
        type_ = type_of(str(parameters["ds"])).replace("unordered_", "")
        return f"{type_}, 2^{parameters['size_log2']}"
    if experiment == "reuse":
        least = "16 to " if parameters["sizes"] == "mixed" else ""
        blocks = f"2^{int(parameters['live']).bit_length() - 1}"
        return f"{least}{parameters['block_bytes']} B, {blocks}, {parameters['pattern']}"
    return f"blocks of 2^{parameters['block_log2']} bytes"


def _place(row: CellRow) -> list[tuple[int, str]]:
    """The parameters in the order in which they sort the lines of a part, numbers by value."""
    order = ("sizes", "pattern", "ds", "block_bytes", "block_log2", "live", "size_log2")
    texts = [str(row.parameters.get(name, "")) for name in order]
    return [(len(text), text) for text in texts]


def told(lines: Sequence[Line]) -> list[str]:
    """The words of the table: its strategies, and the amounts of its cells."""
    there = {name for line in lines for name in line.cells}
    return [
        *(f"{name}: {text}" for name, text in WORDS.items() if name in there),
        "set: unordered_set; 2^8: elements of a structure, or blocks that live",
    ]
