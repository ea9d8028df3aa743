"""The report of the claims ledger: each document's verdicts, and every claim with this machine's figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from mallard.bench.claims import (
    NOT_APPLICABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    VERDICTS,
    Entry,
    counts,
)
from mallard.bench.papers.coverage import Coverage
from mallard.bench.store import Run
from mallard.shared.report.model import (
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
    text_columns,
)

MOODS = {
    REPRODUCED: Mood.GOOD,
    NOT_REPRODUCED: Mood.BAD,
    NOT_APPLICABLE: Mood.PLAIN,
    NOT_MEASURED: Mood.OPEN,
}
PAPERS = {
    "p0089": "P0089",
    "p0213": "P0213",
    "loki": "Loki",
    "allocplus": "allocplus",
    "optimized": "Optimized C++",
    "mallard": "found here",
}
COLUMNS = (
    Column("", "number of the claim"),
    *text_columns("document", "section", "claim", "printed"),
    Column("here", "in brackets the 95 % interval over the repetitions", numeric=False),
    Column("verdict", numeric=False),
)


def claims_report(
    entries: Sequence[Entry],
    runs: Sequence[Run] | None = None,
    hidden: Collection[str] = (),
    covered: Sequence[Coverage] = (),
) -> Report:
    """Claims with a hidden verdict are counted, but not shown. Without `runs` nothing is said of them,
    without `covered` nothing of the documents' sizes.
    """
    shown = tuple(_row(entry) for entry in entries if entry.verdict not in hidden)
    sections = [
        Section("The documents", (documents(entries), *([sizes(covered)] if covered else ()))),
        Section("Every claim", (Table("Every claim", COLUMNS, shown, filters=("verdict", "document")),)),
    ]
    notes = [] if runs is None else [_runs_text(runs)]
    if hidden:
        notes.append(f"--all shows those {' and '.join(hidden)}, too")
    return Report(
        title="Every claim, and what it is here",
        answer=Paragraph(answer(entries, covered)),
        sections=tuple(sections) if entries else (),
        notes=tuple(notes),
    )


def documents(entries: Sequence[Entry]) -> Table:
    """The number of each verdict."""
    rows = []
    for document in dict.fromkeys(entry.document for entry in entries):
        verdicts = counts(entry for entry in entries if entry.document == document)
        cells = (Figure(verdicts[verdict], Unit.COUNT) for verdict in VERDICTS)
        rows.append(Row((document, *cells)))
    columns = (Column("document", numeric=False), *map(Column, VERDICTS))
    return Table("Verdicts by document", columns, tuple(rows))


def sizes(covered: Sequence[Coverage]) -> Table:
    """The sizes in each document's tables, and how many of them were measured."""
    experiments = tuple(dict.fromkeys(line.experiment for line in covered))
    cells = {(line.document, line.experiment): f"{line.measured} of {line.printed}" for line in covered}
    rows = (
        Row((document, *(cells.get((document, name), "") for name in experiments)))
        for document in dict.fromkeys(line.document for line in covered)
    )
    columns = (Column("measured at the sizes of", numeric=False), *map(Column, experiments))
    return Table("Sizes of the documents' tables", columns, tuple(rows))


def answer(entries: Sequence[Entry], covered: Sequence[Coverage] = ()) -> str:
    """How much was run at the documents' own sizes, then the verdicts."""
    if not entries:
        return "No claim has this verdict in this document."
    numbers = counts(entries)
    judged = numbers[REPRODUCED] + numbers[NOT_REPRODUCED]
    return (
        f"{_sizes_text(covered)}{numbers[REPRODUCED]} of {judged} claims that could be checked are "
        f"reproduced; {numbers[NOT_APPLICABLE]} of {len(entries)} do not apply here, "
        f"{numbers[NOT_MEASURED]} are not measured."
    )


def _sizes_text(covered: Sequence[Coverage]) -> str:
    """`Run at their own sizes: 160 of 310 rows of P0089R1's tables, 12 of 12 of Loki's. `; or nothing"""
    measured, printed = Counter[str](), Counter[str]()
    for line in covered:
        measured[line.document] += line.measured
        printed[line.document] += line.printed
    if not printed:
        return ""
    (first, rows), *others = printed.items()
    texts = [
        f"{measured[first]} of {rows} rows of {first}'s tables",
        *(f"{measured[document]} of {rows} of {document}'s" for document, rows in others),
    ]
    return f"Run at their own sizes: {', '.join(texts)}. "


def _runs_text(runs: Sequence[Run]) -> str:
    if not runs:
        return "Nothing was measured yet; 'mallard bench EXPERIMENT' measures."
    numbers = {
        name: " ".join(str(run.id) for run in runs if run.experiment == name)
        for name in dict.fromkeys(run.experiment for run in runs)
    }
    return f"here: runs {', '.join(f'{name} {ids}' for name, ids in numbers.items())}"


def _row(entry: Entry) -> Row:
    note = f" ({entry.shown_note})" if entry.note else ""
    return Row(
        (
            entry.number,
            PAPERS.get(entry.paper, entry.paper),
            entry.section,
            f"{entry.shown_text}{note}",
            entry.printed,
            _our_figure(entry),
            Verdict(
                entry.verdict, MOODS[entry.verdict], "; ".join(filter(None, (entry.reason, entry.command)))
            ),
        )
    )


def _our_figure(entry: Entry) -> str:
    figure = f"{entry.ours} ({entry.interval})" if entry.interval else entry.ours
    return f"{figure}, {entry.cells} cells" if entry.cells > 1 else figure
