"""The bars of the README's first screen as an SVG that is readable on a phone, in light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, BAR_HEIGHT, PITCH = 460, 22, 34  # a phone shows 360 to 400
LABELS_WIDTH, FIGURES_WIDTH, TITLE_HEIGHT, HEADING_HEIGHT, FOOT_LINE = 190, 62, 28, 30, 20
STYLE = """
    text { font: 15px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
    .title { font-weight: 600 }
    .figure { font-variant-numeric: tabular-nums; font-weight: 600 }
    .soft { fill: #59636e; font-size: 13px }
    .other { fill: #afb8c1 } .own { fill: #1a7f64 } .interval { stroke: #1f2328; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 } .soft { fill: #9198a1 }
        .other { fill: #57606a } .own { fill: #3fb18f } .interval { stroke: #e6edf3 }
    }
"""


@dataclass(frozen=True)
class Bar:
    label: str
    percent: float
    low: float
    high: float
    own: bool


@dataclass(frozen=True)
class Panel:
    heading: str
    bars: Sequence[Bar]


def bar_chart_image(title: str, panels: Sequence[Panel], notes: Sequence[str]) -> str:
    """`notes` are lines of text below the bars. A thin line in a bar is its 95 % interval."""
    bars = [bar for panel in panels for bar in panel.bars]
    bars_end = TITLE_HEIGHT + HEADING_HEIGHT * len(panels) + PITCH * len(bars)
    height = bars_end + FOOT_LINE * len(notes) + 8
    scale = (WIDTH - LABELS_WIDTH - FIGURES_WIDTH) / max(bar.high for bar in bars)
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="0" y="18">{escape(title)}</text>',
    ]
    top = TITLE_HEIGHT
    for panel in panels:
        parts.append(f'<text class="soft" x="0" y="{top + 18}">{escape(panel.heading)}</text>')
        top += HEADING_HEIGHT
        for bar in panel.bars:
            parts += _draw(bar, top, scale)
            top += PITCH
    for line, note in enumerate(notes):
        parts.append(f'<text class="soft" x="0" y="{bars_end + FOOT_LINE * line + 14}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _draw(bar: Bar, y: int, scale: float) -> list[str]:
    length = bar.percent * scale
    low, high = (LABELS_WIDTH + end * scale for end in (bar.low, bar.high))
    place = f'x="{LABELS_WIDTH}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}"'
    end = max(LABELS_WIDTH + length, high) + 8
    parts = [
        f'<text x="0" y="{y + 16}">{escape(bar.label)}</text>',
        f'<rect class="{"own" if bar.own else "other"}" {place} rx="3"/>',
        f'<text class="figure" x="{end:.1f}" y="{y + 16}">{bar.percent:.0f} %</text>',
    ]
    if bar.high > bar.low:
        middle = y + BAR_HEIGHT / 2
        parts.append(f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>')
    return parts
