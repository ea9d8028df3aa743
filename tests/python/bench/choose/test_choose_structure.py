"""The measured structure that represents a C++ type, and the types that are rejected."""

from __future__ import annotations

import pytest

from mallard.bench.choose import Evidence, decide, make_case
from mallard.bench.choose.structure import nearest_structure
from mallard.shared.errors import UsageError


@pytest.mark.parametrize(
    ("requested", "type_", "exact"),
    [
        ("unordered_set<string>", "unordered_set<string>", True),
        ("std::unordered_set<std::pmr::string>", "unordered_set<string>", True),
        ("ds7", "vector<unordered_set<int>>", True),
        ("vector<double>", "vector<int>", False),
        ("std::map<int, std::string>", "unordered_set<string>", False),
        ("std::map<int, std::vector<long>>", "unordered_set<vector<int>>", False),
        ("list<int>", "unordered_set<int>", False),
        ("vector<pair<int, string>>", "vector<string>", False),
        ("vector<vector<vector<string>>>", "vector<vector<string>>", False),
        ("string", "vector<string>", False),
        ("my::tree", "unordered_set<int>", False),
    ],
)
def test_maps_a_type_to_the_nearest_structure(requested: str, type_: str, exact: bool) -> None:
    match = nearest_structure(requested)
    assert (match.type, match.exact) == (type_, exact)


def test_variation_decides_about_unknown_names() -> None:
    assert make_case("list<order>", variation=1.0).structure.type == "unordered_set<string>"
    assert make_case("list<order>", variation=0.0).structure.type == "unordered_set<int>"


def test_notes_the_mapping() -> None:
    decision = decide(make_case("map<int,string>"), Evidence([]))
    assert "map<int,string> is not one of the twelve structures; the nearest is" in decision.notes[0]


@pytest.mark.parametrize(
    ("requested", "variation", "guesses"),
    [
        (
            "app::tree",
            0.0,
            ["app::tree is unknown; it is treated as a container with a block for each element"],
        ),
        (
            "::tree<int>",
            0.0,
            ["::tree is unknown; it is treated as a container with a block for each element"],
        ),
        ("vector<order>", 0.0, ["order is unknown; it is treated as a value without a block"]),
        ("map<int, order>", 1.0, ["order is unknown; it is treated as a string, which has a block"]),
        ("std::map<int, double, app::less, app::pool<int>>", 1.0, []),
        ("array<int, 4>", 1.0, []),
    ],
)
def test_notes_a_guess_about_unknown_types(requested: str, variation: float, guesses: list[str]) -> None:
    decision = decide(make_case(requested, variation=variation), Evidence([]))
    assert [note for note in decision.notes if "is unknown" in note] == guesses


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "foo",
            r"'foo': foo is unknown; allowed are .* vector<int> or map<int,string>, DS1 to DS12, .* app::",
        ),
        ("vectr<int>", r"'vectr<int>': vectr is unknown \(did you mean vector\?\); allowed are"),
        ("std::unordred_map<int,int>", r"unordred_map is unknown \(did you mean unordered_map\?\)"),
        ("DS13", r"DS13 is unknown; allowed are"),
        ("vector", r"'vector': vector lacks its element type; write vector<int> or vector<string>"),
        ("vector<std::list>", r"'vector<std::list>': list lacks its element type"),
    ],
)
def test_rejects_an_unknown_type(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nearest_structure(text)


@pytest.mark.parametrize("text", ["map<int", "<>", "vector<int>>", "vector<int>x", "a;b", "vector<,>"])
def test_rejects_text_that_is_not_a_type(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a C\+\+ type; allowed are .* vector<int>"):
        nearest_structure(text)


@pytest.mark.parametrize(
    ("density", "variation", "type_"),
    [
        (None, None, "unordered_set<string>"),
        (0.05, 0.5, "unordered_set<string>"),
        (0.05, 0.49, "unordered_set<int>"),
        (0.04, None, "vector<vector<int>>"),
        (0.04, 0.49, "vector<int>"),
    ],
)
def test_dimensions_choose_a_structure(density: float | None, variation: float | None, type_: str) -> None:
    assert make_case(None, density, variation).structure.type == type_
