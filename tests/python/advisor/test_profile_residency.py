"""Resident memory and live bytes of a recording."""

from __future__ import annotations

import json
from typing import Any

from synthetic_profile import document

from mallard.advisor.profile.document import Timeline, read_profile
from mallard.advisor.profile.residency import Moment, resident_line, sampled_moments

MIB = 1 << 20


def timeline(*samples: tuple[float, int, int], **changes: Any) -> Timeline:
    """Live are 8 MiB at the end of the second of three seconds, before and after that 2 MiB."""
    fields = {
        "seconds": [0.0, 1.0, 2.0, 3.0],
        "live_bytes": [0, 2 * MIB, 8 * MIB, 2 * MIB],
        "peak_bytes": 9 * MIB,
        "peak_seconds": 1.5,
        "scopes": [],
        "reason": None,
        "resident": [[at, all_ * MIB, files * MIB] for at, all_, files in samples],
    }
    recorded = read_profile(json.dumps(document(timeline=fields | changes))).timeline
    assert recorded
    return recorded


def test_files_are_not_counted_and_live_bytes_are_the_higher_end_of_a_step() -> None:
    moments = sampled_moments(timeline((0.5, 5, 2), (1.5, 12, 2), (2.5, 12, 3), (9.0, 12, 2)))
    assert moments == [
        Moment(0.5, 3.0 * MIB, 2.0 * MIB),
        Moment(1.5, 10.0 * MIB, 8.0 * MIB),
        Moment(2.5, 9.0 * MIB, 8.0 * MIB),
        Moment(9.0, 10.0 * MIB, 8.0 * MIB),
    ]
    assert [moment.beyond_bytes for moment in moments] == [1.0 * MIB, 2.0 * MIB, 1.0 * MIB, 2.0 * MIB]


def test_blocks_that_were_never_written_are_not_resident() -> None:
    (moment,) = sampled_moments(timeline((1.5, 4, 2)))
    assert (moment.resident_bytes, moment.beyond_bytes) == (2.0 * MIB, 0.0)


def test_the_line_keeps_the_last_sample() -> None:
    line = resident_line(timeline((0.2, 3, 1), (0.9, 5, 1), (2.1, 7, 1)))
    assert line == (0.0, 4.0 * MIB, 4.0 * MIB, 6.0 * MIB)


def test_without_samples_or_points_there_is_no_line() -> None:
    assert resident_line(timeline()) == ()
    assert sampled_moments(None) == []
    assert sampled_moments(timeline((0.5, 5, 2), seconds=[0.0], live_bytes=[0])) == []
