"""Merges the profiles of several recordings of one program into one profile.

Rows are matched by their names: functions by name and object, places by function, file and line. Counts are
added. Peaks are not, because the recordings did not run together: the merged peak is the highest one.
Percentiles are the highest ones, too, which is an upper bound. A ratio is made of its sums where a profile
has them, and is otherwise the mean by bytes.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from mallard.advisor.profile.document import (
    FORMAT,
    VERSION,
    Completeness,
    Flame,
    Function,
    Instances,
    Lifetimes,
    Node,
    Place,
    Process,
    Profile,
    Progress,
    RecordedPool,
    Trace,
)
from mallard.advisor.profile.records import (
    AlmostContained,
    Diffusion,
    Dimension,
    Drag,
    Escape,
    EscapeSite,
    Figures,
    FunctionAmount,
    Iteration,
    Owner,
    PageFaults,
    Pair,
    PlaceAmount,
    Pooled,
    Scope,
    Site,
    SiteBlocks,
    StackAmount,
)
from mallard.shared.errors import UsageError

T = TypeVar("T")
Maps = dict[str, dict[int, int]]

# Fields that are numbers of a row in a table of the document.
TABLES = {
    **dict.fromkeys(("function", "by", "into", "container"), "functions"),
    **dict.fromkeys(("place", "at", "site"), "places"),
    **dict.fromkeys(("stack", "allocated", "freed", "first"), "stacks"),
    **dict.fromkeys(("id", "scope"), "scopes"),
}
UNKNOWN_ROW = -1  # of a number beyond the end of its table
KEYS: dict[type, tuple[str, ...]] = {
    Scope: ("function", "name", "kind"),
    Site: ("place",),
    SiteBlocks: ("place",),
    StackAmount: ("stack",),
    FunctionAmount: ("function",),
    PlaceAmount: ("place",),
    Pair: ("allocated", "freed", "container", "thread"),
    Escape: ("by", "at", "into", "thread"),
    EscapeSite: ("site", "file", "instruction"),
    Iteration: ("function",),
    Owner: ("function", "class_"),
    AlmostContained: ("scope",),
    Pooled: ("place",),
    Instances: ("name",),
    Progress: ("name",),
    RecordedPool: ("name",),
}
LENGTHS: dict[type, int] = {StackAmount: 3, FunctionAmount: 5, Escape: 12, EscapeSite: 12}
HIGHEST = {
    *("largest", "peak_bytes", "most_bytes_between", "most_alive", "footprint_bytes", "size_classes"),
    *("threads", "contexts", "stacks", "p50", "p90", "p99", "max", "share"),
}
LOWEST = {"smallest", "saved_ns_per_block"}
# Of the heaviest row: its example, or a number that has no sum.
FIRST = {"stack", "first", "id"}


def merge(profiles: Sequence[Profile]) -> Profile:
    """Raises a UsageError for recordings whose counts cannot be added."""
    _check(profiles)
    tables = _Tables()
    rows = [tables.renumbered(profile) for profile in profiles]
    first = rows[0]
    scopes = _merged_rows(chain_of(rows, "scopes"))
    listed = {scope.id: scope for scope in scopes}
    highest = max(rows, key=_peak)
    merged = {
        field.name: _merged_field(field.name, [getattr(row, field.name) for row in rows])
        for field in dataclasses.fields(Profile)
        if field.name in ROWS
    }
    merged["almost_contained"] = tuple(
        dataclasses.replace(row, containment=listed[row.scope].figures.containment)
        for row in merged["almost_contained"]
        if row.scope in listed and 0.8 <= (listed[row.scope].figures.containment or 0) < 1
    )
    return dataclasses.replace(
        first,
        **merged,
        trace=Trace(
            ", ".join(row.trace.file for row in rows),
            sum(row.trace.bytes for row in rows),
            sum(row.trace.torn_bytes for row in rows),
        ),
        recordings=sum(row.recordings for row in rows),
        processes=tuple(process for row in rows for process in row.processes),
        process=_process([row.process for row in rows]),
        completeness=_completeness([row.completeness for row in rows]),
        functions=tuple(tables.functions),
        places=tuple(tables.places),
        stacks=tuple(tables.stacks),
        scopes=scopes,
        timeline=highest.timeline,
        lifetimes=_lifetimes(rows),
        flame=_flame(rows),
        warnings=_warnings(rows, highest),
        scope=None,
    )


ROWS = {
    *("figures", "sites", "pairs", "iterations", "owners", "almost_contained", "already_pooled", "foreign"),
    *("scopes_not_listed", "sites_not_listed", "leaks", "leaks_not_listed", "temporary"),
    *("temporary_not_listed", "pairs_not_listed", "markers", "pools"),
}


def encode(value: Any) -> Any:
    """The document of a profile, for JSON."""
    if isinstance(value, Profile):
        return {"format": FORMAT, "version": VERSION, **_encoded_fields(value)}
    if dataclasses.is_dataclass(value):
        return _encoded_fields(value)
    return [encode(item) for item in value] if isinstance(value, tuple) else value


def _encoded_fields(row: Any) -> dict[str, Any]:
    return {
        field.name.rstrip("_"): encode(getattr(row, field.name))
        for field in dataclasses.fields(row)
        if not (isinstance(row, Profile) and field.name == "scope")
    }


def _check(profiles: Sequence[Profile]) -> None:
    samples = {profile.process.sampled_one_in: profile.trace.file for profile in profiles}
    if len(samples) > 1:
        (one, a), (other, b) = list(samples.items())[:2]
        raise UsageError(
            f"{a} has one activation in {one} and {b} one in {other}, so their counts cannot be added; "
            "merge recordings with the same --sample"
        )


class _Tables:
    """Functions, places, stacks and scopes of all profiles, each once."""

    def __init__(self) -> None:
        self.functions: list[Function] = []
        self.places: list[Place] = []
        self.stacks: list[tuple[int | None, ...]] = []
        self._numbers: dict[Any, int] = {}

    def renumbered(self, profile: Profile) -> Profile:
        maps: Maps = {"functions": {}, "places": {}, "stacks": {}, "scopes": {}}
        for at, function in enumerate(profile.functions):
            key = (function.name, os.path.basename(function.object or ""))
            maps["functions"][at] = self._number(self.functions, ("f", key), function)
        for at, place in enumerate(profile.places):
            moved = dataclasses.replace(
                place, function=maps["functions"].get(place.function, UNKNOWN_ROW), file=place.file
            )
            line = (moved.function, os.path.basename(place.file or ""), place.line, place.inlined)
            maps["places"][at] = self._number(self.places, ("p", line), moved)
        for at, stack in enumerate(profile.stacks):
            levels = tuple(
                None if level is None else maps["places"].get(level, UNKNOWN_ROW) for level in stack
            )
            maps["stacks"][at] = self._number(self.stacks, ("s", levels), levels)
        for scope in profile.scopes:
            if scope.id is not None:
                owner = maps["functions"].get(scope.function or 0, UNKNOWN_ROW)
                number = self._numbers.setdefault(("c", owner), len(self._numbers))
                maps["scopes"][scope.id] = number
        result: Profile = _renumbered(
            dataclasses.replace(profile, functions=(), places=(), stacks=(), processes=(), scope=None), maps
        )
        return dataclasses.replace(result, processes=profile.processes)

    def _number(self, rows: list[T], key: Any, row: T) -> int:
        number = self._numbers.setdefault(key, len(rows))
        if number == len(rows):
            rows.append(row)
        return number


def _renumbered(value: Any, maps: Maps) -> Any:
    if isinstance(value, tuple):
        return tuple(_renumbered(item, maps) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changes = {}
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        if isinstance(item, int) and not isinstance(item, bool) and field.name in TABLES:
            changes[field.name] = maps[TABLES[field.name]].get(item, UNKNOWN_ROW)
        elif isinstance(item, tuple) or dataclasses.is_dataclass(item):
            changes[field.name] = _renumbered(item, maps)
    return dataclasses.replace(value, **changes)


def chain_of(rows: Sequence[Profile], name: str) -> list[Any]:
    return [item for row in rows for item in getattr(row, name)]


def _weight(row: Any) -> int:
    figures = getattr(row, "figures", row)
    if isinstance(row, Scope):
        return row.owned.allocations if row.owned else 0
    return getattr(figures, "allocations", 0)


def _merged_rows(rows: Iterable[Any]) -> tuple[Any, ...]:
    """One row for each key, the heaviest first."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in sorted(rows, key=_weight, reverse=True):
        groups[tuple(getattr(row, name) for name in KEYS[type(row)])].append(row)
    return tuple(sorted((_merged(group) for group in groups.values()), key=_weight, reverse=True))


def _merged(rows: Sequence[Any]) -> Any:
    """Rows of one type as one; its keys are those of the first."""
    kind = type(rows[0])
    if len(rows) == 1:
        return rows[0]
    keys = KEYS.get(kind, ())
    merged = kind(
        **{
            field.name: getattr(rows[0], field.name)
            if field.name in keys
            else _merged_field(field.name, [getattr(row, field.name) for row in rows])
            for field in dataclasses.fields(kind)
        }
    )
    ratios = RATIOS.get(kind)
    return dataclasses.replace(merged, **ratios(rows, merged)) if ratios else merged


def _merged_field(name: str, values: Sequence[Any]) -> Any:
    """Of values that are known. A ratio, which has no sum, is replaced afterwards."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    example = known[0]
    if isinstance(example, Diffusion):
        # Pages of several processes have no sum.
        return max(known, key=lambda diffusion: diffusion.peak.live_bytes)
    if isinstance(example, tuple):
        items = [item for value in known for item in value]
        if items and dataclasses.is_dataclass(items[0]):
            return _merged_rows(items)[: LENGTHS.get(type(items[0]))]
        return _histogram(items) if name in ("sizes", "by_bytes", "by_time") else example
    if dataclasses.is_dataclass(example):
        return _merged(known)
    if isinstance(example, bool):
        return any(known)
    if isinstance(example, str) or name in FIRST:
        return example
    if name in HIGHEST:
        return max(known)
    return min(known) if name in LOWEST else sum(known)


def _histogram(rows: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    sums: dict[int, tuple[int, int]] = {}
    for limit, allocations, bytes_ in rows:
        known = sums.get(limit, (0, 0))
        sums[limit] = known[0] + allocations, known[1] + bytes_
    return tuple((limit, *sums[limit]) for limit in sorted(sums))


def _mean(pairs: Iterable[tuple[float | None, float | None]]) -> float | None:
    """The mean of values with weights; None if no value is known."""
    known = [(value, weight or 0) for value, weight in pairs if value is not None]
    total = sum(weight for _, weight in known)
    if not known:
        return None
    return sum(value * weight for value, weight in known) / total if total else known[0][0]


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _freed(row: Figures) -> int:
    return row.allocations - (row.alive.allocations if row.alive else 0)


def _figure_ratios(rows: Sequence[Figures], merged: Figures) -> dict[str, Any]:
    contained, escaped = merged.contained, merged.escaped
    ended = (contained.allocations if contained else 0) + (escaped.allocations if escaped else 0)
    return {
        "size_classes": max(len(merged.sizes), merged.size_classes or 0),
        "containment": _share(contained.allocations if contained else None, ended),
        "mean_lifetime_seconds": _mean((row.mean_lifetime_seconds, _freed(row)) for row in rows),
        "mean_lifetime_bytes": _mean((row.mean_lifetime_bytes, _freed(row)) for row in rows),
        **{letter: DIMENSIONS[letter](rows, letter) for letter in DIMENSIONS},
        "V": _variation(merged),
        "drag": _drag(rows),
    }


def _parts(rows: Sequence[Figures], letter: str) -> list[tuple[Figures, Dimension]]:
    return [(row, part) for row in rows if (part := getattr(row, letter)) is not None]


def _mean_dimension(rows: Sequence[Figures], letter: str) -> Dimension | None:
    """By bytes. That is exact for U, whose ratio is of bytes."""
    parts = _parts(rows, letter)
    if not parts:
        return None
    weighted = [(part, row.bytes) for row, part in parts]
    merged: Dimension = _merged([part for part, _ in weighted])
    return dataclasses.replace(
        merged,
        raw=_mean((part.raw, weight) for part, weight in weighted),
        scaled=_mean((part.scaled, weight) for part, weight in weighted),
        interval=None,
        ns_per_operation=_mean((part.ns_per_operation, part.samples) for part, _ in weighted),
        freed_by_other_thread=_mean((part.freed_by_other_thread, weight) for part, weight in weighted),
    )


def _locality(rows: Sequence[Figures], letter: str) -> Dimension | None:
    parts = [part for _, part in _parts(rows, letter)]
    if not parts:
        return None
    merged: Dimension = _merged(parts)
    time = sum((part.raw or 0) * (part.footprint_bytes or 0) * (part.transitions or 0) for part in parts)
    raw = _share(time, (merged.footprint_bytes or 0) * (merged.transitions or 0))
    return dataclasses.replace(merged, raw=raw, scaled=None if raw is None else raw / (1 + raw))


def _variation(merged: Figures) -> Dimension | None:
    total = sum(allocations for _, allocations, _ in merged.sizes)
    if not total:
        return merged.V
    shares = [allocations / total for _, allocations, _ in merged.sizes if allocations]
    raw = max(0.0, -sum(share * math.log2(share) for share in shares))
    return Dimension(raw=raw, scaled=1 - 2**-raw)


def _drag(rows: Sequence[Figures]) -> Drag | None:
    drags = [(row.drag, row.bytes, row.dimension("U").raw or 0) for row in rows if row.drag is not None]
    if not drags:
        return None
    return Drag(
        _mean((drag.peak_ratio, utilization * bytes_) for drag, bytes_, utilization in drags),
        _mean((drag.area_ratio, bytes_) for drag, bytes_, _ in drags),
    )


DIMENSIONS: dict[str, Callable[[Sequence[Figures], str], Dimension | None]] = {
    **dict.fromkeys("DUCF", _mean_dimension),
    "L": _locality,
}


def _scope_ratios(rows: Sequence[Scope], merged: Scope) -> dict[str, Any]:
    allocating = [row.activations.allocating for row in rows]
    changes: dict[str, Any] = {}
    for name in ("activation_bytes", "activation_peak"):
        if (percentiles := getattr(merged, name)) is not None:
            means = [part.mean if (part := getattr(row, name)) else None for row in rows]
            changes[name] = dataclasses.replace(percentiles, mean=_mean(zip(means, allocating, strict=True)))
    if faults := merged.page_faults:
        changes["page_faults"] = PageFaults(faults.fresh, _share(faults.fresh, sum(allocating)))
    return changes


def _progress_ratios(rows: Sequence[Progress]) -> dict[str, Any]:
    """By the gaps between the marks."""
    timed = [(row.count - 1, row.per_second) for row in rows if row.per_second]
    return {
        "per_second": _share(sum(gaps for gaps, _ in timed), sum(gaps / rate for gaps, rate in timed)),
        "allocations_between": _mean((row.allocations_between, row.count - 1) for row in rows),
    }


RATIOS: dict[type, Callable[..., dict[str, Any]]] = {
    Figures: _figure_ratios,
    Scope: _scope_ratios,
    Owner: lambda rows, merged: {"blocks_a_call": _share(merged.allocations, merged.calls)},
    Progress: lambda rows, merged: _progress_ratios(rows),
    Pair: lambda rows, merged: {
        name: _mean((getattr(row, name), row.allocations) for row in rows)
        for name in ("mean_lifetime_seconds", "mean_lifetime_bytes")
    },
}


def _process(processes: Sequence[Process]) -> Process:
    """Of one program. What differs from recording to recording is unknown."""
    first = processes[0]
    summed = ("seconds", "cpu_seconds", "events", "timed_events", "interrupted_events", "nested_events")
    return dataclasses.replace(
        first,
        **{
            name: _merged_field(name, [getattr(process, name) for process in processes])
            for name in (*summed, "forks_not_followed", "programs_not_followed", "threads", "stopped", "torn")
        },
        command=_common(process.command for process in processes),
        exit_status=_common(process.exit_status for process in processes),
        instance=1,
        instances=1,
        launcher=_common(process.launcher for process in processes),
    )


def _common(values: Iterable[T]) -> T | None:
    first, *others = values
    return first if all(value == first for value in others) else None


def _completeness(parts: Sequence[Completeness]) -> Completeness:
    """Scopes are withheld if no recording has them."""
    shown = next((part for part in parts if not part.withheld), parts[0])
    merged: Completeness = _merged(parts)
    return dataclasses.replace(
        merged, share=_share(merged.complete, merged.events), scopes=shown.scopes, reason=shown.reason
    )


def _lifetimes(profiles: Sequence[Profile]) -> Lifetimes | None:
    lives = [profile.lifetimes for profile in profiles if profile.lifetimes is not None]
    return _merged(lives) if lives else None


def _peak(profile: Profile) -> int:
    return (profile.timeline.peak_bytes if profile.timeline else None) or 0


def _flame(profiles: Sequence[Profile]) -> Flame | None:
    """The trees as one: nodes with the same functions from the root are one node."""
    nodes: list[Node] = []
    rows: dict[tuple[int | None, int | None], int] = {}
    flames = [profile.flame for profile in profiles if profile.flame is not None]
    for flame in flames:
        moved: list[int] = []
        for node in flame.nodes:
            known_parent = node.parent is not None and node.parent < len(moved)
            parent = moved[node.parent] if known_parent and node.parent is not None else None
            at = rows.setdefault((parent, node.function), len(nodes))
            if at == len(nodes):
                nodes.append(dataclasses.replace(node, parent=parent))
            else:
                sums = _merged([nodes[at], node])
                nodes[at] = dataclasses.replace(sums, parent=parent, function=node.function)
            moved.append(at)
    return Flame(tuple(nodes), sum(flame.pruned for flame in flames)) if flames else None


def _warnings(profiles: Sequence[Profile], highest: Profile) -> tuple[str, ...]:
    texts = [f"the peak and the timeline are those of {highest.trace.file}, which has the highest peak"]
    programs = sorted({os.path.basename(profile.process.executable or "?") for profile in profiles})
    if len(programs) > 1:
        texts.append(f"recordings of {len(programs)} programs were merged: {', '.join(programs)}")
    texts += [
        f"{profile.trace.file} adds nothing to the scopes, because its stacks are incomplete"
        for profile in profiles
        if profile.completeness.withheld
    ]
    if any(profile.unlisted_rows for profile in profiles):
        texts.append(
            "some profiles lack their light rows, which are missing in the sums; write with --json --all"
        )
    return tuple(dict.fromkeys([*texts, *(text for profile in profiles for text in profile.warnings)]))
