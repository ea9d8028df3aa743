"""The messages of a recording, from the facts of the collector."""

from __future__ import annotations

from typing import Any

import pytest

from mallard.advisor.recording import messages
from mallard.advisor.recording.messages import message_lines

# Of a recording without a fault.
SUMMARY: dict[str, Any] = {
    "record": "summary",
    **dict.fromkeys(("status", "forks", "programs", "nested", "names", "damaged", "unknown_threads"), 0),
    **dict.fromkeys(("failed", "ended_by", "signal", "stopped"), ""),
    **dict.fromkeys(("follow", "recover", "has_file", "is_idle", "is_disk_full"), False),
    "file": "x",
    "program": "p",
    "processes": 1,
    "threads": 2,
    "events": 2000,
    "complete": 2000,
    "seconds": 1.234,
    "bytes": 6000,
    "incomplete": None,
    "without_event": [],
}
ALL = "mallard: 100 % of 2,000 stacks are complete"
AMOUNTS = "mallard: 2,000 events of 2 threads in 1.23 s; 6.0 kB, 3.00 bytes an event"
NEXT = "mallard: next: mallard profile x"


def test_words_a_recording() -> None:
    assert message_lines(SUMMARY) == [ALL, AMOUNTS, NEXT]


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"complete": None}, "no stacks, because of --stacks none; scopes will be withheld"),
        ({"complete": 1999}, "99.95 % of 2,000 stacks are complete"),
        (
            {"complete": 1000, "incomplete": {"end": "too_deep", "events": 999, "file": "f\x1b"}},
            (
                "scopes will be withheld, which need 95 %: 49.95 % end because they are too deep, most often "
                "in f\\x1b"
            ),
        ),
        (
            {"events": 1, "complete": 1, "threads": 1, "bytes": 999},
            "1 event of 1 thread in 1.23 s; 999 bytes, ",
        ),
        (
            {"processes": 2, "bytes": 123_456_789},
            "2,000 events of 2 threads in 2 processes in 1.23 s; 123 MB, ",
        ),
        (
            {"forks": 1, "programs": 2},
            "not followed: 1 fork and 2 executed programs; --follow records them too",
        ),
        ({"forks": 1, "recover": True}, "not followed: 1 fork"),
        ({"nested": 1000}, "lost: 1,000 events of signal handlers that interrupted the recorder"),
        ({"names": 1}, "lost: 1 use of names, because the table of names is full"),
        ({"damaged": 2}, "lost: the ends of 2 damaged chunks"),
        ({"stopped": "no memory"}, "the recording stopped before the program ended: out of memory; raise"),
        ({"status": 3}, "the program ended with status 3 with the recorder"),
        (
            {"status": 128 + 11},
            "the program was killed by SIGSEGV with the recorder; if it does not",
        ),
        ({"failed": "no room"}, "error: no room"),
        (
            {"processes": 0, "has_file": True},
            (
                "error: nothing was recorded: 'p' ended with status 0 before its first allocation, or did "
                "not load the recorder; 'x' is unchanged"
            ),
        ),
        (
            {"processes": 0, "program": ""},
            "error: nothing was recorded, because the recording had not started",
        ),
    ],
)
def test_words_what_it_lacks(facts: dict[str, Any], line: str) -> None:
    assert any(f"mallard: {line}" in text for text in message_lines(SUMMARY | facts))


def test_counts_programs_without_an_event_by_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        messages, "reason_for_no_event", lambda program: {"a": "has its own malloc"}.get(program, "")
    )
    lines = message_lines(SUMMARY | {"follow": True, "without_event": ["a", "true", "a"]})
    assert "mallard: followed, but without an event: 2 executed programs; 'a' has its own malloc" in lines
