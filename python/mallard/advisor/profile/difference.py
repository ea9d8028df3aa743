"""Compares two profiles: the sites and the scopes that allocate more or less.

A row is matched by its function and its source line, because addresses differ from build to build. If an edit
moved the lines of a file, the remaining sites of a function are matched in the order of their lines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names, is_library_function
from mallard.shared.prose import printable_name

FORMAT, VERSION = "mallard profile difference", 1
FIGURES = ("allocations", "bytes", "peak_bytes")


@dataclass(frozen=True)
class Sums:
    allocations: int = 0
    bytes: int = 0
    peak_bytes: int = 0


@dataclass(frozen=True)
class Change:
    """A site, a scope or the process. None if only one of the profiles has it."""

    name: str
    short_name: str
    source: str
    before: Sums | None
    after: Sums | None

    def difference(self, figure: str) -> int:
        after, before = self.after or Sums(), self.before or Sums()
        result: int = getattr(after, figure) - getattr(before, figure)
        return result

    def differences(self) -> tuple[int, ...]:
        return tuple(map(self.difference, FIGURES))


@dataclass(frozen=True)
class Difference:
    before: Profile
    after: Profile
    process: Change
    sites: tuple[Change, ...]  # those that differ, the largest difference first
    scopes: tuple[Change, ...]

    def document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "before": asdict(self.before.trace),
            "after": asdict(self.after.trace),
            "process": asdict(self.process),
            "sites": [asdict(change) for change in self.sites],
            "scopes": [asdict(change) for change in self.scopes],
        }


def compare(before: Profile, after: Profile) -> Difference:
    """The rows of both in one database, in which those of one are joined with those of the other."""
    both = Database()
    for profile in (before, after):
        both.add(profile.rows)
    both.connection.create_function("basename", 1, lambda path: os.path.basename(path or ""))
    totals = _process_sums(before), _process_sums(after)
    names = {1: Names(before), 2: Names(after)}

    def changes(rows: str) -> tuple[Change, ...]:
        # Of scopes with one difference, the inner one has fewer allocations.
        def rank(change: Change) -> tuple[float, int, bool]:
            allocations = (change.after or change.before or Sums()).allocations
            return -_weight(change, totals), allocations, is_library_function(change.short_name)

        found = both.connection.execute(JOINED.format(rows=rows))
        return tuple(sorted((_change(row, names[row["recording"]]) for row in found), key=rank))

    return Difference(before, after, Change("", "", "", *totals), changes(SITES), changes(SCOPES))


def _change(row: Mapping[str, Any], names: Names) -> Change:
    """The names of the row are those of its last recording."""
    function, place, marked = row["function"], row["place"], row["marked"]
    name = printable_name(marked) if marked is not None else names.full(function)
    short_name = name if marked is not None else names.short(function)
    source = names.source(function) if place is None else names.place_source(place)
    return Change(name, short_name, source, _sums(row, "before"), _sums(row, "after"))


def _sums(row: Mapping[str, Any], side: str) -> Sums | None:
    figures = [row[f"{side}_{figure}"] for figure in FIGURES]
    return None if figures[0] is None else Sums(*figures)


def _process_sums(profile: Profile) -> Sums:
    figures, timeline = profile.figures, profile.timeline
    return Sums(figures.allocations, figures.bytes, (timeline.peak_bytes if timeline else None) or 0)


def _weight(change: Change, totals: tuple[Sums, Sums]) -> float:
    """The largest of the three differences, as a share of the larger process."""
    shares: list[float] = [
        abs(change.difference(figure)) / max(1, *(getattr(sums, figure) for sums in totals))
        for figure in FIGURES
    ]
    return max(shares)


# Files are without their folders, which differ from build to build.
SITES = """
SELECT sites.recording, coalesce(nullif(functions.name, ''), basename(functions.object)) AS name,
 basename(places.file) AS file, coalesce(places.line, 0) AS line, NULL AS marked, places.function,
 sites.place, figures.allocations, figures.bytes, coalesce(sites.peak_bytes, 0) AS peak_bytes
FROM sites JOIN figures ON figures.recording = sites.recording AND figures.site = sites.id
LEFT JOIN places ON places.recording = sites.recording AND places.id = sites.place
LEFT JOIN functions ON functions.recording = sites.recording AND functions.id = places.function
WHERE sites.within IS NULL
"""
SCOPES = """
SELECT scopes.recording,
 coalesce(scopes.name, nullif(functions.name, ''), basename(functions.object)) AS name,
 basename(functions.file) AS file, 0 AS line, scopes.name AS marked, scopes.function, NULL AS place,
 figures.allocations, figures.bytes, coalesce(figures.L_footprint_bytes, 0) AS peak_bytes
FROM scopes JOIN figures ON figures.recording = scopes.recording AND figures.scope = scopes.id
LEFT JOIN functions ON functions.recording = scopes.recording AND functions.id = scopes.function
"""
# The rows of one function without lines are one. A line that an edit moved is matched if the function has as
# many such lines in both recordings. Only one aggregate is a maximum: then other columns are of its row.
JOINED = """
WITH sums AS (
 SELECT recording, name, file, line, marked, function, place, sum(allocations) AS allocations,
  sum(bytes) AS bytes, sum(peak_bytes) AS peak_bytes
 FROM ({rows}) GROUP BY recording, name, file, line
), lines AS (
 SELECT *, count(*) OVER (PARTITION BY name, file, line) = 2 AS is_in_both FROM sums
), positions AS (
 SELECT *, iif(is_in_both, line, row_number() OVER edited) AS position,
  iif(is_in_both, 0, count(*) OVER moved) AS moved_lines
 FROM lines
 WINDOW moved AS (PARTITION BY recording, name, file, is_in_both), edited AS (moved ORDER BY line)
)
SELECT max(recording) AS recording, marked, function, place,
 sum(allocations) FILTER (WHERE recording = 1) AS before_allocations,
 sum(bytes) FILTER (WHERE recording = 1) AS before_bytes,
 sum(peak_bytes) FILTER (WHERE recording = 1) AS before_peak_bytes,
 sum(allocations) FILTER (WHERE recording = 2) AS after_allocations,
 sum(bytes) FILTER (WHERE recording = 2) AS after_bytes,
 sum(peak_bytes) FILTER (WHERE recording = 2) AS after_peak_bytes
FROM positions GROUP BY name, file, is_in_both, position, moved_lines
HAVING (coalesce(before_allocations, 0), coalesce(before_bytes, 0), coalesce(before_peak_bytes, 0))
 <> (coalesce(after_allocations, 0), coalesce(after_bytes, 0), coalesce(after_peak_bytes, 0))
"""
