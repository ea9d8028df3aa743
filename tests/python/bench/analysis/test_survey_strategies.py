"""The small runner of the survey has all strategies of the survey."""

from __future__ import annotations

import pytest

from mallard.bench import described
from mallard.bench.analysis.survey import QUESTIONS, Question
from mallard.bench.library import BASE


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.experiment)
def test_small_runner_has_every_strategy(question: Question) -> None:
    names = (BASE, *question.local, *question.standard)
    assert [name for name in names if not described.STRATEGIES[name].get("survey")] == []
