"""The report of `mallard bench`: a line for each question, and what follows from all."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.survey import Answer, Choice, in_words
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import (
    Cell,
    Column,
    Figure,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
    Verdict,
)
from mallard.shared.stats import EVEN_MARGIN, Ratio

UNRESOLVED = "?"
NEXT = "Next: 'mallard advise -- ./program' for your program, 'mallard bench density' for every structure."
COLUMNS = (
    Column("% of glibc's time", numeric=False),
    Column("source", numeric=False, is_extra=True),
    Column("glibc", is_extra=True),
    Column("best malloc", "the fastest preloaded malloc"),
    Column("std::pmr"),
    Column("mallard"),
    Column("use", numeric=False),
)


def survey_report(answers: Sequence[Answer], mallocs: Sequence[str]) -> Report:
    """Where a local allocator pays, where it does not, and what to type next."""
    pays = [answer for answer in answers if answer.pays]
    table = Table("The questions of the survey", COLUMNS, tuple(map(_row, answers)))
    others = [
        *_group("It does not", [answer for answer in answers if answer.loses]),
        *_group(f"Even within {100 * EVEN_MARGIN:.0f} %", _with_outcome(answers, "even")),
        *_group("Not resolved", _with_outcome(answers, "not resolved")),
    ]
    return Report(
        title="Where a local allocator pays here",
        answer=Paragraph(
            "A local allocator pays here, mallard's or std::pmr's: "
            f"{'; '.join(answer.question.text for answer in pays)}."
            if pays
            else "A local allocator pays nowhere here."
        ),
        sections=(Section("The questions", (table, *map(Paragraph, others))),),
        notes=(_legend(answers, mallocs), NEXT),
    )


def _with_outcome(answers: Sequence[Answer], outcome: str) -> list[Answer]:
    return [answer for answer in answers if answer.gain and answer.gain.outcome == outcome]


def _group(words: str, answers: Sequence[Answer]) -> list[str]:
    return [f"{words}: {'; '.join(map(_comparison, answers))}."] if answers else []


def _legend(answers: Sequence[Answer], mallocs: Sequence[str]) -> str:
    compared = f"glibc, {', '.join(mallocs)} and std::pmr" if mallocs else "glibc and std::pmr"
    text = f"±: half the 95 % interval. Compared with {compared}."
    if any(not choice.ratio.resolved for answer in answers for choice in answer.choices):
        text += f" {UNRESOLVED}: the interval is wider than the figure."
    if not mallocs:
        text += " No other malloc is installed here; 'mallard doctor' names three."
    return text


def _comparison(answer: Answer) -> str:
    """`vectors that grow (165 to 195 % of tcmalloc's time)`: the interval of the fastest local allocator."""
    malloc, gain = answer.fastest_malloc, answer.gain
    if malloc is None or gain is None or not gain.bounded:
        return answer.question.text
    interval = f"{100 * gain.low:.0f} to {100 * gain.high:.0f} % of {in_words(malloc.name)}'s time"
    return f"{answer.question.text} ({interval})"


def _row(answer: Answer) -> Row:
    best = min((choice.ratio.median for choice in answer.choices if choice.ratio.resolved), default=0.0)
    use = " or ".join(answer.use)
    return Row(
        (
            answer.question.text,
            answer.question.source,
            Figure(1.0, Unit.HUNDREDTHS),
            _cell(answer.malloc, best, f" {in_words(answer.malloc.name)}" if answer.malloc else ""),
            _cell(answer.standard, best),
            _cell(answer.local, best),
            Verdict(use, Mood.GOOD) if answer.pays else use,
        )
    )


def _cell(choice: Choice | None, best: float, name: str = "") -> Cell:
    if choice is None:
        return None
    text = f"{_percent(choice.ratio)}{name}"
    return Verdict(text, Mood.GOOD) if choice.ratio.median == best else text


def _percent(ratio: Ratio) -> str:
    """`44±2`: the mean, and half its interval. An interval that is wider than the mean leaves no figure."""
    if not ratio.resolved:
        return UNRESOLVED
    margin = f"±{50 * (ratio.high - ratio.low):.0f}" if ratio.bounded else ""
    return f"{cell_text(Figure(ratio.median, Unit.HUNDREDTHS))}{margin}"
