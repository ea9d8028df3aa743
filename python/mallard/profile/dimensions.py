"""The six dimensions in words: their names, their measured figures, their definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.profile.figures import Dimension
from mallard.profile.words import plural, ratio, share, size


@dataclass(frozen=True)
class Described:
    letter: str
    name: str
    text: str  # the definition
    raw: Callable[[Dimension], str]  # the figure as measured; empty if it is not known


def _density(found: Dimension) -> str:
    if found.raw is None:
        return ""
    ends = (
        f" ({share(found.interval[0]).removesuffix(' %')} to {share(found.interval[1])})"
        if found.interval
        else ""
    )
    return f"{share(found.raw)} of the time{ends}"


def _variation(found: Dimension) -> str:
    return "" if found.raw is None else f"{ratio(found.raw)} bits of entropy"


def _locality(found: Dimension) -> str:
    if found.footprint_bytes is None or found.transitions is None:
        return ""
    return f"footprint {size(found.footprint_bytes)}, {plural(found.transitions, 'transition')}"


def _utilization(found: Dimension) -> str:
    if not found.raw:
        return ""
    return f"bytes / peak = {ratio(1 / found.raw)}"


def _contention(found: Dimension) -> str:
    if found.raw is None:
        return ""
    other = (
        ""
        if found.freed_by_other_thread is None
        else f", {share(found.freed_by_other_thread)} freed by another thread"
    )
    return f"{ratio(found.raw)} other operations meanwhile{other}"


def _fragmentability(found: Dimension) -> str:
    if found.raw is None:
        return ""
    pages = ""
    if found.pages_spanned is not None and found.pages_needed:
        pages = f", {ratio(found.pages_spanned / found.pages_needed)} times the pages needed"
    return f"{share(found.raw)} of neighbours are foreign{pages}"


DIMENSIONS = (
    Described("D", "density", "share of the time that passes inside the allocator", _density),
    Described("V", "variation", "entropy of the size classes; 0 for one size", _variation),
    Described(
        "L", "locality", "time / (footprint x transitions); high if a small scope runs for long", _locality
    ),
    Described(
        "U", "utilization", "highest live bytes / all bytes; low if memory is used again", _utilization
    ),
    Described(
        "C", "contention", "operations of other threads while one of these was in the allocator", _contention
    ),
    Described(
        "F", "fragmentability", "share of neighbours in memory that belong to others", _fragmentability
    ),
)
