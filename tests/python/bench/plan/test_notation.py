"""P0089's notation: its meaning, and its senseless numbers."""

from __future__ import annotations

import pytest

from mallard.bench.plan.notation import read_notation
from mallard.shared.errors import UsageError

MOST = 2**27


def test_the_papers_examples() -> None:
    """P0089 section 8, the list after the notation."""
    first = read_notation(["-20", "18", "32", "-3", "8"], MOST)
    assert (first.links, first.list_length) == (2**20, 2**18)
    assert (first.access_factor, first.shuffle_factor, first.repeat_factor) == (32, 3, 8)
    assert first.access_first
    later = read_notation(["-20", "18", "32", "+3", "8"], MOST)
    assert not later.access_first
    assert (later.links, later.shuffle_factor) == (first.links, 3)
    larger = read_notation(["-21", "19", "8", "+5", "32"], MOST)
    assert (larger.links // larger.list_length, larger.shuffle_factor) == (4, 5)


def test_without_a_sign_the_numbers_are_plain() -> None:
    notation = read_notation(["10000000", "1000", "10", "0", "1"], MOST)
    assert (notation.links, notation.list_length, notation.shuffle_factor, notation.access_first) == (
        10**7,
        10**3,
        0,
        False,
    )


def test_accepts_lists_of_one_link() -> None:
    assert read_notation(["-21", "0", "1", "5", "1"], MOST).list_length == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-20 18 32 -3 8", "1048576 links in 4 lists of 262144, each traversed 32 times in a visit, "),
        ("-20 18 32 -3 8", "all visited 8 times, before a shuffle of 3 passes"),
        ("-20 20 1 +1 1", "1 list of 1048576, each traversed 1 time in a visit, all visited 1 time, "),
        ("-20 20 1 +1 1", "after a shuffle of 1 pass"),
        ("-20 18 32 0 8", "without a shuffle"),
    ],
)
def test_notation_is_explained_in_words(text: str, message: str) -> None:
    assert message in read_notation(text.split(), MOST).sentence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-20 18 32 -3", "has 4 numbers where P0089's notation has five; write |G| |S| af sf rf"),
        ("-20 18 thirty -3 8", "'thirty' is not a whole number"),
        ("-20 18 32 -3 8.5", "'8.5' is not a whole number"),
        ("-20 18 32 -3 ٨", "is not a whole number"),
        ("0 18 32 -3 8", "|G| is 0, a system without links"),
        ("1024 0 32 -3 8", "|S| is 0, and a list has at least one link"),
        ("-20 -18 32 -3 8", "a negative |G| alone makes both exponents of two"),
        ("-18 20 32 -3 8", "a list of 1048576 links (|S|) is longer than the whole system of 262144 (|G|)"),
        ("1000 7 32 -3 8", "1000 links (|G|) cannot be divided into lists of 7 (|S|)"),
        ("-28 18 32 -3 8", "2^28 links are too many"),
        ("-20 200000000 32 -3 8", "2^200000000 links are too many"),
        ("-20 18 -32 3 8", "af is -32, and must be 1 or more"),
        ("-20 18 32 3 -8", "rf is -8"),
        (
            "-21 19 0 +5 32",
            "af = 0 accesses nothing. P0089 ran that to subtract the time of the shuffle and of the",
        ),
        (
            "-21 19 8 +5 0",
            "rf = 0 visits no list, so af = 8 accesses nothing. P0089 finds the time of the shuffle",
        ),
    ],
)
def test_explains_invalid_requests(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_notation(text.split(), MOST)
    assert message in str(error.value)
    assert text in str(error.value)


def test_refuses_system_above_limit() -> None:
    with pytest.raises(UsageError, match="268435456 links are too many"):
        read_notation(["268435456", "1", "1", "1", "1"], MOST)
