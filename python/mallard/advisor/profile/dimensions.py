"""Texts of a scope's figures: the six dimensions with their definitions, and the containment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.advisor.profile.records import BreakEven, Dimension, Drag, Interval, Percentiles, Scope
from mallard.shared.report.figures import UNKNOWN, plural, ratio, share, size
from mallard.shared.report.model import Figure, Unit

NEVER = "never"


def separated_share(scope: Scope) -> float | None:
    """The share of the possible activations that the stacks distinguish. None for a marked scope."""
    seen = scope.separations
    if scope.name is not None or seen is None or not seen.at_most:
        return None
    return min(1.0, seen.seen / seen.at_most)


def exact(scope: Scope) -> bool:
    """False if calls that nothing separates may count as one activation."""
    return scope.name is not None or separated_share(scope) == 1.0


def merged(scope: Scope) -> bool:
    """True if activations count as one and their blocks were all freed in between. Then no figure of an
    activation is that of a call.
    """
    returns = scope.rewind.returns if scope.rewind else None
    return not exact(scope) and returns is not None and returns > scope.activations.allocating


def activation_bytes(scope: Scope) -> Percentiles:
    """The bytes that an activation allocates. Of merged activations only the most between two moments without
    a live block is known.
    """
    if merged(scope) and scope.rewind:
        return Percentiles(max=scope.rewind.peak_bytes)
    return scope.activation_bytes or Percentiles()


def drag(scope: Scope) -> Drag | None:
    """The bytes that a region keeps over the live ones; None for merged activations."""
    return None if merged(scope) else scope.figures.drag


def contained(scope: Scope) -> Figure:
    """An upper bound if calls that nothing separates may count as one."""
    return Figure(scope.figures.containment, Unit.SHARE, is_bound=not exact(scope))


def break_even(point: BreakEven | None) -> str:
    """The containment from which a region saves more than it costs; `never` if not even 100 % is enough."""
    if point is None or point.share is None:
        return UNKNOWN
    return share(point.share) if point.share <= 1 else NEVER


@dataclass(frozen=True)
class Described:
    letter: str
    name: str
    text: str  # the definition
    raw: Callable[[Dimension], str]  # the figure as measured; empty if it is not known


def share_of_time(density: Dimension) -> str:
    """`8.4 % of the time (7.9 to 8.9 %)`; empty if no operation was timed."""
    if density.raw is None:
        return ""
    if density.unknown_because:
        return f"not known: {density.unknown_because}"
    ends = f" ({share_interval(density.interval)})" if density.interval else ""
    return f"{share(density.raw)} of the time{ends}"


def share_interval(ends: Interval) -> str:
    """`7.9 to 8.9 %`"""
    return f"{share(ends[0]).removesuffix(' %')} to {share(min(ends[1], 1.0))}"


def _variation(dimension: Dimension) -> str:
    return "" if dimension.raw is None else f"{ratio(dimension.raw)} bits of entropy"


def _locality(dimension: Dimension) -> str:
    if dimension.footprint_bytes is None or dimension.transitions is None:
        return ""
    return f"footprint {size(dimension.footprint_bytes)}, {plural(dimension.transitions, 'transition')}"


def _utilization(dimension: Dimension) -> str:
    if not dimension.raw:
        return ""
    return f"bytes / peak = {ratio(1 / dimension.raw)}"


def _contention(dimension: Dimension) -> str:
    if dimension.raw is None:
        return ""
    cross_thread = (
        ""
        if dimension.freed_by_other_thread is None
        else f", {share(dimension.freed_by_other_thread)} freed by another thread"
    )
    return f"{ratio(dimension.raw)} other operations meanwhile{cross_thread}"


def _fragmentability(dimension: Dimension) -> str:
    if dimension.raw is None:
        return ""
    pages = ""
    if dimension.pages_spanned is not None and dimension.pages_needed:
        pages = f", {ratio(dimension.pages_spanned / dimension.pages_needed)} times the pages needed"
    return f"{share(dimension.raw)} of neighbours are foreign{pages}"


DIMENSIONS = (
    Described("D", "density", "share of the time that passes inside the allocator", share_of_time),
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
