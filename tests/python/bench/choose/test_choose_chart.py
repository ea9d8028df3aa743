"""The decision chart: every path once, joined, with the figures of the rows."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_experiments import (
    contention_rows,
    dimensions_rows,
    fragmentation_rows,
    locality_rows,
    utilization_rows,
)
from synthetic_pools import program_rows
from synthetic_rows import to_rows
from synthetic_run import density_rows

from mallard.bench.choose import Chart, ChartLeaf, decision_chart
from mallard.bench.choose.graph import QUESTIONS
from mallard.bench.strategy_names import of_papers
from mallard.bench.view.decision import chart_report
from mallard.shared.report.model import Figure, Paragraph, Table

Native = dict[str, Any]


@pytest.fixture(scope="module")
def chart() -> Chart:
    shared = ("new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool")
    every = of_papers()
    return decision_chart(
        to_rows(
            density_rows(names=("DS1", "DS4")),
            locality_rows(),
            utilization_rows(),
            contention_rows() + contention_rows(shared, freed_by="other"),
            fragmentation_rows(names=("DS4",), strategies=every),
        )
    )


def find_leaf(chart: Chart, answers: tuple[str, ...]) -> ChartLeaf:
    """The leaf at the end of the walk that gives these answers."""
    (leaf,) = [way.end for way in chart.ways if tuple(answer for _, answer in way.answers) == answers]
    assert isinstance(leaf, ChartLeaf)
    return leaf


def test_every_way_has_other_answers(chart: Chart) -> None:
    ways = {tuple(answer for _, answer in way.answers) for way in chart.ways}
    assert len(ways) == len(chart.ways) == len(chart.leaves) + 1
    assert len(chart.leaves) == 29


def test_own_frees_join_the_single_thread_walk(chart: Chart) -> None:
    (join,) = [way for way in chart.ways if not isinstance(way.end, ChartLeaf)]
    assert [answer for _, answer in join.answers] == ["several", "its own"]
    assert join.end is QUESTIONS["locality"]


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
def test_leaves_have_answers_of_this_machine(
    chart: Chart, answers: tuple[str, ...], strategy: str, ratio: float | None
) -> None:
    leaf = find_leaf(chart, answers)
    assert leaf.strategy == strategy
    assert leaf.cells
    if ratio is not None:
        assert leaf.ratio.median == pytest.approx(ratio, rel=1e-3)


def test_chart_uses_a_measured_structure(chart: Chart) -> None:
    assert chart.subject == "unordered_set<string>, 2^10 elements"
    default = decision_chart(to_rows(density_rows(names=("DS1", "DS2"))))
    assert default.subject == "vector<int>, 2^10 elements"
    requested = decision_chart(to_rows(density_rows(names=("DS1", "DS2"))), "vector<string>")
    assert requested.subject == "vector<string>, 2^10 elements"


def test_leaf_notes_a_missing_perturbed_heap() -> None:
    chart = decision_chart(to_rows(density_rows(names=("DS4",))))
    answers = ("one", "together", "much", "much", "it can", "yes", "type parameter", "no")
    assert "on a fresh heap" in find_leaf(chart, answers).text


def test_leaves_name_commands_without_rows() -> None:
    empty = decision_chart([])
    assert len(empty.leaves) == 29
    missing = {leaf.missing for leaf in empty.leaves}
    assert "mallard bench locality" in missing
    assert "mallard bench contention --threads 4 --freed-by other" in missing
    assert "mallard bench density --ds 4 --size 10" in missing
    assert [leaf.strategy for leaf in empty.leaves if not leaf.missing] == ["new-delete"]


def test_programs_are_with_the_leaves() -> None:
    chart = decision_chart(to_rows(density_rows(names=("DS4",)), program_rows(("small",))))
    (note,) = [note for note in chart.programs if " monotonic takes " in note]
    assert "in 1 small program monotonic takes 50 % (50 to 50) of the fastest malloc's time" in note
    assert sum(leaf.programs == note for leaf in chart.leaves) > 1
    texts = [block.text for block in chart_report(chart).sections[0].blocks if isinstance(block, Paragraph)]
    assert sum(" monotonic takes 50 %" in text for text in texts) == 1


def test_report_has_each_question_above_its_answers(chart: Chart) -> None:
    report = chart_report(chart)
    assert report.answer.text.startswith("29 ways through the questions: ")
    (table,) = [block for block in report.sections[0].blocks if isinstance(block, Table)]
    ways = [str(row.cells[0]).split("\n") for row in table.rows]
    assert len(ways) == 29 + 1, "a way that joins another names its question"
    assert ways[0][:3] == [
        "contention: How many threads allocate at once? one",
        "\u2003locality: Does its memory stay together while it is used? together",
        "\u2003\u2003density: Is allocation much of its work? much",
    ]
    answers = [way.answers[: depth + 1] for way in chart.ways for depth in range(len(way.answers))]
    lines = [line for way in ways for line in way]
    assert len(lines) == sum(before not in answers[:at] for at, before in enumerate(answers)), "once"
    (join,) = [row for row in table.rows if str(row.cells[1]).startswith("go on at: ")]
    assert str(join.cells[0]).endswith("its own")
    titles = [row.cells[1] for row in table.rows if row is not join]
    assert titles == [leaf.title for leaf in chart.leaves]
    figures = [row.cells[2] for row in table.rows if row is not join]
    assert [figure.value if isinstance(figure, Figure) else None for figure in figures] == [
        leaf.ratio.median if leaf.ratio else None for leaf in chart.leaves
    ]


def test_chart_has_the_picks_along_dimensions() -> None:
    assert not decision_chart([]).picks
    chart = decision_chart(to_rows(dimensions_rows()))
    assert {(pick.dimension.letter, pick.value): pick.strategy for pick in chart.picks}[
        "V", 1
    ] == "new-delete"
    tables = [block for block in chart_report(chart).sections[0].blocks if isinstance(block, Table)]
    assert [table.caption for table in tables] == ["The ways through the questions", "Along each dimension"]
    rows = [row.cells for row in tables[1].rows]
    assert [row[0] for row in rows[:4]] == ["density"] * 4
    assert rows[1][:3] == ("density", "4 accesses of a block (D = 0.2)", "multipool+monotonic")
    assert rows[1][3].value == pytest.approx(14 / 48)
    assert rows[4][2:] == ("new-delete", None, None)
