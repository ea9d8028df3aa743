"""Servers with a past: what rounds of churn put and drop, and the table with the model's prediction."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "docs"))
sys.path.append(str(ROOT / "advisor/aged_servers"))

import servers  # noqa: E402
from figures import aged_servers  # noqa: E402


class Memory:
    """A server that counts."""

    items, replaced, entries = 100, 40, (10, 3000)
    probes: ClassVar = {"large": (2, 50)}

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.rounds = self.puts = 0

    def next_round(self) -> int:
        self.rounds += 1
        return self.rounds

    def put(self, item: int, entries: int, _: object) -> None:
        assert item not in self.held
        self.held[item] = entries
        self.puts += 1

    def read(self, item: int) -> None:
        assert item in self.held

    def drop(self, item: int) -> None:
        del self.held[item]


@pytest.mark.parametrize(("churn", "held"), [("steady", 100), ("peaks", 40)])
def test_rounds_replace_and_refill(churn: str, held: int) -> None:
    store, again = Memory(), Memory()
    for _ in range(3):
        servers.churn(store, churn)
        servers.churn(again, churn)
        assert len(store.held) == held
    assert store.held == again.held
    assert store.puts == store.items + servers.requests(Memory, churn, 3)
    assert all(10 <= entries <= 3000 for entries in store.held.values())


def test_a_load_leaves_nothing_behind() -> None:
    store = Memory()
    servers.churn(store, "steady")
    before = dict(store.held)
    servers.load(store, "large")
    assert store.held == before


def ratio(value: float, margin: float = 1.0) -> dict[str, Any]:
    return {"median": value, "low": value / margin, "high": value * margin, "n": 5}


def row(observed: float, used: float, old: float, margin: float = 1.1, **data: str) -> aged_servers.Row:
    """Its loads are 200 and 100 ms before two rounds of churn, 300 and 500 ms after them."""
    loads = [{"cpu_seconds": seconds} for seconds in (9, 0.2, 0.1, 0.3, 0.5)]
    model = [{"age": "young", "slower": None}, {"age": "used", "slower": ratio(used)}]
    model.append({"age": "old", "slower": ratio(old)})
    names = {"server": "redis", "request": "large", "churn": "peaks", "malloc": "glibc"} | data
    slower = ratio(observed, margin)
    return aged_servers.Row(
        {"loads": loads, "compared": 2, "rounds": 2, "slower": slower, "model": model, **names}
    )


def test_a_prediction_is_near_within_a_factor() -> None:
    server = row(4.0, 5.0, 8.0)
    assert (server.nearness("used"), server.nearness("old")) == ("1.25", "**2.00**")
    assert row(4.0, 3.2, 2.9).nearness("old") == "**0.72**"


def test_loads_are_shown_by_the_medians_of_the_ratio() -> None:
    server = row(4.0, 5.0, 8.0)
    assert (server.young_ms, server.first_ms, server.last_ms) == pytest.approx((150, 300, 400))


def test_the_answer_counts_servers_beyond_the_ages() -> None:
    """An age is nearer only where the two predict different times."""
    ages, *others = aged_servers.answer([row(4.0, 5.0, 8.0), row(2.0, 1.4, 1.8), row(2.0, 1.5, 1.5)]).split(
        "\n"
    )
    assert "2 of these 3 aged more than `old` by the medians, 2 beyond the interval." in ages
    assert "`used` predicts 1 of 3 within a factor of 1.3, `old` 1;" in ages
    assert "`used` is nearer in 1 of 2." in ages
    assert others == []


@pytest.mark.parametrize(
    ("margin", "ending"), [(1.1, "under mimalloc3."), (3.0, "under mimalloc3: not resolved.")]
)
def test_the_answer_compares_mallocs_and_churns(margin: float, ending: str) -> None:
    glibc = row(4.0, 5.0, 8.0, margin)
    other = row(2.0, 2.0, 2.0, margin, malloc="mimalloc3")
    steady = row(1.0, 5.0, 8.0, churn="steady")
    _, peaks, mallocs = aged_servers.answer([glibc, other, steady]).split("\n")
    assert peaks.endswith("150 ms before, 300 after the first round, 400 at the end.")
    assert mallocs.endswith(f"Redis, large, {ending}")
