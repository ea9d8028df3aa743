"""The documents' figures of the programs: a line for each strategy, a column for each program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from figures.stored import changed_since, conditions, initial_buffers, load, markdown_table, nanoseconds
from mallard.bench.analysis.names import BASE, malloc
from mallard.bench.analysis.panel.phases import bytes_text, median_figure
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Work,
    cells_by_work,
    compare,
    group_works,
    mallocs_in,
    mean_over_works,
    work_sentences,
    work_strategies,
)
from mallard.bench.analysis.words import percent
from mallard.bench.cells import Cell
from mallard.bench.experiments.programs import HELD, NAME, SIZES
from mallard.shared.mallocs import MALLOCS
from mallard.shared.stats import Verdict, spread

MULTIPOOL, INLINE, MONOTONIC = "multipool", "multipool/inline", "monotonic"
VERDICTS: dict[Verdict, str] = {
    "faster": "mallard is faster",
    "no difference": "no difference",
    "slower": "the malloc is faster",
}
Cells = Mapping[str, Mapping[str, Cell]]


def blocks() -> dict[str, Callable[[], str]]:
    texts: dict[str, Callable[[], str]] = {
        "one_number": lambda: one_number([cells_by_work(_works(size)) for size in SIZES]),
        "programs_conditions": lambda: conditions(NAME),
    }
    for size in SIZES:
        texts[f"programs_{size}"] = lambda size=size: _times(_works(size))  # type: ignore[misc]
        texts[f"programs_{size}_mallocs"] = lambda size=size: _sentences(_works(size))  # type: ignore[misc]
    texts["programs_memory"] = lambda: _memory(_works(SIZES[-1]))
    return texts


def _works(size: str) -> Sequence[Work]:
    by_setting = group_works(NAME, load(NAME).rows)
    return next(works for setting, works in by_setting.items() if dict(setting)["size"] == size)


def one_number(sizes: Sequence[Cells]) -> str:
    """The first figures of README: mallard beside the malloc that is fastest in each program, and beside each
    malloc. `sizes` are the cells of the small programs, and of the large ones.
    """
    small, large = sizes
    multipools = (MULTIPOOL, INLINE)
    by_type, inline, fastest = (_shares([small], name) for name in (*multipools, FASTEST_MALLOC))
    by_type_large, inline_large, fastest_large = (
        _shares([large], name) for name in (*multipools, FASTEST_MALLOC)
    )
    mallocs = [name for name in mallocs_in(next(iter(small.values()))) if malloc(name)]
    alone = ", ".join(f"{malloc(name)} {_shares(sizes, name)} %" for name in mallocs)
    scoped = [{work: cells for work, cells in size.items() if MONOTONIC in cells} for size in sizes]
    stored = load(NAME)
    buffers = initial_buffers(stored) or "; no strategy begins in a buffer"
    command = f"--strategy {BASE},{MONOTONIC},{','.join(multipools)} --malloc {','.join(MALLOCS)}"
    return (
        f"**In geometric mean, {len(small)} programs that people write take {by_type} % of glibc's time with "
        f"a `multipool` bound by type, {inline} % behind the inline base, and {fastest} % with the malloc "
        f"that is fastest in each: {_verdicts(small, multipools)}; {len(large)} large ones take "
        f"{by_type_large}, {inline_large} and {fastest_large} %: {_verdicts(large, multipools)}.** One "
        f"malloc for all of them, small and large: {alone}. "
        f"`{MONOTONIC}`, in the {len(scoped[0])} that free little before their scope ends, takes "
        f"{_shares(scoped, MONOTONIC)} %, the fastest malloc there {_shares(scoped, FASTEST_MALLOC)} %: "
        f"{'; '.join(dict.fromkeys(_verdicts(cells, (MONOTONIC,)) for cells in scoped))}. "
        f"Measured {stored.run['started'][:10]} on {stored.run['machine']['cpu']}{buffers}; "
        f"`./mallard bench {NAME} {command}` repeats it.{changed_since(stored)}"
    )


def _shares(sizes: Sequence[Cells], name: str) -> str:
    """The mean time of a strategy in percent of new-delete's, for each size."""
    comparisons = [compare(cells, name, BASE) for cells in sizes]
    return " and ".join(percent(comparison.mean.median) for comparison in comparisons if comparison)


def _verdicts(cells: Cells, names: Sequence[str]) -> str:
    """Whether the strategies are faster than the malloc that is fastest in each program; one verdict, unless
    they differ.
    """
    comparisons = {name: compare(cells, name, FASTEST_MALLOC) for name in names}
    verdicts = {name: VERDICTS[both.mean.verdict] for name, both in comparisons.items() if both}
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values()))
    return ", ".join(f"`{name}`: {verdict}" for name, verdict in verdicts.items())


def _times(works: Sequence[Work]) -> str:
    lines = []
    for name in work_strategies(works):
        mean = mean_over_works(works, name) if name != BASE else None
        times = [_time(work.line.cells.get(name)) for work in works]
        lines.append([name, *times, f"**{percent(mean.median)}**" if mean else ""])
    return markdown_table(["% of new-delete", *(work.label for work in works), "mean"], lines)


def _time(cell: Cell | None) -> str:
    """Percent of new-delete's time; nanoseconds of new-delete itself."""
    if cell is None or not cell.finished:
        return ""
    if cell.strategy == BASE:
        return f"{nanoseconds(spread(list(cell.times.values())))} ns"
    return percent(cell.ratio.median) if cell.ratio else ""


def _memory(works: Sequence[Work]) -> str:
    lines = [[name, *(_bytes(work, name, HELD.figure) for work in works)] for name in work_strategies(works)]
    return markdown_table(["held at the peak", *(work.label for work in works)], lines)


def _bytes(work: Work, name: str, figure: str) -> str:
    value = median_figure(work.line, name, figure) if work.line.finished(name) else None
    return "" if value is None else bytes_text(value)


def _sentences(works: Sequence[Work]) -> str:
    return "\n".join(f"- {sentence}" for sentence in work_sentences(NAME, works))
