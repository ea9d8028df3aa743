"""The progress of a stage, read from the output of its commands, and a forecast for the rest of the run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

COUNTED = re.compile(r"^\[(\d+)/(\d+)\] (.*)")  # ninja: [35/179] Building CXX object ...
PERCENT = re.compile(r"^\[ *(\d+)%\] (.*)")  # make:  [ 20%] Building CXX object ...
TESTED = re.compile(r"^ *(\d+)/(\d+) Test +#\d+: (\S+)")  # ctest:  3/12 Test  #5: unit_tests.1 ...
PYTEST = re.compile(r"^(?:tests/(\S+\.py) )?.*\[ *(\d+)%\]$")
OBJECT = re.compile(r"Building \w+ object (?:\S*CMakeFiles/[^/]+\.dir/)?(\S+?)\.o\b")


@dataclass
class Progress:
    """The progress of a stage: `share` of it is done, and `what` is running."""

    tell: Callable[[Progress], None] = lambda _: None
    what: str = ""
    count: str = ""
    share: float = 0.0
    part: tuple[float, float] = field(default=(0.0, 1.0))

    def begin(self, part: tuple[float, float]) -> None:
        self.part = part
        self.reach(0.0, "", "")

    def read(self, line: str) -> None:
        """Reads one line of a command's output. Most lines tell no progress."""
        if found := COUNTED.match(line) or TESTED.match(line):
            done, of, what = int(found[1]), int(found[2]), found[3]
            self.reach(done / max(of, 1), what, f"{done} of {of}")
        elif found := PERCENT.match(line):
            self.reach(int(found[1]) / 100, found[2], f"{found[1]} %")
        elif found := PYTEST.match(line):
            self.reach(int(found[2]) / 100, found[1] or self.what, f"{found[2]} %")

    def reach(self, fraction: float, what: str, count: str) -> None:
        compiled = OBJECT.search(what)
        self.what = f"compiling {compiled[1]}" if compiled else what
        self.count = count
        begin, end = self.part
        self.share = begin + (end - begin) * min(fraction, 1.0)
        self.tell(self)


@dataclass
class Forecast:
    """A forecast of a run's time. The stages' costs are relative; this machine's speed is measured on the
    way."""

    costs: dict[str, float]
    begin: float = field(default_factory=time.monotonic)
    done: float = 0.0

    def finish(self, name: str) -> None:
        self.done += self.costs[name]

    def seconds_left(self, name: str, share: float, now: float | None = None) -> float:
        """The seconds after `share` of the stage `name`. At first only the costs count."""
        whole = sum(self.costs.values())
        done = self.done + self.costs[name] * share
        passed = (time.monotonic() if now is None else now) - self.begin
        pace = passed / done if done > whole / 20 else 1.0
        return max(0.0, whole - done) * pace


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
