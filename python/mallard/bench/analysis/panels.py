"""The report of a run: tables, pictures and sentences by the kind of its experiment's panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mallard.bench.analysis import race_map, strategy_map
from mallard.bench.analysis.averages import compiler_effects
from mallard.bench.analysis.labels import strategy_heads
from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.panel.density import density_report
from mallard.bench.analysis.panel.dimensions import dimensions_report
from mallard.bench.analysis.panel.fragmentation import fragmentation_report
from mallard.bench.analysis.panel.locality import locality_report
from mallard.bench.analysis.panel.phases import phases_sections
from mallard.bench.analysis.panel.races import race_sections
from mallard.bench.analysis.panel.spreads import spreads_sections
from mallard.bench.analysis.panel.works import works_sections
from mallard.bench.analysis.printed import printed_sections
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Own, Phases, Race, Spreads, Works
from mallard.bench.result import Row
from mallard.shared.report.figures import digits
from mallard.shared.report.model import Paragraph, Points, Report, Section
from mallard.shared.report.picture import HeatMap, Layer, Spot, Tile
from mallard.shared.stats import Ratio

# The panels of one experiment only.
OWN: dict[str, Callable[..., Report]] = {
    "density": density_report,
    "locality": locality_report,
    "fragmentation": fragmentation_report,
    "dimensions": dimensions_report,
}


def panel_report(
    name: str, rows: Sequence[Row], cores: int | None = None, *, everything: bool = True
) -> Report:
    """`cores`: of the machine. `everything`: maps of races with all bindings and variants of a strategy."""
    own_rows = [row for row in rows if row.experiment == name]
    if not own_rows:
        return Report(EXPERIMENTS[name].heading, Paragraph(""))
    report = _report(EXPERIMENTS[name], own_rows, cores, everything=everything)
    compilers = _compilers(own_rows)
    return replace(report, sections=(*report.sections, compilers)) if compilers else report


def _report(experiment: Experiment, rows: Sequence[Row], cores: int | None, *, everything: bool) -> Report:
    notes: tuple[str, ...] = ()
    match experiment.panel:
        case Phases() as panel:
            sections = [
                *phases_sections(experiment, panel, rows),
                *printed_sections(experiment.name, rows),
            ]
            notes = (f"{panel.legend} {strategy_map.MARKS}",)
        case Race() as panel:
            sections = race_sections(experiment, panel, rows, cores, everything=everything)
            notes = (f"{panel.legend} {race_map.MARKS}",)
        case Works() as panel:
            sections = [
                *works_sections(experiment, panel, rows),
                *printed_sections(experiment.name, rows),
            ]
            notes = (f"{panel.legend} {strategy_map.MARKS}",)
        case Spreads() as panel:
            sections = spreads_sections(experiment, panel, rows)
        case Own():
            return OWN[experiment.name](experiment, rows, everything=everything)
    points = [text for block in sections[0].answer if isinstance(block, Points) for text in block.texts]
    return Report(experiment.heading, Paragraph(points[0] if points else ""), tuple(sections), notes)


def _compilers(rows: Sequence[Row]) -> Section | None:
    """The time with each compiler relative to that with the first."""
    effects = compiler_effects(rows)
    if not effects:
        return None
    names = in_table_order({name for effect in effects for name in effect.means})
    title = f"Time with another compiler / with {effects[0].base}, mean over rows"
    lines = tuple(
        ((effect.compiler,), tuple(_mean(effect.means.get(name)) for name in names)) for effect in effects
    )
    layers = (Layer("ratio", "Below 1 the code of the other compiler is faster.", title="{}"),)
    return Section(title, (HeatMap(title, title, ("",), strategy_heads(names), lines, layers, style="race"),))


def _mean(ratio: Ratio | None) -> Spot:
    return Spot((Tile(digits(ratio.median), ratio),)) if ratio else Spot()
