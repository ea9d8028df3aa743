"""The documents' figures of vectors that grow and shrink, of bursts and of a heap that ages: a line for each
strategy, and what the analysis says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures.stored import conditions, load, markdown_table, stored_file
from figures.strategy_table import figure_text, memory_text, shown, time_text
from mallard.analysis.cells import CellTable, Line
from mallard.analysis.phases import phase_tables, timed
from mallard.analysis.sentences import sentences_of
from mallard.experiments import EXPERIMENTS, by_ranges, heap_churn, shrink_to_fit, vectors
from mallard.experiments.description import Phases, Quantity

FORWARD, BACKWARD, SHRINK = "expansion-forward", "expansion-backward", "shrink-to-fit"
BURST, CHURN = "burst", "heap-churn"
COUNTED = (10, 10_000)  # elements, in the table of calls
SHOWN_RANGE = 1000  # nodes
SHOWN_SHARES = (10, 50, 100)  # percent of the operations

Block = Callable[[], str]


def blocks() -> dict[str, Block]:
    found: dict[str, tuple[str, Block]] = {
        "growth_forward": (FORWARD, lambda: _times(FORWARD)),
        "growth_forward_calls": (FORWARD, lambda: _calls(FORWARD, vectors.FORWARD)),
        "growth_backward": (BACKWARD, lambda: _times(BACKWARD)),
        "growth_backward_memory": (BACKWARD, _live),
        "shrink_to_fit": (SHRINK, lambda: _times(SHRINK)),
        "shrink_to_fit_memory": (SHRINK, _returned),
        "burst": (BURST, _burst),
        "heap_churn": (CHURN, _churn),
        **{f"{name}_sentences": (name, _saying(name)) for name in (FORWARD, BACKWARD, SHRINK)},
        "burst_sentences": (BURST, _burst_sentences),
        "heap_churn_sentences": (CHURN, _churn_sentences),
        **{
            f"{name}_conditions": (name, _conditions(name))
            for name in (FORWARD, BACKWARD, SHRINK, BURST, CHURN)
        },
    }
    return {
        name.replace("-", "_"): _where_measured(experiment, block)
        for name, (experiment, block) in found.items()
    }


def _where_measured(experiment: str, block: Block) -> Block:
    """Says so where there are no rows yet."""

    def text() -> str:
        if not stored_file(experiment).exists():
            return f"Not measured yet: `mallard bench {experiment} --contenders` does it."
        return block()

    return text


def _conditions(experiment: str) -> Block:
    return lambda: conditions(experiment)


def _saying(experiment: str) -> Block:
    """Of the article's sizes and larger ones, whose elements are moved by bytes where that is faster."""
    return lambda: _list(sentences_of(experiment, _tables(experiment)[0]))


def _burst_sentences() -> str:
    return _list(sentences_of(BURST, _ranges()))


def _churn_sentences() -> str:
    return _list(sentences_of(CHURN, _blocks()))


def _list(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _tables(experiment: str) -> list[CellTable]:
    return phase_tables(experiment, load(experiment).rows)


def _ranges() -> CellTable:
    (table,) = phase_tables(BURST, load(BURST).rows)
    return table


def _blocks() -> CellTable:
    (table,) = phase_tables(CHURN, load(CHURN).rows)
    return table


def _times_of(experiment: str) -> tuple[Quantity, ...]:
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    return panel.times


def _times(experiment: str) -> str:
    """Nanoseconds of an operation by number of elements, a table a type."""
    time = _times_of(experiment)[0]
    return "\n\n".join(
        f"`{dict(table.setting).get('type', '')}`:\n\n"
        + _by_size(
            timed(table, time).lines,
            shown(table.strategies),
            f"ns {time.unit}",
            time_text,
        )
        for table in _tables(experiment)
    )


def _by_size(
    lines: Sequence[Line], names: Sequence[str], corner: str, cell: Callable[[Line, str], str]
) -> str:
    """Every second size, from the smallest."""
    chosen = lines[::2]
    heading = [corner, *(f"{line.place[0]:,}" for line in chosen)]
    return markdown_table(heading, [[name, *(cell(line, name) for line in chosen)] for name in names])


def _calls(experiment: str, grown: Quantity) -> str:
    """Of a vector: calls that gave it room, those that did it in place, and the room at the end."""
    table = _tables(experiment)[0]
    lines = [line for elements in COUNTED if (line := table.line(elements))]
    counts = (vectors.CALLS, grown, vectors.CAPACITY)
    heads = [f"{count.short}, {line.place[0]:,}" for line in lines for count in counts]
    return markdown_table(
        ["elements", *heads],
        [
            [name, *(_count(line, name, count.figure) for line in lines for count in counts)]
            for name in shown(table.strategies)
        ],
    )


def _live() -> str:
    """Bytes an element that a vector had of its allocator at one time, by number of elements."""
    table = _tables(BACKWARD)[0]

    def live(line: Line, name: str) -> str:
        size = line.place[0]
        return figure_text(line, name, vectors.PEAK_LIVE.figure, lambda value: f"{value / size:.1f}")

    return _by_size(table.lines, shown(table.strategies), "bytes an element, most", live)


def _returned() -> str:
    """Of the largest sizes: what the process grew by for the vector, with half of it, and with one step."""
    table = _tables(SHRINK)[0]
    lines = [line for line in table.lines if line.place[0] >= vectors.LARGE]
    memory = (shrink_to_fit.HELD, shrink_to_fit.HALF, shrink_to_fit.LEFT)
    heads = [f"{each.short}, {line.place[0]:,}" for line in lines for each in memory]
    return markdown_table(
        ["elements", *heads],
        [
            [name, *(memory_text(line, name, each.figure) for line in lines for each in memory)]
            for name in shown(table.strategies)
        ],
    )


def _burst() -> str:
    """Ranges of 1,000 nodes: every phase, and the overhead."""
    table = _ranges()
    line = table.line(SHOWN_RANGE)
    assert line is not None
    heads = ["ns a node", *(phase.short for phase in _times_of(BURST)), "overhead, %"]
    return markdown_table(
        heads,
        [
            [
                name,
                *(time_text(line, name, phase.figure) for phase in _times_of(BURST)),
                figure_text(line, name, by_ranges.OVERHEAD.figure, lambda percent: f"{percent:.1f}"),
            ]
            for name in shown(table.strategies)
        ],
    )


def _churn() -> str:
    """A pair, and what is held for each byte that is live, as the operations go."""
    table = _blocks()
    line = table.lines[-1]
    shares = [f"{heap_churn.FRAGMENTATION.figure}_{share}" for share in SHOWN_SHARES]
    ratios = (*shares, heap_churn.FRAGMENTATION.figure)
    heads = [*(f"at {share} %" for share in SHOWN_SHARES), "most / most", "bytes a block", "trimmed"]
    return markdown_table(
        ["", "a pair, ns", "first block, ns", *heads],
        [
            [
                name,
                *(time_text(line, name, time.figure) for time in _times_of(CHURN)),
                *(figure_text(line, name, ratio, lambda value: f"{value:.3f}") for ratio in ratios),
                figure_text(line, name, heap_churn.OVERHEAD.figure, lambda count: f"{count:.0f}"),
                memory_text(line, name, heap_churn.TRIMMED.figure),
            ]
            for name in shown(table.strategies)
        ],
    )


def _count(line: Line, name: str, figure: str) -> str:
    return figure_text(line, name, figure, lambda count: f"{count:,.0f}")
