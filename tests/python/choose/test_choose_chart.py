"""The decision chart: every path once, joined and laid out, with the figures of the rows."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_experiments import contention_rows, fragmentation_rows, locality_rows, utilization_rows
from synthetic_run import density_rows

from mallard.choose import Chart, ChartLeaf, decision_chart
from mallard.result import Row
from mallard.strategy_names import of_papers

Native = dict[str, Any]


def rows_of(*runs: list[Native]) -> list[Row]:
    return [Row.from_native(number, row) for number, rows in enumerate(runs, 1) for row in rows]


@pytest.fixture(scope="module")
def chart() -> Chart:
    shared = ("new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool")
    every = of_papers()
    return decision_chart(
        rows_of(
            density_rows(names=("DS1", "DS4")),
            locality_rows(),
            utilization_rows(),
            contention_rows() + contention_rows(shared, freed_by="other"),
            fragmentation_rows(names=("DS4",), strategies=every),
        )
    )


def leaf_of(chart: Chart, answers: tuple[str, ...]) -> ChartLeaf:
    """The leaf at the end of the walk that gives these answers."""
    at = chart.nodes[0].id
    for answer in answers:
        (at,) = [edge.target for edge in chart.edges if edge.source == at and edge.answer == answer]
    (leaf,) = [leaf for leaf in chart.leaves if leaf.id == at]
    return leaf


def test_every_leaf_is_reached_and_every_edge_leads_somewhere(chart: Chart) -> None:
    ids = [each.id for each in (*chart.nodes, *chart.leaves)]
    assert len(set(ids)) == len(ids)
    assert {edge.target for edge in chart.edges} == set(ids) - {chart.nodes[0].id}
    assert {edge.source for edge in chart.edges} == {node.id for node in chart.nodes}
    assert len(chart.leaves) == chart.rows == 29


def test_only_threads_that_free_their_own_join_the_walk_of_one(chart: Chart) -> None:
    targets = [edge.target for edge in chart.edges]
    joined = {target for target in targets if targets.count(target) > 1}
    assert len(joined) == 1
    assert {edge.answer for edge in chart.edges if edge.target in joined} == {"one", "its own"}


def test_it_is_laid_out_from_left_to_right_and_no_two_meet(chart: Chart) -> None:
    columns = {each.id: each.column for each in (*chart.nodes, *chart.leaves)}
    places = [(each.column, each.row) for each in (*chart.nodes, *chart.leaves)]
    assert len(set(places)) == len(places)
    assert chart.columns == 1 + max(columns.values())
    assert sorted(leaf.row for leaf in chart.leaves) == list(range(chart.rows))
    backwards = [edge for edge in chart.edges if columns[edge.target] <= columns[edge.source]]
    assert [edge.answer for edge in backwards] in ([], ["its own"])


@pytest.mark.parametrize(
    ("answers", "strategy", "ratio"),
    [
        (("one", "together", "little"), "new-delete", None),
        (("one", "scattered", "abstract base"), "multipool/base", None),
        (("one", "together", "much", "much", "it can", "no", "type parameter", "no"), "monotonic", 0.3),
        (
            ("one", "together", "much", "much", "it can", "no", "abstract base", "yes"),
            "monotonic/base/wink",
            0.297,
        ),
        (
            ("one", "together", "much", "much", "used again", "no", "type parameter", "no"),
            "multipool+monotonic",
            0.4,
        ),
        (
            ("one", "together", "much", "much", "used again", "yes", "type parameter", "yes"),
            "multipool+monotonic/wink",
            0.288,
        ),
        (("several", "another"), "concurrent-multipool", 0.2),
    ],
)
def test_the_leaves_have_this_machines_answers(
    chart: Chart, answers: tuple[str, ...], strategy: str, ratio: float | None
) -> None:
    leaf = leaf_of(chart, answers)
    assert leaf.strategy == strategy
    assert leaf.cells
    if ratio is not None:
        assert leaf.ratio.median == pytest.approx(ratio, rel=1e-3)


def test_it_is_about_a_structure_that_was_measured(chart: Chart) -> None:
    assert chart.subject == "unordered_set<string>, 2^10 elements"
    other = decision_chart(rows_of(density_rows(names=("DS1", "DS2"))))
    assert other.subject == "vector<int>, 2^10 elements"
    asked = decision_chart(rows_of(density_rows(names=("DS1", "DS2"))), "vector<string>")
    assert asked.subject == "vector<string>, 2^10 elements"


def test_a_leaf_that_stands_in_for_a_perturbed_heap_says_so() -> None:
    chart = decision_chart(rows_of(density_rows(names=("DS4",))))
    answers = ("one", "together", "much", "much", "it can", "yes", "type parameter", "no")
    assert "on a fresh heap" in leaf_of(chart, answers).text


def test_without_rows_the_leaves_name_the_commands() -> None:
    empty = decision_chart([])
    assert len(empty.leaves) == 29
    missing = {leaf.missing for leaf in empty.leaves}
    assert "mallard bench locality" in missing
    assert "mallard bench contention --threads 4 --freed-by other" in missing
    assert "mallard bench density --ds 4 --size 10" in missing
    assert [leaf.strategy for leaf in empty.leaves if not leaf.missing] == ["new-delete"]
