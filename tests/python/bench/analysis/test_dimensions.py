"""The five dimensions around a centre: the plan, the lines of each dimension, and the report."""

from __future__ import annotations

from typing import Any

import pytest
from panels import charts, maps, report_of
from synthetic_experiments import CENTRE, DIMENSIONS, MECHANISMS, VARIED, dimensions_rows
from synthetic_rows import to_rows

from mallard.bench.analysis.panel.dimensions import all_picks, value_text, varied
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.expected_runner import expected_runner
from mallard.bench.experiments import dimensions
from mallard.bench.experiments.dimensions import EXPERIMENT
from mallard.bench.plan import Host, Plan, Request, make_plan
from mallard.shared.errors import UsageError
from mallard.shared.report.model import Points


def planned(cores: int = 2, **options: str) -> Plan:
    return make_plan(Request("dimensions", options=options), expected_runner(), Host(64 << 30, cores))


def places(plan: Plan) -> list[tuple[Any, ...]]:
    return [tuple(row.parameters[name] for name in EXPERIMENT.places) for row in plan.rows]


def test_plan_varies_one_dimension_a_row() -> None:
    plan = planned()
    centre = tuple(dimension.centre for dimension in dimensions.DIMENSIONS)
    moved = [sum(map(int.__ne__, place, centre)) for place in places(plan)]
    assert sorted(moved) == [0, *[1] * (len(moved) - 1)]
    threads = {place[4] for place in places(plan)}
    assert threads == {1, 2}, "of two cores"
    values = [dimension.values for dimension in dimensions.DIMENSIONS[:4]]
    assert len(plan.rows) == sum(map(len, values)) - 3 + 1
    assert plan.rows[0].strategies == MECHANISMS
    assert not plan.options["pin"]


def test_options_move_the_centre() -> None:
    found = places(planned(accesses="64", threads="2"))
    assert {place[0] for place in found} == {64}
    assert {place[4] for place in found} == {2}
    assert {place[2] for place in found} == {1, 2, 4, 8, 16}
    with pytest.raises(UsageError, match="--traversals 4 with --accesses 6: a visit makes that many of them"):
        planned(accesses="6")


def test_centre_is_the_most_frequent_place() -> None:
    (table,) = race_tables("dimensions", to_rows(dimensions_rows()))
    variations = varied(table)
    assert [variation.dimension.axis for variation in variations] == list(DIMENSIONS)
    assert [tuple(value for value, _ in variation.lines) for variation in variations] == list(VARIED)
    (alone,) = race_tables("dimensions", to_rows(dimensions_rows()[:4]))
    assert varied(alone) == []


def test_picks_are_of_the_newest_run() -> None:
    rows = to_rows(dimensions_rows(("new-delete", "multipool")), dimensions_rows())
    found = {(pick.dimension.letter, pick.value): pick for pick in all_picks(rows)}
    assert found["U", 1].strategy == "multipool+monotonic"
    assert found["V", 1].strategy == "new-delete"
    assert found["V", 1].ratio is None
    assert all_picks([]) == []


def test_value_has_the_share_of_its_dimension() -> None:
    density, variation, locality, utilization, contention = dimensions.DIMENSIONS
    assert value_text(density, 16) == "16 accesses of a block (D = 0.059)"
    assert value_text(variation, 2) == "2 sizes of blocks (V = 0.5)"
    assert value_text(locality, 4) == "4 traversals in a visit"
    assert value_text(density, 1) == "1 access of a block (D = 0.5)"
    assert value_text(locality, 1) == "1 traversal in a visit"
    assert value_text(utilization, 4) == "4 generations of blocks (U = 0.25)"
    assert value_text(contention, 2) == "2 threads"


def test_each_dimension_has_chart_and_map() -> None:
    report = report_of(dimensions_rows())
    assert report.answer.text.startswith("multipool+monotonic is fastest over 11 rows")
    assert len(maps(report)) == len(charts(report)) == len(DIMENSIONS)
    density = maps(report)[0]
    assert [labels for labels, _ in density.rows] == [(str(value),) for value in VARIED[0]]
    assert charts(report)[0].x_name == "accesses of a block + 1", "a logarithm of 0 has no place"
    assert [x for x, _ in charts(report)[0].series[0].points] == [value + 1 for value in VARIED[0]]
    assert charts(report)[1].x_name == "sizes of blocks"
    texts = [text for section in report.sections[1:] for block in section.answer for text in _texts(block)]
    assert "1 size of blocks (V = 0): new-delete." in texts
    assert any(text.startswith("0 accesses of a block (D = 1): multipool+monotonic, 25 %") for text in texts)
    assert CENTRE[0] == dimensions.DIMENSIONS[0].centre


def _texts(block: object) -> tuple[str, ...]:
    return block.texts if isinstance(block, Points) else ()
