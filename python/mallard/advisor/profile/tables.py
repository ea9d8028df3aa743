"""The sites, scopes and lifetimes of a profile as flat tables, for databases.

Each row names its recording, so that tables of many recordings can be read as one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Figures, Percentiles, Scope

Record = dict[str, Any]

RECORDING: dict[str, type] = {
    "trace": str,
    "executable": str,
    "command": str,
    "process": int,
    "sampled_one_in": int,
}
PLACE: dict[str, type] = {"function": str, "short_function": str, "object": str, "file": str, "line": int}
AMOUNTS = ("contained", "escaped", "alive", "freed_by_other_thread", "temporary")
DIMENSIONS = {
    "density": "D",
    "variation": "V",
    "locality": "L",
    "utilization": "U",
    "contention": "C",
    "fragmentability": "F",
}
FIGURES: dict[str, type] = {
    "allocations": int,
    "bytes": int,
    "peak_bytes": int,
    "frees": int,
    "smallest_bytes": int,
    "largest_bytes": int,
    **{f"{name}_{unit}": int for name in AMOUNTS for unit in ("allocations", "bytes")},
    "mean_lifetime_seconds": float,
    "mean_lifetime_bytes": float,
    "variation": float,
}
SITES: dict[str, type] = {**RECORDING, **PLACE, **FIGURES, "stacks": int, "returns_to_zero": int}
SCOPES: dict[str, type] = {
    **RECORDING,
    "kind": str,
    **PLACE,
    **FIGURES,
    "containment": float,
    **dict.fromkeys(DIMENSIONS, float),
    "drag": float,
    "activations": int,
    "contained_activations": int,
    "seconds": float,
    "threads": int,
    **{f"activation_bytes_{part}": float for part in ("p50", "p90", "p99", "max")},
    "owned_allocations": int,
    "owned_bytes": int,
}
LIFETIMES: dict[str, type] = {
    **RECORDING,
    "unit": str,
    "at_least": float,
    "below": float,
    "allocations": int,
    "bytes": int,
}


def site_records(profile: Profile) -> list[Record]:
    names = Names(profile)
    return [
        {
            **_recording(profile),
            **_place(names, names.place(site.place).function),
            "file": names.place(site.place).file,
            "line": names.place(site.place).line,
            **_figures(site.figures),
            "peak_bytes": site.peak_bytes,
            "stacks": site.contexts,
            "returns_to_zero": site.returns,
        }
        for site in profile.sites
    ]


def scope_records(profile: Profile) -> list[Record]:
    names = Names(profile)
    marked = profile.markers.scopes if profile.markers else ()
    return [_scope(profile, names, scope) for scope in (*marked, *profile.scopes)]


def lifetime_records(profile: Profile) -> list[Record]:
    """Of freed blocks. `log2` = -1 stands for less than 1 (profile_format.md)."""
    lives = profile.lifetimes
    histograms = (("bytes", lives.by_bytes, 1.0), ("seconds", lives.by_time, 1e-9)) if lives else ()
    return [
        {
            **_recording(profile),
            "unit": unit,
            "at_least": 2.0**log2 * scale if log2 >= 0 else 0.0,
            "below": 2.0 ** (log2 + 1) * scale,
            "allocations": allocations,
            "bytes": bytes_,
        }
        for unit, rows, scale in histograms
        for log2, allocations, bytes_ in rows
    ]


TABLES: dict[str, tuple[dict[str, type], Callable[[Profile], list[Record]]]] = {
    "sites": (SITES, site_records),
    "scopes": (SCOPES, scope_records),
    "lifetimes": (LIFETIMES, lifetime_records),
}


def _recording(profile: Profile) -> Record:
    process = profile.process
    return {
        "trace": profile.trace.file,
        "executable": process.executable,
        "command": shlex.join(process.command) if process.command else None,
        "process": process.number,
        "sampled_one_in": process.sampled_one_in,
    }


def _place(names: Names, number: int | None) -> Record:
    function = names.function(number)
    return {
        "function": names.full(number),
        "short_function": names.short(number),
        "object": function.object,
        "file": function.file,
        "line": function.line,
    }


def _figures(figures: Figures) -> Record:
    record: Record = {
        "allocations": figures.allocations,
        "bytes": figures.bytes,
        "frees": figures.frees,
        "smallest_bytes": figures.smallest,
        "largest_bytes": figures.largest,
        "mean_lifetime_seconds": figures.mean_lifetime_seconds,
        "mean_lifetime_bytes": figures.mean_lifetime_bytes,
        "variation": figures.dimension("V").scaled,
    }
    for name in AMOUNTS:
        amount = getattr(figures, name)
        record[f"{name}_allocations"] = amount.allocations if amount else None
        record[f"{name}_bytes"] = amount.bytes if amount else None
    return record


def _scope(profile: Profile, names: Names, scope: Scope) -> Record:
    figures, activations = scope.figures, scope.activations
    percentiles = scope.activation_bytes or Percentiles()
    place = _place(names, scope.function)
    if scope.name is not None:
        place |= {"function": scope.name, "short_function": scope.name}
    return {
        **_recording(profile),
        "kind": scope.kind if scope.name is not None else "function",
        **place,
        **_figures(figures),
        "peak_bytes": figures.dimension("L").footprint_bytes,
        "containment": figures.containment,
        **{name: figures.dimension(letter).scaled for name, letter in DIMENSIONS.items()},
        "drag": figures.drag.area_ratio if figures.drag else None,
        "activations": activations.allocating,
        "contained_activations": activations.contained,
        "seconds": activations.seconds,
        "threads": scope.threads,
        **{
            f"activation_bytes_{part}": percentiles.below(getattr(percentiles, part))
            for part in ("p50", "p90", "p99", "max")
        },
        "owned_allocations": scope.owned.allocations if scope.owned else None,
        "owned_bytes": scope.owned.bytes if scope.owned else None,
    }
