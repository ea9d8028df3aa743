"""The user's request, and the properties of the machine that a plan depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mallard.errors import UsageError
from mallard.selection import select_names

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
SURVEY = "survey"  # the scale of a run that is a part of the survey, with its own cells
SCALES = (QUICK, STANDARD, PAPER)
REPETITIONS = 3
GIB = 1 << 30
# A larger cell is not worth its harm to the machine.
MEMORY_LIMIT = 12 * GIB
# Shares of MemAvailable: the limit of one process, and the memory that a plan counts on.
MEMORY_SHARE = 0.95
USABLE_MEMORY = 0.9

Options = dict[str, Any]  # of a plan, as stored with the run


@dataclass(frozen=True)
class Option:
    """An option of some experiments, `--name METAVAR`. The plan reads its value."""

    name: str
    metavar: str
    text: str


@dataclass(frozen=True)
class Request:
    """A request. None: not given. `given` has the experiment's own options: name -> text."""

    experiment: str = "density"
    scale: str = QUICK
    given: Mapping[str, str] = field(default_factory=dict)
    notation: tuple[str, ...] = ()  # P0089's notation of a run of locality
    strategies: str | None = None
    mallocs: str | None = None
    contenders: bool = False  # true with other libraries' allocators
    compilers: str | None = None
    pages: str | None = None  # by default small ones
    repetitions: int | None = None
    seed: int = 1
    pin: bool = True
    time_limit: float | None = None
    memory_limit: int | None = None  # bytes, for one process
    survey: bool = False  # stored as a run of scale SURVEY

    def several(self, option: str, there: Sequence[str], default: Sequence[str] | None = None) -> list[str]:
        """The selected names; by default all, or `default`."""
        text = self.given.get(option)
        if text is None:
            return list(there if default is None else default)
        return select_names(text, f"--{option}", there)

    def one(self, option: str, there: Sequence[str]) -> str:
        """One word; by default the first."""
        chosen = self.several(option, there, there[:1])
        if len(chosen) > 1:
            raise UsageError(
                f"--{option} {self.given[option]}: {self.experiment} takes one; allowed are "
                f"{', '.join(there)}"
            )
        return chosen[0]


@dataclass(frozen=True)
class Host:
    """The properties of the machine that decide on a plan."""

    available_bytes: int | None  # None if the machine does not tell its memory
    cores: int

    def memory_limit(self, request: Request) -> int | None:
        """The limit of one process in bytes."""
        limit = request.memory_limit or MEMORY_LIMIT
        if self.available_bytes is None:
            return limit if request.memory_limit else None
        return min(limit, int(self.available_bytes * MEMORY_SHARE))

    def usable_bytes(self, request: Request) -> int | None:
        """The limit of an estimate for a process."""
        limit = self.memory_limit(request)
        if limit is None or self.available_bytes is None:
            return limit
        return min(limit, int(self.available_bytes * USABLE_MEMORY))
