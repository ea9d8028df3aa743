"""The ledger as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.claims.ledger import NOT_MEASURED, Entry, counts


def claims_markdown(entries: Sequence[Entry]) -> str:
    """A table for each document, below the counts of its verdicts."""
    blocks = [_summary(entries)]
    for document in dict.fromkeys(entry.document for entry in entries):
        selected = [entry for entry in entries if entry.document == document]
        blocks += [f"## {document}", _summary(selected), _table(selected)]
    return "\n\n".join(blocks) + "\n"


def _summary(entries: Sequence[Entry]) -> str:
    parts = [f"{number} {verdict}" for verdict, number in counts(entries).items() if number]
    return f"{len(entries)} claims: {', '.join(parts)}."


def _table(entries: Sequence[Entry]) -> str:
    lines = [
        "| | section | claim | printed | here | 95 % interval | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_line(entry) for entry in entries]
    return "\n".join(lines)


def _line(entry: Entry) -> str:
    note = f" ({entry.shown_note})" if entry.note else ""
    verdict = f"**{entry.verdict}**" + (f": {entry.reason}" if entry.reason else "")
    if entry.verdict == NOT_MEASURED and entry.command:
        verdict += f"; `{entry.command}`"
    parts = [
        entry.number,
        entry.section,
        entry.shown_text + note,
        entry.printed,
        entry.ours,
        entry.interval,
        verdict,
    ]
    return "| " + " | ".join(part.replace("|", "\\|").replace("<", "&lt;") for part in parts) + " |"
