"""The heat map of the README's first screen as an SVG: a line a structure, a column a strategy."""

from __future__ import annotations

from html import escape

from mallard.bench.analysis.averages import mean_over_rows
from mallard.bench.analysis.labels import column_words, families
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.density import Summary
from mallard.bench.contenders import CONTENDERS
from mallard.shared.report.terminal_map import ratio_style

CELL_WIDTH, CELL_HEIGHT = 43, 22
NAMES_WIDTH, HEADING_HEIGHT, FOOT_HEIGHT, FOOT_LINE = 252, 62, 42, 16
STYLE = """
    text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
    .figure { text-anchor: middle; font-variant-numeric: tabular-nums }
    .heading { text-anchor: middle; font-weight: 600 }
    .soft { fill: #59636e; font-size: 11px }
    .rule { stroke: #59636e; stroke-width: 1 }
    @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 } .soft { fill: #9198a1 } .rule { stroke: #9198a1 }
    }
"""


def heat_map_image(summary: Summary, condition: str) -> str:
    """`condition` is a sentence about the rows, below the picture."""
    names = [name for name in summary.strategies if name != BASE and name not in CONTENDERS]
    width = NAMES_WIDTH + CELL_WIDTH * len(names) + 4
    height = HEADING_HEIGHT + CELL_HEIGHT * len(summary.tables) + FOOT_HEIGHT
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    label = f"CPU time of each strategy in percent of {BASE}, by data structure"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f"<style>{STYLE}</style>",
        *_headings(names),
    ]
    for line, table in enumerate(summary.tables):
        y = HEADING_HEIGHT + CELL_HEIGHT * line
        parts.append(f'<text x="0" y="{y + 15}">{escape(table.type)}</text>')
        ratios = [mean_over_rows([table], name, BASE) for name in names]
        best = min((ratio.median for ratio in ratios[1:] if ratio), default=0.0)
        for column, ratio in enumerate(ratios):
            if ratio is not None:
                parts += _cell(NAMES_WIDTH + CELL_WIDTH * column, y, ratio.median, ratio.median == best)
    foot = f"CPU time in percent of {BASE}, the global allocator; mean over sizes. Underlined: the lowest."
    for line, text in enumerate((condition, foot)):
        parts.append(f'<text class="soft" x="0" y="{height - 6 - FOOT_LINE * line}">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _headings(names: list[str]) -> list[str]:
    parts = []
    x = NAMES_WIDTH
    for family, count in families(names):
        span = CELL_WIDTH * count
        parts.append(f'<text class="heading" x="{x + span / 2}" y="14">{escape(family)}</text>')
        parts.append(f'<line class="rule" x1="{x + 3}" x2="{x + span - 3}" y1="21" y2="21"/>')
        x += span
    for column, name in enumerate(names):
        middle = NAMES_WIDTH + CELL_WIDTH * (column + 0.5)
        for word, y in zip(column_words(name), (38, 53), strict=True):
            parts.append(f'<text class="figure" x="{middle}" y="{y}">{escape(word)}</text>')
    return parts


def _cell(x: int, y: int, ratio: float, best: bool) -> list[str]:
    style = ratio_style(ratio)
    assert style.bgcolor is not None
    assert style.color is not None
    background, ink = (color.get_truecolor().hex for color in (style.bgcolor, style.color))
    weight = "; font-weight: 700; text-decoration: underline" if best else ""
    place = f'x="{x + 1}" y="{y + 1}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}"'
    middle = f'x="{x + CELL_WIDTH / 2}" y="{y + 15}"'
    return [
        f'<rect {place} rx="2" fill="{background}"/>',
        f'<text class="figure" style="fill: {ink}{weight}" {middle}>{100 * ratio:.0f}</text>',
    ]
