"""The threads that asked for blocks of the scope: any other thread that allocates has a server, too."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from mallard.trial.report import HEADER, SERVER, SERVER_BYTES, Counts

IN_SCOPE = ("served", "in_null", "too_large", "aligned", "no_room")
PLACES = tuple([field.name for field in fields(Counts)].index(name) for name in IN_SCOPE)


def count_askers(report: Path) -> int:
    """Returns 0 if the program did not begin the trial."""
    try:
        data = report.read_bytes()
    except OSError:
        return 0
    if len(data) < SERVER_BYTES:
        return 0
    _, servers, _, _ = HEADER.unpack_from(data)
    there = min(servers, len(data) // SERVER_BYTES - 1)
    rows = (SERVER.unpack_from(data, SERVER_BYTES * place) for place in range(1, there + 1))
    return sum(any(row[place] for place in PLACES) for row in rows)
