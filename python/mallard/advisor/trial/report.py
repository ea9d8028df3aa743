"""Reads the file to which a trial writes its counts (advisor/trial/report.hpp)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from pathlib import Path

MAGIC = b"mdtrial1"
HEADER = struct.Struct("<8sIIIIQQ")
SERVER_BYTES = 128
MOST_NAMED = 3  # of the last requests


@dataclass(frozen=True)
class Counts:
    """The sums of the counts of all servers, in the order of the file."""

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
    delayed_frees: int = 0
    servers: int = 0
    askers: int = 0  # servers whose threads allocated in the scope
    seen: int = 0  # a bit for each of the first ranges of code in which a call was seen
    seen_excepted: int = 0  # a bit for each of the first excluded ranges that were called inside of the scope
    begin_cpu_ns: int = 0  # of the trial itself, before the program's first allocation
    begin_wall_ns: int = 0
    # The last request of each server: its bytes, and the address of its caller.
    last: tuple[tuple[int, int], ...] = ()

    @property
    def requests(self) -> int:
        """The requests of the scope."""
        return self.served + self.in_null + self.not_served

    @property
    def not_served(self) -> int:
        return self.too_large + self.aligned + self.no_room

    @property
    def never_freed(self) -> int:
        """Served blocks that were not freed before the end."""
        return self.served - self.freed - self.freed_by_others


IN_SCOPE = ("served", "in_null", "too_large", "aligned", "no_room")
SUMMED = tuple(field.name for field in fields(Counts))[:13]
SERVER = struct.Struct("<15Q")


def read_counts(file: Path) -> Counts | None:
    """Returns None if the program did not begin the trial."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if len(data) < SERVER_BYTES or not data.startswith(MAGIC):
        return None
    _, servers, _, seen, seen_excepted, cpu_ns, wall_ns = HEADER.unpack_from(data)
    complete = min(servers, len(data) // SERVER_BYTES - 1)
    rows = [SERVER.unpack_from(data, SERVER_BYTES * index) for index in range(1, complete + 1)]
    sums = {name: sum(row[index] for row in rows) for index, name in enumerate(SUMMED)}
    askers = sum(any(row[SUMMED.index(name)] for name in IN_SCOPE) for row in rows)
    last = tuple((row[-2], row[-1]) for row in rows if row[-1])
    return Counts(
        **sums,
        servers=complete,
        askers=askers,
        seen=seen,
        seen_excepted=seen_excepted,
        begin_cpu_ns=cpu_ns,
        begin_wall_ns=wall_ns,
        last=last[:MOST_NAMED],
    )
