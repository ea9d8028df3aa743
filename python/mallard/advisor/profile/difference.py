"""Compares two profiles: the sites and the scopes that allocate more or less.

A row is matched by its function and its source line, because addresses differ from build to build. If an edit
moved the lines of a file, the remaining sites of a function are matched in the order of their lines.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names, is_library_function

FORMAT, VERSION = "mallard profile difference", 1
FIGURES = ("allocations", "bytes", "peak_bytes")


@dataclass(frozen=True)
class Key:
    name: str
    file: str = ""  # without its folders, which differ from build to build
    line: int = 0


@dataclass(frozen=True)
class Sums:
    allocations: int = 0
    bytes: int = 0
    peak_bytes: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in FIGURES))


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


@dataclass(frozen=True)
class _Row:
    short_name: str
    source: str
    sums: Sums


def compare(before: Profile, after: Profile) -> Difference:
    totals = _process_sums(before), _process_sums(after)
    process = Change("", "", "", *totals)

    def changes(rows: Callable[[Profile], dict[Key, _Row]]) -> tuple[Change, ...]:
        # Of scopes with one difference, the inner one has fewer allocations.
        def rank(change: Change) -> tuple[float, int, bool]:
            allocations = (change.after or change.before or Sums()).allocations
            return -_weight(change, totals), allocations, is_library_function(change.short_name)

        return tuple(sorted(_matched(rows(before), rows(after)), key=rank))

    return Difference(before, after, process, changes(_site_rows), changes(_scope_rows))


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


def _site_rows(profile: Profile) -> dict[Key, _Row]:
    names = Names(profile)
    rows = []
    for site in profile.sites:
        place = names.place(site.place)
        key = Key(names.full(place.function), os.path.basename(place.file or ""), place.line or 0)
        sums = Sums(site.figures.allocations, site.figures.bytes, site.peak_bytes or 0)
        rows.append((key, _Row(names.short(place.function), names.place_source(site.place), sums)))
    return _summed(rows)


def _scope_rows(profile: Profile) -> dict[Key, _Row]:
    names = Names(profile)
    marked = profile.markers.scopes if profile.markers else ()
    rows = []
    for scope in (*marked, *profile.scopes):
        name = scope.name if scope.name is not None else names.full(scope.function)
        file = os.path.basename(names.function(scope.function).file or "")
        peak = scope.figures.L.footprint_bytes if scope.figures.L else 0
        sums = Sums(scope.figures.allocations, scope.figures.bytes, peak or 0)
        rows.append((Key(name, file), _Row(names.scope(scope), names.source(scope.function), sums)))
    return _summed(rows)


def _summed(rows: Iterable[tuple[Key, _Row]]) -> dict[Key, _Row]:
    """Places of one function without lines cannot be told apart."""
    sums: dict[Key, _Row] = {}
    for key, row in rows:
        known = sums.get(key)
        sums[key] = row if known is None else _Row(row.short_name, row.source, known.sums + row.sums)
    return sums


def _matched(before: Mapping[Key, _Row], after: Mapping[Key, _Row]) -> list[Change]:
    """The rows that differ."""
    moved = _moved(before.keys() - after.keys(), after.keys() - before.keys())
    changes = [_change(key.name, row, after.get(moved.get(key, key))) for key, row in before.items()]
    matched = before.keys() | moved.values()
    changes += [_change(key.name, None, row) for key, row in after.items() if key not in matched]
    return [change for change in changes if any(change.differences())]


def _moved(before: Iterable[Key], after: Iterable[Key]) -> dict[Key, Key]:
    """The lines of a function that an edit moved: of a function with as many of them in both profiles."""
    lines: dict[tuple[str, str], tuple[list[Key], list[Key]]] = defaultdict(lambda: ([], []))
    for at, keys in enumerate((before, after)):
        for key in keys:
            lines[key.name, key.file][at].append(key)
    moved: dict[Key, Key] = {}
    for old, new in lines.values():
        if len(old) == len(new):
            moved.update(zip(_by_line(old), _by_line(new), strict=True))
    return moved


def _by_line(keys: Iterable[Key]) -> list[Key]:
    return sorted(keys, key=lambda key: key.line)


def _change(name: str, before: _Row | None, after: _Row | None) -> Change:
    shown = after or before
    assert shown is not None
    return Change(
        name, shown.short_name, shown.source, before.sums if before else None, after.sums if after else None
    )
