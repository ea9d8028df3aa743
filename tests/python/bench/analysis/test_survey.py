"""The survey of `mallard bench`: plannable questions, compared answers, and output that fits a screen."""

from __future__ import annotations

from typing import Any

import pytest
from report_lines import screen
from synthetic_rows import failed_row, native_row

from mallard.bench import described
from mallard.bench.analysis.survey import QUESTIONS, Answer, Question, answers, in_words
from mallard.bench.cells import cell_rows
from mallard.bench.expected_runner import expected_runner
from mallard.bench.plan import SURVEY, Host, make_plan
from mallard.bench.result import Row
from mallard.bench.view.survey import survey_report
from mallard.shared.report.model import Mood, Paragraph, Report, Verdict

HOST = Host(available_bytes=8 << 30, cores=2)
QUESTION = Question("keep it", "P", "reuse", ("multipool", "heap"), ("pmr-unsynchronized",), "two sizes")
PARAMETERS = {"block_bytes": 24, "pattern": "random", "sizes": "same", "operations": 1000}


def rows(times: dict[str, tuple[float, float]], noise: dict[str, float] | None = None) -> list[Row]:
    """Two cells with three repetitions; each repetition is a percent longer than the one before. The last one
    of a name is longer by its factor of noise.
    """

    def nanoseconds(name: str, ns: float, repetition: int) -> float:
        longer = (noise or {}).get(name, 1.0) if repetition == 2 else 1.0
        return ns * (1 + 0.01 * repetition) * longer

    native = [
        native_row(
            "reuse", {**PARAMETERS, "live": live}, name, repetition, nanoseconds(name, ns, repetition), 1000
        )
        for name, pair in times.items()
        for live, ns in zip((4096, 65536), pair, strict=True)
        for repetition in range(3)
    ]
    return [Row.from_native(1, row) for row in native]


def answer(noise: dict[str, float] | None = None, **times: tuple[float, float]) -> Answer:
    named = {name.replace("_at_", "@").replace("_", "-"): pair for name, pair in times.items()}
    return Answer(QUESTION, [row.cells for row in cell_rows(rows(named, noise))])


PAYS = answer(
    new_delete=(100, 100),
    new_delete_at_mi=(50, 50),
    pmr_unsynchronized=(80, 80),
    multipool=(20, 45),
    heap=(70, 70),
)
LOSES = answer(
    new_delete=(100, 100), new_delete_at_mi=(10, 10), pmr_unsynchronized=(80, 80), multipool=(30, 30)
)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.experiment)
def test_plans_every_question(question: Question) -> None:
    plan = make_plan(question.request(None), expected_runner(), HOST)
    assert plan.scale == SURVEY
    assert 1 <= len(plan.rows) <= 14
    for row in plan.rows:
        assert {"new-delete", *question.local, *question.standard} == {*row.strategies}
        small_runner = [described.STRATEGIES[name].get("survey") for name in row.strategies]
        assert all(small_runner), "the small runner has every strategy"


def test_mean_is_geometric_over_all_cells() -> None:
    ratio = PAYS.mean("multipool")
    assert ratio.median == pytest.approx(0.3)
    broken = rows({"new-delete": (100, 100), "multipool": (20, 20)})[:-3]
    failed = failed_row("reuse", {**PARAMETERS, "live": 65536}, "multipool", 0, "timed_out", "after 60 s")
    incomplete = [*broken, Row.from_native(1, failed)]
    assert Answer(QUESTION, [row.cells for row in cell_rows(incomplete)]).mean("multipool") is None


def test_one_allocator_serves_a_line() -> None:
    assert PAYS.local.name == "multipool"
    assert in_words(PAYS.malloc.name) == "mi"


# std::pmr's pool is as fast as mallard's, and both are nine times as fast as any malloc.
EVEN_LOCALS = answer(
    {"multipool": 1.1},
    new_delete=(100, 100),
    new_delete_at_mi=(95, 95),
    pmr_unsynchronized=(10.2, 10.2),
    multipool=(10, 10),
)
# glibc's times are the noisy ones.
OPEN = answer({"multipool": 3.0}, new_delete=(100, 100), new_delete_at_mi=(80, 80), multipool=(75, 75))


@pytest.mark.parametrize(
    ("result", "pays", "loses", "use"),
    [
        (PAYS, True, False, ["multipool"]),
        (LOSES, False, True, ["mi"]),
        (EVEN_LOCALS, True, False, ["multipool", "std::pmr"]),
        (
            answer(new_delete=(100, 100), pmr_unsynchronized=(20, 20), multipool=(40, 40)),
            True,
            False,
            ["std::pmr"],
        ),
        (OPEN, False, False, ["glibc"]),
        (answer(new_delete=(100, 100), multipool=(100, 100)), False, False, ["glibc"]),
        (answer(new_delete=(100, 100)), False, False, ["glibc"]),
    ],
    ids=["pays", "loses", "even locals", "standard pays", "open", "equal", "unmeasured"],
)
def test_local_allocator_is_compared_with_mallocs(
    result: Answer, pays: bool, loses: bool, use: list[str]
) -> None:
    assert (result.pays, result.loses, result.use) == (pays, loses, use)


def test_answers_start_with_programs_and_the_largest_gain() -> None:
    gains = {0: 110.0, 1: 60.0, 2: 20.0, 3: 90.0}
    measured = [
        rows({"new-delete": (100, 100), question.local[0]: (gains.get(index, 120.0),) * 2})
        for index, question in enumerate(QUESTIONS)
    ]
    ordered = answers(measured)
    assert [answered.question for answered in ordered[:4]] == [QUESTIONS[place] for place in (0, 2, 1, 3)]
    assert not any(answered.pays for answered in ordered[4:])


def test_survey_fits_a_screen() -> None:
    wide: dict[str, Any] = {"new-delete": (100.0, 100.0), "new-delete@mimalloc": (44.0, 44.0)}
    results = answers(
        rows({**wide, **dict.fromkeys(question.standard, (86.0, 86.0)), question.local[0]: (29.0, 29.0)})
        for question in QUESTIONS
    )
    lines = screen(survey_report(results, ["mi"]))
    assert len(lines) <= 40
    assert all(len(line) <= 80 for line in lines)
    assert all(question.text in "".join(lines) for question in QUESTIONS)
    assert all(
        name in "".join(lines) for name in ("small-object-pool", "concurrent-multipool", "multipool-burst")
    )
    assert "P0089 II" not in "".join(lines)
    assert "P0089 II" in "".join(screen(survey_report(results, ["mi"]), 100))


def texts(report: Report) -> list[str]:
    """The conclusions, the answer first."""
    blocks = [block for section in report.sections for block in section.blocks]
    return [report.answer.text, *(block.text for block in blocks if isinstance(block, Paragraph))]


def cells(results: list[Answer]) -> list[tuple[object, ...]]:
    table = survey_report(results, ["mi"]).sections[0].blocks[0]
    return [row.cells for row in table.rows]


def test_report_marks_the_best_of_a_line() -> None:
    (row,) = cells([PAYS])
    assert row[0] == "keep it"
    assert row[3:] == (
        "50±0 mi",
        "80±0",
        Verdict("30±0", Mood.GOOD),
        Verdict("multipool", Mood.GOOD),
    )
    (row,) = cells([LOSES])
    assert row[3:] == (Verdict("10±0 mi", Mood.GOOD), "80±0", "30±0", "mi")


def test_concludes_what_the_intervals_resolve() -> None:
    report = survey_report([PAYS, LOSES, OPEN], ["mi"])
    answer, loses, unresolved = texts(report)
    assert answer == "A local allocator pays here, mallard's or std::pmr's: keep it."
    assert loses == "It does not: keep it (300 to 300 % of mi's time)."
    assert unresolved.startswith("Not resolved: keep it (")
    assert unresolved.endswith(" % of mi's time).")
    assert "mallard advise -- ./program" in report.notes[-1]
    even = answer_of_even()
    assert texts(survey_report([even, OPEN], ["mi"]))[1:] == [
        "Even within 5 %: keep it (98 to 102 % of mi's time).",
        unresolved,
    ]
    assert texts(survey_report([even], ["mi"])) == [
        "A local allocator pays nowhere here.",
        "Even within 5 %: keep it (98 to 102 % of mi's time).",
    ]
    assert "No other malloc is installed" in survey_report([PAYS], []).notes[0]


def answer_of_even() -> Answer:
    return answer({"multipool": 1.02}, new_delete=(100, 100), new_delete_at_mi=(80, 80), multipool=(80, 80))


def test_wide_interval_is_no_figure() -> None:
    noisy = answer({"multipool": 9.0}, new_delete=(100, 100), multipool=(40, 40))
    assert not noisy.local.ratio.resolved
    (row,) = cells([noisy])
    assert row[5] == "?"
    assert "?: the interval is wider than the figure" in survey_report([noisy], ["mi"]).notes[0]
    assert "?:" not in survey_report([PAYS], ["mi"]).notes[0]
