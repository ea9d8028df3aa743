"""The documents' figures of vectors that grow and shrink, of bursts and of a heap that ages: a line for each
strategy, and what the analysis says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures import BLOCKS, block
from figures.stored import conditions, load, markdown_table, median_percent
from figures.strategy_table import decisive, figure_text, memory_text, shown, time_text
from mallard.bench.analysis.cell_tables import CellTable, Line, figure_table
from mallard.bench.analysis.panel.phases import (
    phase_sentences,
    phase_tables,
    timed,
    with_bursts,
)
from mallard.bench.analysis.ranking import collect_pairings
from mallard.bench.experiments import EXPERIMENTS, by_ranges, heap_churn
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.sentence import Fastest, LeastAt
from mallard.shared.stats import mean_ratio

FORWARD, BACKWARD, SHRINK = "expansion-forward", "expansion-backward", "shrink-to-fit"
BURST, CHURN = "burst", "heap-churn"
HEAP = ("heap",)
SHOWN_RANGE = 1000  # nodes
SHOWN_SHARES = (10, 100)  # percent of the operations

BLOCKS.update(
    growth_forward=lambda: _times(FORWARD),
    growth_conditions=lambda: conditions(FORWARD, BACKWARD, SHRINK, BURST, CHURN),
    expansion_forward_sentences=lambda: _sentences(FORWARD),
    expansion_backward_sentences=lambda: _sentences(BACKWARD),
    shrink_to_fit_sentences=lambda: _sentences(SHRINK),
)


def _sentences(experiment: str) -> str:
    """Of the article's sizes and larger ones, whose elements are moved by bytes if that is faster. Whole
    tables have the fastest, and the calls; only growing backward has no table of mallocs.
    """
    without, mallocs = (Fastest, LeastAt), experiment == BACKWARD
    sentences = phase_sentences(experiment, _tables(experiment)[0], without, mallocs=mallocs)
    return "\n".join(f"- {sentence}" for sentence in sentences)


@block("burst_gain")
def _burst_gain() -> str:
    """A line for each allocator that was measured both ways: percent of the time node by node."""
    (table,) = _tables(BURST)
    measured = {figure for line in table.lines for cell in line.cells.values() for figure in cell.figures}
    phases = [phase for phase in (*by_ranges.RANGES, *by_ranges.WHOLE) if phase.figure in measured]
    lines = []
    for plain, in_bursts in with_bursts(shown(table.strategies)):
        ratios = [collect_pairings([figure_table(table, phase.figure)], in_bursts, plain) for phase in phases]
        lines.append(
            [plain, *(median_percent(mean_ratio(pairings)) if pairings else "" for pairings in ratios)]
        )
    return markdown_table(["% of the time node by node", *(phase.short for phase in phases)], lines)


def _tables(experiment: str) -> list[CellTable]:
    return phase_tables(experiment, load(experiment).rows)


def _phase_times(experiment: str) -> tuple[Quantity, ...]:
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    return panel.times


def _times(experiment: str) -> str:
    """Nanoseconds of an operation by number of elements; of `int`, which comes first."""
    time = _phase_times(experiment)[0]
    table = _tables(experiment)[0]
    lines = timed(table, time).lines
    names = decisive(table.strategies, [(line, "") for line in lines[::2]], HEAP)
    return _by_size(lines, names, f"ns {time.unit}", time_text)


def _by_size(
    lines: Sequence[Line], names: Sequence[str], corner: str, cell: Callable[[Line, str], str]
) -> str:
    """Every second size, from the smallest."""
    chosen = lines[::2]
    heading = [corner, *(f"{line.place[0]:,}" for line in chosen)]
    return markdown_table(heading, [[name, *(cell(line, name) for line in chosen)] for name in names])


@block("heap_churn")
def _churn() -> str:
    """A pair, and the bytes held for each live byte, as the operations go."""
    (table,) = _tables(CHURN)
    line = table.lines[-1]
    ratios = [f"{heap_churn.FRAGMENTATION.figure}_{share}" for share in SHOWN_SHARES]
    heads = [f"at {share} %" for share in SHOWN_SHARES]
    names = decisive(table.strategies, [(line, time.figure) for time in _phase_times(CHURN)], HEAP)
    return markdown_table(
        ["", "a pair, ns", "first block, ns", *heads, "bytes a block", "trimmed"],
        [
            [
                name,
                *(time_text(line, name, time.figure) for time in _phase_times(CHURN)),
                *(figure_text(line, name, ratio, lambda value: f"{value:.3f}") for ratio in ratios),
                figure_text(line, name, heap_churn.OVERHEAD.figure, lambda count: f"{count:.0f}"),
                memory_text(line, name, heap_churn.TRIMMED.figure),
            ]
            for name in names
        ],
    )
