"""How long blocks live: histograms by bytes that the process allocated meanwhile, and by time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mallard.advisor.profile.words import count, seconds, share, size
from mallard.advisor.view.html.profile.content import Content, Part
from mallard.shared.view.html.markup import Markup, element, joined

_Text = Callable[[float], str]
Bins = Sequence[tuple[int, int, int]]  # log2, allocations, bytes
LEAST_BINS = 12
LABEL_EVERY = 5


def lifetimes_part(content: Content) -> Part | None:
    lifetimes = content.profile.lifetimes
    if lifetimes is None or not (lifetimes.by_bytes or lifetimes.by_time):
        return None
    alive = lifetimes.alive
    alive_note = ""
    if alive and alive.allocations:
        alive_note = (
            f" {count(alive.allocations)} blocks of {size(alive.bytes)} are alive at the end, not included."
        )
    body = joined(
        element("p", f"Of the blocks that were freed, by powers of two.{alive_note}"),
        element(
            "ul",
            element("li", element("i", class_="blocks"), "share of the blocks"),
            element("li", element("i", class_="weight"), "share of the bytes"),
            class_="keys",
        ),
        element(
            "div",
            _histogram("Bytes allocated meanwhile", lifetimes.by_bytes, size),
            _histogram("Time", lifetimes.by_time, lambda value: seconds(value * 1e-9)),
            class_="columns",
        ),
    )
    return Part("lifetimes", "Lifetimes", "How long blocks live", body, {})


def _histogram(title: str, bins: Bins, text: _Text) -> Markup | None:
    if not bins:
        return None
    by_power = {power: (allocations, bytes_) for power, allocations, bytes_ in bins}
    first = min(by_power)
    last = max(max(by_power), first + LEAST_BINS - 1)
    if last - first > 127:
        return None
    blocks = sum(allocations for allocations, _ in by_power.values()) or 1
    weight = sum(bytes_ for _, bytes_ in by_power.values()) or 1
    shares = {power: (a / blocks, b / weight) for power, (a, b) in by_power.items()}
    highest = max(max(pair) for pair in shares.values()) or 1.0
    bars = []
    for power in range(first, last + 1):
        of_blocks, of_bytes = shares.get(power, (0.0, 0.0))
        ends = f"{text(2.0**power)} to {text(2.0 ** (power + 1))}" if power >= 0 else f"less than {text(1.0)}"
        title_ = f"{ends}: {share(of_blocks)} of the blocks, {share(of_bytes)} of the bytes"
        label = text(2.0**power) if power % LABEL_EVERY == 0 and (power >= LABEL_EVERY or first == 0) else ""
        if power < 0:
            label = text(0.0)
        bars.append(
            element(
                "li",
                element("i", class_="blocks", style=f"height:{100 * of_blocks / highest:.1f}%"),
                element("i", class_="weight", style=f"height:{100 * of_bytes / highest:.1f}%"),
                element("span", _rounded(label)) if label else None,
                title=title_,
            )
        )
    return element(
        "figure",
        element("figcaption", title, element("small", f"highest bar {share(highest)}")),
        element("ol", *bars, class_="histogram"),
    )


def _rounded(text: str) -> str:
    """A label of an axis of powers of two: 1.00 KiB is 1 KiB, 2.05 us is 2 us."""
    number, _, unit = text.partition(" ")
    return f"{float(number):.0f} {unit}"
