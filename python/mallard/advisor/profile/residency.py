"""Resident memory over time and the live bytes, both of the recorded run.

    resident, without files = live blocks that were written + what malloc retains + what malloc never saw

The collector samples the first, and the events give the live bytes exactly. A block that is live, but was
never written, is not resident.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from mallard.advisor.profile.document import Timeline
from mallard.advisor.profile.records import LargeBlocks

MOSTLY = 0.5  # of the bytes
LEAST_BLOCK = 1 << 20  # bytes of a block on average


def is_mostly_unwritten(site: LargeBlocks) -> bool:
    """True of large blocks of which less than half was written."""
    large = site.bytes >= LEAST_BLOCK * site.allocations
    return large and site.other_bytes >= MOSTLY * site.bytes > 0


@dataclass(frozen=True)
class Moment:
    """A sample. The live bytes are the higher ones of the ends of its step of the timeline."""

    seconds: float
    resident_bytes: float  # without files and shared memory
    live_bytes: float

    @property
    def beyond_bytes(self) -> float:
        """At least so much is in no live block."""
        return max(0.0, self.resident_bytes - self.live_bytes)


def sampled_moments(timeline: Timeline | None) -> list[Moment]:
    """Empty if the recording has no samples."""
    if timeline is None or not timeline.resident or not _is_drawn(timeline):
        return []
    moments = []
    for sample in timeline.resident:
        end = min(bisect_left(timeline.seconds, sample.seconds), len(timeline.seconds) - 1)
        live = max(timeline.live_bytes[max(0, end - 1) : end + 1])
        resident = float(max(0, sample.resident_bytes - sample.file_bytes))
        moments.append(Moment(sample.seconds, resident, live))
    return moments


def resident_line(timeline: Timeline) -> tuple[float, ...]:
    """At the points of the timeline: the highest sample of each step, or the last one before it. Empty
    without samples.
    """
    moments = sampled_moments(timeline)
    if not moments:
        return ()
    points = [0.0] * len(timeline.seconds)
    known = [False] * len(points)
    for moment in moments:
        at = min(bisect_left(timeline.seconds, moment.seconds), len(points) - 1)
        points[at] = max(points[at], moment.resident_bytes)
        known[at] = True
    for at in range(1, len(points)):
        if not known[at]:
            points[at] = points[at - 1]
    return tuple(points)


def _is_drawn(timeline: Timeline) -> bool:
    return len(timeline.seconds) == len(timeline.live_bytes) >= 2
