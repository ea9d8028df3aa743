"""The reports of a decision: of one case, with the walk to its answer, and of all ways through the questions
(P0089 section 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.dimensions import Pick, value_text
from mallard.bench.choose import Chart, ChartLeaf
from mallard.bench.choose.case import SCOPE, Case
from mallard.bench.choose.chart import Answers
from mallard.bench.choose.findings import format_percent
from mallard.bench.choose.graph import Question
from mallard.bench.choose.outcome import Choice
from mallard.bench.choose.walk import Decision, Step
from mallard.shared.report.model import (
    Block,
    Cell,
    Code,
    Column,
    Figure,
    Interval,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
    text_columns,
)
from mallard.shared.stats import Ratio

TEXTS = text_columns("", "")
WALK = text_columns("", "question", "answer", "what was measured")
SHARES = (Column("%", "of the global allocator's time"), Column("95 % interval"))
CHART = (*text_columns("question and answer", "use"), *SHARES, *text_columns("why", "rests on"))
ALONG = (*text_columns("dimension", "value", "use"), *SHARES)
DIMENSIONS = {
    "D": "density",
    "V": "variation",
    "L": "locality",
    "U": "utilization",
    "F": "fragmentability",
    "C": "contention",
}
INDENT = "\N{EM SPACE}"


def decision_report(decision: Decision) -> Report:
    recommended = decision.recommended
    if recommended is None:
        answer, mood = f"no answer yet: {decision.reason}", Mood.OPEN
    else:
        verb = "use the global allocator" if recommended.is_global else "use"
        answer = f"{verb} {recommended.strategy} ({recommended.text}): {decision.reason}"
        mood = Mood.GOOD
    sections = [
        Section("Notes", (Table("Notes", TEXTS, tuple(_notes(decision))),)),
        Section("The questions", (Table("The questions", WALK, tuple(map(_step, decision.steps))),)),
        Section("Rests on", (Table("The rows behind the answer", TEXTS, tuple(_cells(decision))),), True),
    ]
    missing = Section("Not measured; this measures it", (Code("\n".join(decision.missing), "sh"),), True)
    return Report(
        title="Use a local allocator? Which one?",
        answer=Paragraph(f"{_subject(decision.case)}: {answer}", mood),
        sections=(
            *(section for section in sections if _has_rows(section)),
            *([missing] if decision.missing else []),
        ),
    )


def _has_rows(section: Section) -> bool:
    return any(isinstance(block, Table) and block.rows for block in section.blocks)


def _subject(case: Case) -> str:
    life = "freed by the end of a scope" if case.lifetime == SCOPE else "living as long as the program"
    return f"{case.structure.requested}, 2^{case.elements_log2:.3g} elements, {life}"


def _notes(decision: Decision) -> list[Row]:
    """Strategies that are excluded for one reason share a line."""
    reasons: dict[str, list[str]] = {}
    for name, reason in decision.excluded.items():
        reasons.setdefault(reason, []).append(name)
    lines = [
        ("note", decision.programs),
        ("runner-up", _named(decision.runner_up) if decision.runner_up else ""),
        ("no difference from it", ", ".join(decision.equals)),
        *(("excluded", f"{', '.join(names)}: {reason}") for reason, names in reasons.items()),
        *(("note", note) for note in decision.notes),
    ]
    return [Row(line) for line in lines if line[1]]


def _named(choice: Choice) -> str:
    measured = f": {format_percent(choice.ratio)}" if choice.ratio else ""
    return f"{choice.strategy} ({choice.text}){measured}"


def _step(step: Step) -> Row:
    question = step.question
    mark = question.dimension if len(question.dimension) == 1 else ""
    return Row((mark, question.text, step.answer, step.finding.figure or "not measured"))


def _cells(decision: Decision) -> list[Row]:
    """A line for each row of a table, with all its strategies."""
    rows: dict[str, dict[str, None]] = {}
    shown = [decision.recommended, decision.runner_up]
    cells = [cell for choice in shown if choice for cell in choice.cells]
    cells += [cell for step in decision.steps for cell in step.finding.cells]
    for cell in cells:
        rows.setdefault(cell.place_text, {})[cell.strategy] = None
    return [Row((place, ", ".join(names))) for place, names in rows.items()]


def chart_report(chart: Chart) -> Report:
    table = Table("The ways through the questions", CHART, tuple(_ways(chart)))
    about = Paragraph(
        f"Answer from the top. Percents are of the global allocator's time, here, for {chart.subject}; "
        "for another structure ask 'mallard choose'."
    )
    blocks: list[Block] = [about, table]
    if chart.programs:
        blocks += [Paragraph("The same strategies in whole programs:"), *map(Paragraph, chart.programs)]
    if chart.picks:
        blocks += [
            Paragraph("Along each dimension, the others at the centre of 'mallard bench dimensions':"),
            Table("Along each dimension", ALONG, tuple(map(_pick, chart.picks))),
        ]
    return Report(
        title="Use a local allocator? Which one?",
        answer=Paragraph(_ends(chart.leaves)),
        sections=(Section("The questions", tuple(blocks)),),
    )


def _ends(leaves: Sequence[ChartLeaf]) -> str:
    measured = [leaf for leaf in leaves if leaf.strategy]
    local = sum(leaf.strategy != BASE for leaf in measured)
    ends = [f"{local} to a local allocator", f"{len(measured) - local} to the global one"]
    if len(measured) < len(leaves):
        ends.append(f"{len(leaves) - len(measured)} not measured")
    return f"{len(leaves)} ways through the questions: {', '.join(ends)}."


def _ways(chart: Chart) -> Iterator[Row]:
    """A row for each way, with the answers in which it differs from the row before."""
    before: Answers = ()
    for way in chart.ways:
        pairs = zip(way.answers, before, strict=False)
        common = sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))
        lines = [
            f"{INDENT * depth}{_question(question)} {answer}"
            for depth, (question, answer) in enumerate(way.answers)
            if depth >= common
        ]
        before = way.answers
        if isinstance(way.end, ChartLeaf):
            yield Row(("\n".join(lines), *_leaf(way.end)))
        else:
            yield Row(("\n".join(lines), f"go on at: {way.end.text}", None, None, None, None))


def _pick(pick: Pick) -> Row:
    value = value_text(pick.dimension, pick.value)
    return Row((pick.dimension.name, value, pick.strategy, *_shares(pick.ratio)))


def _shares(ratio: Ratio | None) -> tuple[Cell, Cell]:
    if ratio is None:
        return None, None
    interval = Interval(ratio.low, ratio.high, Unit.SHARE) if ratio.bounded else None
    return Figure(ratio.median, Unit.SHARE), interval


def _question(question: Question) -> str:
    dimension = DIMENSIONS.get(question.dimension)
    return f"{dimension}: {question.text}" if dimension else question.text


def _leaf(leaf: ChartLeaf) -> tuple[Cell, ...]:
    missing = f"measured by '{leaf.missing}'" if leaf.missing else ""
    return (
        leaf.title,
        *_shares(leaf.ratio),
        leaf.text,
        "\n".join(filter(None, (*(cell.text for cell in leaf.cells), missing))),
    )
