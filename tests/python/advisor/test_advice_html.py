"""The page of an advice: its answer, its bars, its duck, the calls that save time."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from page_reader import read, words
from synthetic_profile import document, empty, hostile
from synthetic_study import ceiling, effect, ground, mallocs, pattern, result, study

from mallard.advice.code import TypeChange
from mallard.advice.study import Study
from mallard.advice.verdict import decide
from mallard.profile.document import Node, Profile, read_profile
from mallard.view.html.advice import advice_page
from mallard.view.html.advice.before_and_after import bars_of
from mallard.view.html.advice.saved import operations_inside
from mallard.view.html.profile.shell import MOST_BYTES

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)
NOTHING: dict[str, Any] = {"ceiling": ceiling(2.0), "trial": None, "chosen": None, "on_top": None}
KINDS: dict[str, dict[str, Any]] = {
    "local": {"changes": (CHANGE,)},
    "global": {"globals": mallocs(("mimalloc", 36.0, 1.0))},
    "pattern": {"patterns": (pattern(),)},
    "unresolved": {
        "trial": result(ground(effect("monotonic", 0.2))),
        "globals": mallocs(("mimalloc", 0.1, 1.0)),
        "on_top": None,
    },
    "nothing": {**NOTHING, "globals": mallocs()},
}


def profile(made: dict[str, Any]) -> Profile:
    return read_profile(json.dumps(made))


def page_of(of: Study, made: dict[str, Any] | None = None) -> str:
    return advice_page(of, decide(of), profile(made or document()))


def texts(page: str) -> dict[str, str]:
    return {name: words(text) for name, text in read(page).texts.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_begins_with_the_answer_and_asks_for_nothing(kind: str) -> None:
    of = study(**KINDS[kind])
    page = page_of(of)
    found = read(page)
    assert decide(of).kind == kind
    assert texts(page)["answer"].startswith(f"The answer {decide(of).headline}")
    assert len(found.ids) == len(set(found.ids))
    for tag, attributes in found.tags:
        assert tag not in ("img", "iframe", "object", "embed", "link") or attributes.get("href") == "data:,"
        assert not {"src", "onclick", "onload", "onerror"} & set(attributes)
    links = {str(attributes["href"])[1:] for tag, attributes in found.tags if tag == "a"}
    assert links <= set(found.ids)


def test_the_figures_of_before_and_after() -> None:
    told = texts(page_of(study()))["before-and-after"]
    assert "as it is" in told
    assert "70.3 ms 38.7 ms (37.4 to 40.0 ms) 1.2 x" in told
    assert "Dashed: 63.0 ms" in told


def test_a_bar_ends_at_the_time_less_what_was_saved() -> None:
    bars = {bar.label: bar for bar in bars_of(study())}
    assert list(bars) == ["as it is", "mimalloc", "tcmalloc", "monotonic", "multipool"]
    assert bars["monotonic"].seconds == pytest.approx(0.109 - 0.0387)
    assert (bars["as it is"].kind, bars["monotonic"].kind, bars["multipool"].kind) == (
        "before",
        "best",
        "local",
    )


def test_a_strategy_that_changes_the_output_is_no_bar_and_is_named_in_the_table() -> None:
    of = study(trial=result(ground(effect("monotonic", 38.7), effect("heap", 5.0), differing=("heap",))))
    assert "heap" not in {bar.label for bar in bars_of(of)}
    assert "heap (another output)" in texts(page_of(of))["tried"]


def test_the_duck_tells_the_six_dimensions() -> None:
    page = page_of(study())
    (label,) = re.findall(r'aria-label="(The duck of [^"]*)"', page)
    for name in ("density", "variation", "locality", "utilization", "contention"):
        assert name in label


def test_the_code_is_there_as_it_is() -> None:
    of = study(changes=(CHANGE,))
    assert words(decide(of).code) in texts(page_of(of))["code"]


def test_operations_belong_to_the_outermost_call_of_the_function() -> None:
    """main calls the function f, which calls itself and g; and it calls g directly."""
    made = [
        Node(None, None, 0, 0, 0, 0, 100),
        Node(0, 0, 0, 0, 0, 0, 100),  # main
        Node(1, 1, 0, 0, 0, 0, 60),  # f
        Node(2, 1, 0, 0, 0, 0, 40),  # f again
        Node(3, 2, 0, 0, 0, 0, 30),  # g
        Node(1, 2, 0, 0, 0, 0, 40),  # g
    ]
    assert operations_inside(made, 1) == [60, 60, 60, 40, 30, 0]
    assert operations_inside(made, 9) == [0] * 6


def test_a_call_tells_its_share_of_the_saving() -> None:
    page = page_of(study())
    whole = re.findall(r"saved, by its operations 38.7 ms", page)
    assert whole, "the root has all of it"


@pytest.mark.parametrize("made", [empty, hostile], ids=["empty", "hostile"])
def test_any_profile_makes_a_page(made: Any) -> None:
    page = page_of(study(), made())
    assert len(page.encode()) <= MOST_BYTES
    assert "<script>alert" not in page


def test_a_program_that_never_allocates_has_a_page_without_scripts() -> None:
    of = study(**NOTHING, allocations=0, globals=mallocs())
    page = advice_page(of, decide(of), None)
    assert "<script" not in page
    assert "allocates 0 blocks" in texts(page)["answer"]
