"""The file in which a trial counts (trial/report.hpp)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from pathlib import Path

MAGIC = b"mdtrial1"
HEADER = struct.Struct("<8sIII")
SERVER_BYTES = 128


@dataclass(frozen=True)
class Counts:
    """What the servers of all threads counted, in the order of the file."""

    served: int = 0
    served_bytes: int = 0
    freed: int = 0
    freed_by_others: int = 0
    moved: int = 0
    started_again: int = 0
    most_taken_bytes: int = 0
    too_large: int = 0
    aligned: int = 0
    no_room: int = 0
    in_null: int = 0
    elsewhere: int = 0
    servers: int = 0
    seen: int = 0  # a bit for each of the first ranges of code, if a call was seen there

    @property
    def requests(self) -> int:
        """The requests of the scope."""
        return self.served + self.in_null + self.not_served

    @property
    def not_served(self) -> int:
        return self.too_large + self.aligned + self.no_room

    @property
    def left(self) -> int:
        """Served blocks that nobody freed before the end."""
        return self.served - self.freed - self.freed_by_others


SERVER = struct.Struct(f"<{len(fields(Counts)) - 2}Q")


def read_counts(file: Path) -> Counts | None:
    """Returns None if the program did not begin the trial."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if len(data) < SERVER_BYTES or not data.startswith(MAGIC):
        return None
    _, servers, _, seen = HEADER.unpack_from(data)
    rows = [SERVER.unpack_from(data, SERVER_BYTES * place) for place in range(1, servers + 1)]
    if not rows:
        return Counts(seen=seen)
    named = [field.name for field in fields(Counts)]
    sums = dict(zip(named, (sum(column) for column in zip(*rows, strict=True)), strict=False))
    return Counts(**sums, servers=servers, seen=seen)
