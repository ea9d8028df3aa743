"""Lines of strategies over the places of a table. A strategy has one colour in all drawings of a section.
There are more than a reader can distinguish. So these are drawn: null, new-delete, the section's
subject, and the fastest others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.names import BASE, NULL, contestants, malloc
from mallard.bench.analysis.ranking import collect_pairings
from mallard.bench.library import BURST, MASKED
from mallard.shared.stats import mean_ratio
from mallard.shared.view.html.line_plot import LinePlot, Series
from mallard.shared.view.html.markup import Markup

HUES = ("multipool", "both", "concurrent", "monotonic")
OTHERS = "contender"  # the style of other libraries' allocators
MOST = 11  # lines that a reader can distinguish

Value = Callable[[Line, str], float | None]


@dataclass(frozen=True)
class StrategyLines:
    x_name: str
    classes: dict[str, str]  # of the drawn strategies
    logarithmic_x: bool = True

    def plot(self, title: str, y_name: str, table: CellTable, value: Value | None = None) -> Markup | None:
        """A plot of times, or of another value of a cell; None without lines."""
        read_value = value or _time
        series = [
            Series(name, points, class_)
            for name, class_ in self.classes.items()
            if (
                points := [
                    (float(line.place[0]), y)
                    for line in table.lines
                    if (y := read_value(line, name)) is not None and y > 0.0
                ]
            )
        ]
        if not series or len(table.lines) < 2:
            return None
        return LinePlot(title, self.x_name, y_name, series, self.logarithmic_x).markup()


def strategy_lines(
    table: CellTable, x_name: str, always: Sequence[str], *, logarithmic_x: bool = True
) -> StrategyLines:
    drawn = _drawn(table, always)
    hues = dict(zip(_plain_names(drawn), HUES * MOST, strict=False))
    return StrategyLines(x_name, {name: _class(name, hues) for name in drawn}, logarithmic_x)


def _drawn(table: CellTable, always: Sequence[str]) -> list[str]:
    measured = table.strategies
    first = [name for name in (NULL, BASE, *always) if name in measured]
    others = {
        name: mean_ratio(pairings).median
        for name in measured
        if name not in first and not malloc(name)
        if (pairings := collect_pairings([table], name, BASE))
    }
    return [*first, *sorted(others, key=lambda name: others[name])][:MOST]


def _plain_names(names: Sequence[str]) -> list[str]:
    """The library's own strategies without variants. A burst has the colour of its plain strategy, a masked
    strategy that of its unmasked one."""
    own = [_plain(name) for name in contestants(names) if name != BASE]
    return list(dict.fromkeys(own))


def _plain(name: str) -> str:
    return name.removesuffix(BURST).removesuffix(MASKED)


def _class(name: str, hues: dict[str, str]) -> str:
    if name in (NULL, BASE):
        return "global dashed" if name == NULL else "global"
    hue = hues.get(_plain(name), OTHERS)
    return f"{hue} dashed" if name != _plain(name) else hue


def _time(line: Line, name: str) -> float | None:
    return line.cells[name].ns_per_operation if line.finished(name) else None
