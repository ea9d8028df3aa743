"""A plan: rows, cells, repetitions, and their order.

    request x runner x host -> Plan -> rows -> cells -> repetitions

A row is the cells that differ only in strategy. A plan's `identity` decides whether it can continue an
interrupted run: both have equal cells, scale, seed, repetitions, machine and builds of the runner.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from mallard.bench.plan.request import Options
from mallard.bench.process import Repetition
from mallard.bench.result import Parameters, canonical


@dataclass(frozen=True)
class PlannedRow:
    experiment: str
    parameters: Parameters
    strategies: tuple[str, ...]
    repetitions: int


@dataclass(frozen=True)
class Plan:
    experiment: str
    scale: str
    rows: tuple[PlannedRow, ...]
    repetitions: int  # of most rows
    seed: int
    time_limit: float
    memory_limit: int | None  # of one process; None if the machine does not report its memory
    options: Options
    messages: tuple[str, ...] = field(default=(), compare=False)  # for the user, before the start

    @property
    def processes(self) -> int:
        return sum(row.repetitions * len(row.strategies) for row in self.rows)

    def identity(self, machine: str, build_id: str) -> str:
        """The identity, without `buffer_bytes`: free memory may have changed, and a continued run keeps its
        buffer."""
        rows = [[_lasting(row.parameters), row.strategies, row.repetitions] for row in self.rows]
        facts = [self.experiment, self.scale, rows, self.seed, _lasting(self.options), machine, build_id]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def in_order(self) -> Iterator[Repetition]:
        """Every row once, then every row again, and so on. The seed orders the rows, and the strategies of
        each.

        Repetitions of a cell are minutes apart, so that a disturbance meets one of them. Strategies of a
        row are next to each other, so that it meets all of them. The rows are shuffled, because a plan lists
        the cheapest first: the rows measured so far stand for the others when the time left is estimated.
        """
        for repetition in range(max(row.repetitions for row in self.rows)):
            rows = list(self.rows)
            random.Random(f"{self.seed} {repetition} {self.experiment}").shuffle(rows)
            for row in rows:
                if repetition >= row.repetitions:
                    continue
                drawn = list(row.strategies)
                place = f"{self.seed} {repetition} {row.experiment} {canonical(row.parameters)}"
                random.Random(place).shuffle(drawn)
                for strategy in drawn:
                    yield Repetition(row.experiment, row.parameters, strategy, repetition, self.seed)


def _lasting(named: Parameters | Options) -> Options:
    return {name: value for name, value in named.items() if name != "buffer_bytes"}
