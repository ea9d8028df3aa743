"""The documents' figures of vectors that grow and shrink, of bursts and of a heap that ages: a line for each
strategy, and what the analysis says of them.
"""

from __future__ import annotations

from figures import BLOCKS, block
from figures.stored import conditions, load, markdown_table, median_percent
from figures.strategy_table import Column, decisive_table, shown
from mallard.bench.analysis.cell_tables import CellTable, figure_table
from mallard.bench.analysis.panel.phases import (
    bytes_text,
    phase_sentences,
    phase_tables,
    timed,
    with_bursts,
)
from mallard.bench.analysis.ranking import collect_pairings
from mallard.bench.experiments import EXPERIMENTS, by_ranges, heap_churn
from mallard.bench.experiments.description.panel import Phases
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


def _times(experiment: str) -> str:
    """Nanoseconds of an operation by every second number of elements; of `int`, which comes first."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    time, *_ = panel.times
    table = _tables(experiment)[0]
    columns = [Column(f"{line.place[0]:,}", line) for line in timed(table, time).lines[::2]]
    return decisive_table(f"ns {time.unit}", table.strategies, columns, HEAP)


@block("heap_churn")
def _churn() -> str:
    """A pair, and the bytes held for each live byte, as the operations go."""
    (table,) = _tables(CHURN)
    line = table.lines[-1]
    share = heap_churn.FRAGMENTATION.figure
    columns = [
        Column("a pair, ns", line, heap_churn.PAIR.figure),
        Column("first block, ns", line, heap_churn.FILL.figure),
        *(Column(f"at {done} %", line, f"{share}_{done}", "{:.3f}".format) for done in SHOWN_SHARES),
        Column("bytes a block", line, heap_churn.OVERHEAD.figure, "{:.0f}".format),
        Column("trimmed", line, heap_churn.TRIMMED.figure, bytes_text),
    ]
    return decisive_table("", table.strategies, columns, HEAP)
