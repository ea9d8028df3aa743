"""The pictures of a profile's page: the flame graph, live bytes over time, and lifetimes. Live bytes are a
table in other media.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.document import Timeline as Recorded
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.residency import resident_line
from mallard.shared.report.figures import count, seconds, size
from mallard.shared.report.model import (
    Aside,
    Call,
    Column,
    Flame,
    Histogram,
    Histograms,
    Paragraph,
    Section,
    Table,
    Timeline,
    Unit,
    row_from,
)
from mallard.shared.report.names import fitted

MODES: tuple[tuple[str, str, str], ...] = (
    ("peak", "peak", "Width: bytes that are live when the process holds the most."),
    ("bytes", "allocated", "Width: bytes allocated in the function and its callees."),
    ("alive", "leaks", "Width: bytes that are never freed."),
    ("contained", "containable", "Width: bytes that are freed before the function's activation ends."),
    ("operations", "operations", "Width: allocations and frees of the function and its callees."),
)
PART_MODES = tuple(
    (mode, "at the end", "Width: bytes that are live at the end.") if mode == "alive" else (mode, title, text)
    for mode, title, text in MODES
    if mode != "contained"
)
MOST_LINES = 8  # of a timeline
LEAST_DISTANCE = 0.02  # of the highest value, between lines that both can be seen
NAME = 40  # columns
MOST_LIVE = 2  # rows of a short table
LIVE = (
    Column("blocks of", numeric=False),
    Column("highest", "of the moments", unit=Unit.BYTES),
    Column("after", "time of that moment", unit=Unit.SECONDS),
    Column("at the end", "live bytes", unit=Unit.BYTES),
)
RESIDENT = "resident memory, without files"
SAMPLED = (
    "Resident memory is sampled from outside of the recorded process, without files and shared memory. It "
    "has a few MiB of the recorder's tables."
)
LINES = "A line is of all blocks made in that scope, also after its end. A scope inside another is in both."


def flame_calls(profile: Profile, names: Names) -> tuple[Call, ...]:
    return tuple(
        Call(
            -1 if node.parent is None else node.parent,
            None if node.function is None else names.function_cell(node.function),
            node.allocations,
            node.bytes,
            node.contained_bytes,
            node.operations,
            node.peak_bytes,
            node.alive_bytes,
        )
        for node in (profile.flame.nodes if profile.flame else ())
    )


def flame_sections(profile: Profile, names: Names) -> list[Section]:
    calls = flame_calls(profile, names)
    if not profile.flame or not any(call.bytes or call.operations for call in calls[1:]):
        return []
    shares = tuple(call.contained / call.bytes if call.bytes else 0.0 for call in calls)
    meaning = "share of the bytes that the function contains"
    modes, about = MODES, "where memory is allocated, held and lost, and where it could be contained"
    if profile.between is not None:
        modes, about = PART_MODES, "where memory is allocated and held"
        shares, meaning = tuple(0.5 for _ in calls), ""
    flame = Flame(calls, modes, shares, meaning, "nothing contained", omitted=profile.flame.pruned)
    return [Section("Flame graph", (flame,), is_headed=True, about=about)]


def timeline_sections(profile: Profile, names: Names, *, all_rows: bool) -> list[Section]:
    recorded = profile.timeline
    if not recorded or len(recorded.seconds) < 2 or len(recorded.live_bytes) != len(recorded.seconds):
        return []
    if max(recorded.live_bytes) <= 0:
        return []
    scopes = _distinct_lines(recorded)
    resident = resident_line(recorded)
    series = (
        ("the whole process", recorded.live_bytes),
        *([(RESIDENT, resident)] if resident else []),
        *((names.scope_name(number), live_bytes) for number, live_bytes in scopes),
    )
    reason = f"No lines of scopes: {recorded.reason}." if recorded.reason else ""
    picture = memory_picture(recorded, series)
    paragraphs = [Paragraph(_peak(recorded) + LINES), *([Paragraph(reason)] if reason else [])]
    if profile.between is not None:
        paragraphs = [Paragraph(_peak(recorded))] if recorded.peak_bytes is not None else []
    paragraphs += [Paragraph(SAMPLED)] if resident else []
    rows = []
    for name, live_bytes in series:
        highest = max(live_bytes)
        when = recorded.seconds[live_bytes.index(highest)]
        rows.append(row_from(LIVE, fitted(name, NAME), highest, when, live_bytes[-1]))
    table = Table("Live bytes", LIVE, tuple(rows), None if all_rows else MOST_LIVE, noun="further scope")
    return [
        Section(
            "Timeline",
            (picture, Aside("", tuple(paragraphs)), table),
            is_headed=True,
            about=f"live bytes at {count(len(recorded.seconds))} moments",
        )
    ]


def memory_picture(recorded: Recorded, series: Sequence[tuple[str, tuple[float, ...]]]) -> Timeline:
    """With resident memory, if it is known, as the area."""
    areas = [each for each in series if each[0] == RESIDENT]
    lines = [each for each in series if each[0] != RESIDENT]
    title = "Resident memory and live bytes over time" if areas else "Live bytes over time"
    return Timeline(title, recorded.seconds, (*areas, *lines))


def _distinct_lines(recorded: Recorded) -> list[tuple[int, tuple[float, ...]]]:
    """The scopes whose lines do not lie on an earlier one, or on the process's."""
    least = LEAST_DISTANCE * max(recorded.live_bytes)
    lines: list[Sequence[float]] = [recorded.live_bytes]
    distinct = []
    for scope in recorded.scopes:
        if len(scope.live_bytes) != len(recorded.seconds):
            continue
        if all(_distance(line, scope.live_bytes) > least for line in lines):
            distinct.append((scope.id, scope.live_bytes))
            lines.append(scope.live_bytes)
    return distinct[:MOST_LINES]


def _distance(line: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(first - second) for first, second in zip(line, other, strict=True))


def _peak(recorded: Recorded) -> str:
    if recorded.peak_bytes is None:
        return ""
    when = "" if recorded.peak_seconds is None else f" after {seconds(recorded.peak_seconds)}"
    return f"The peak is {size(recorded.peak_bytes)}{when}. "


def lifetime_sections(profile: Profile) -> list[Section]:
    lifetimes = profile.lifetimes
    if lifetimes is None or not (lifetimes.by_bytes or lifetimes.by_time):
        return []
    text = "Of the blocks that were freed, by powers of two."
    if lifetimes.alive and lifetimes.alive.allocations:
        text += f" {count(lifetimes.alive.allocations)} blocks of {size(lifetimes.alive.bytes)} "
        text += "are alive at the end, not included."
    charts = (
        Histogram("Bytes allocated meanwhile", Unit.BYTES, 1.0, to_shares(lifetimes.by_bytes)),
        Histogram("Time", Unit.SECONDS, 1e-9, to_shares(lifetimes.by_time)),
    )
    pictures = Histograms(("of the blocks", "of the bytes"), charts)
    return [
        Section(
            "Lifetimes",
            (Aside("", (Paragraph(text),)), pictures),
            is_headed=True,
            about="how long blocks live",
        )
    ]


def to_shares(bins: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, float, float], ...]:
    """Of bins with a power of two, blocks and bytes."""
    blocks = sum(allocations for _, allocations, _ in bins) or 1
    weight = sum(bytes_ for _, _, bytes_ in bins) or 1
    return tuple((power, allocations / blocks, bytes_ / weight) for power, allocations, bytes_ in bins)
