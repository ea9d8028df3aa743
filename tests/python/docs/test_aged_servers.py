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


def row(observed: float, used: float, old: float) -> aged_servers.Row:
    def ratio(value: float) -> dict[str, Any]:
        return {"median": value, "low": value, "high": value, "n": 5}

    loads = [{"cpu_seconds": seconds} for seconds in (9, 0.2, 0.1, 0.3)]
    model = [{"age": "young", "slower": None}, {"age": "used", "slower": ratio(used)}]
    model.append({"age": "old", "slower": ratio(old)})
    return aged_servers.Row({"loads": loads, "compared": 2, "slower": ratio(observed), "model": model})


def test_a_prediction_is_near_within_a_factor() -> None:
    server = row(4.0, 5.0, 8.0)
    assert (server.nearness("used"), server.nearness("old")) == ("1.25", "**2.00**")
    assert row(4.0, 3.2, 2.9).nearness("old") == "**0.72**"
    assert server.young_ms == 100
