"""Selections: the accepted words, and the errors for others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mallard.bench.selection import (
    in_words,
    select_counts,
    select_names,
    select_numbers,
    select_sizes,
    select_strategies,
)
from mallard.bench.strategy_names import of_papers
from mallard.shared.errors import UsageError

STRUCTURES = [f"DS{number}" for number in range(1, 13)]
STRATEGIES = ["null", "new-delete", "new-delete-keep", *of_papers(2)]
OUR_STRATEGIES = [
    "new-delete",
    "new-delete@jemalloc",
    "new-delete/base",
    "multipool",
    "multipool-lowest",
    "multipool-hybrid",
    "synchronized-multipool",
    "concurrent-multipool",
]
SIZES = list(range(6, 17))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", ["DS1"]),
        ("DS12", ["DS12"]),
        ("ds3", ["DS3"]),
        ("1,4-6", ["DS1", "DS4", "DS5", "DS6"]),
        ("DS4-DS6", ["DS4", "DS5", "DS6"]),
        ("4-DS6", ["DS4", "DS5", "DS6"]),
        ("4..6", ["DS4", "DS5", "DS6"]),
        ("6,1,6", ["DS1", "DS6"]),
        (" 1 , 2 ", ["DS1", "DS2"]),
        ("7-7", ["DS7"]),
    ],
)
def test_structures(text: str, expected: list[str]) -> None:
    assert select_names(text, "--ds", STRUCTURES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "new-delete,AS7-AS10",
            ["new-delete", "multipool", "multipool/wink", "multipool/base", "multipool/base/wink"],
        ),
        ("null", ["null"]),
        ("new-delete-keep", ["new-delete-keep"]),
        ("NEW-delete-keep,NULL", ["null", "new-delete-keep"]),
        ("AS1-AS2", ["new-delete", "new-delete/base"]),
        ("3,new-delete-keep", ["new-delete-keep", "monotonic"]),
    ],
)
def test_strategies(text: str, expected: list[str]) -> None:
    assert select_strategies(text, "--strategy", STRATEGIES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6..16", SIZES),
        ("6-8", [6, 7, 8]),
        ("10", [10]),
        ("2^10", [10]),
        ("2^6..2^7", [6, 7]),
        ("16,6,8..9", [6, 8, 9, 16]),
    ],
)
def test_sizes(text: str, expected: list[int]) -> None:
    assert select_sizes(text, "--size", SIZES) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("13", "'13' is unknown; allowed are DS1-DS12"),
        ("DS0", "'DS0' is unknown"),
        ("new-delete", "'new-delete' is unknown"),
        ("1-13", "there is no DS13; allowed are DS1-DS12"),
        ("6-4", "empty range; write the smaller number first: DS4-DS6"),
        ("", "selects nothing; allowed are DS1-DS12"),
        (" , ", "selects nothing"),
        ("1,,2", "has a comma too many; write --ds 1,2"),
        ("1,", "has a comma too many; write --ds 1"),
        ("all", "'all' is unknown"),
        ("1-", "'1-' is unknown"),
    ],
)
def test_refuses_unknown_structures(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        select_names(text, "--ds", STRUCTURES)
    assert message in str(error.value)
    assert "--ds" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "there is no size 5; allowed are 6..16"),
        ("6..17", "there is no size 17"),
        ("16..6", "empty range; write the smaller size first: 6..16"),
        ("big", "'big' is not a size; allowed are 6..16"),
        ("1e3", "is not a size"),
        ("-6", "is not a size"),
        ("", "selects nothing"),
    ],
)
def test_refuses_unknown_sizes(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        select_sizes(text, "--size", SIZES)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1..4", [1, 2, 3, 4]), ("4,1", [1, 4]), ("2-3,3", [2, 3]), ("8", [8])],
)
def test_numbers(text: str, expected: list[int]) -> None:
    assert select_numbers(text, "--threads", range(1, 9)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2^0..2^3", [1, 2, 4, 8]),
        ("2^0-3", [1, 2, 4, 8]),
        ("10^0..10^2", [1, 10, 100]),
        ("100,2^3,3", [3, 8, 100]),
        ("8,2^3", [8]),
    ],
)
def test_counts(text: str, expected: list[int]) -> None:
    assert select_counts(text, "--links", 1, 1024) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "0 is not possible; allowed are 1 to 1024, as in --links 2^0..2^10 or --links 1,1024"),
        ("2^11", "2048 is not possible"),
        ("10^99", "is not possible"),
        ("3^2", "'3^2' is not a number"),
        ("2^3..10^4", "is not a number"),
        ("2^3..2^1", "is an empty range; write 2^1..2^3"),
        ("1..8", "'1..8' is not a number"),
        ("-4", "is not a number"),
        ("", "selects nothing"),
        ("9" * 40, "is not a number"),
    ],
)
def test_refuses_counts_out_of_range(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        select_counts(text, "--links", 1, 1024)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["0", "9", "1..9", "2^2", "x", "9" * 5000])
def test_refuses_unknown_numbers(text: str) -> None:
    with pytest.raises(UsageError, match=r"allowed are 1\.\.8, as in --threads 1\.\.8 or --threads 2,4"):
        select_numbers(text, "--threads", range(1, 9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("multipool-hybrid", ["multipool-hybrid"]),
        ("7", ["multipool"]),
        ("new-delete@jemalloc", ["new-delete@jemalloc"]),
        ("concurrent-multipool,multipool-LOWEST", ["multipool-lowest", "concurrent-multipool"]),
        ("AS1-AS7", ["new-delete", "new-delete/base", "multipool"]),
    ],
)
def test_names_that_the_papers_do_not_have(text: str, expected: list[str]) -> None:
    assert select_strategies(text, "--strategy", OUR_STRATEGIES) == expected


def test_in_words_lists_unnumbered_names() -> None:
    assert in_words(OUR_STRATEGIES) == (
        "new-delete, new-delete@jemalloc, new-delete/base, multipool, multipool-lowest, multipool-hybrid, "
        "synchronized-multipool, concurrent-multipool"
    )


def test_names_in_words() -> None:
    assert in_words(["DS1", "DS2", "DS5", "DS6", "DS7"]) == "DS1, DS2, DS5-DS7"
    assert in_words(["pair", "create"]) == "pair, create"


@given(chosen=st.sets(st.sampled_from(STRATEGIES), min_size=1))
def test_select_inverts_in_words(chosen: set[str]) -> None:
    names = [name for name in STRATEGIES if name in chosen]
    assert select_strategies(in_words(names), "--strategy", STRATEGIES) == names


@settings(max_examples=30)
@given(text=st.text(max_size=12))
def test_any_text_selects_or_raises_usage_error(text: str) -> None:
    for select, available in (
        (select_strategies, OUR_STRATEGIES),
        (select_strategies, STRATEGIES),
        (select_sizes, SIZES),
        (select_numbers, SIZES),
    ):
        chosen, complaint = tried(select, text, available)
        assert bool(chosen) != bool(complaint)
        assert set(chosen) <= set(available)
        assert not complaint or complaint.startswith("--x")


def tried(select: Any, text: str, available: list[Any]) -> tuple[list[Any], str]:
    try:
        return select(text, "--x", available), ""
    except UsageError as error:
        return [], str(error)
