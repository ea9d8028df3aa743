"""The user's request, and the properties of the machine that a plan depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mallard.bench.selection import select_names
from mallard.shared.errors import UsageError

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
SURVEY = "survey"  # the scale of a run that is a part of the survey, with its own cells
SCALES = (QUICK, STANDARD, PAPER)
REPETITIONS = 3
GIB = 1 << 30
# A larger cell is not worth the load on the machine.
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
    """A request. None: not given. `options` are the experiment's specific options: name -> text."""

    experiment: str = "density"
    scale: str = QUICK
    options: Mapping[str, str] = field(default_factory=dict)
    notation: tuple[str, ...] = ()  # P0089's notation of a run of locality
    strategies: str | None = None
    mallocs: str | None = None
    contenders: bool = False  # true with other libraries' allocators
    prefixes: str | None = None  # of libraries without a package, as in `bde=/opt/bde`
    compilers: str | None = None
    pages: str | None = None  # by default small ones
    repetitions: int | None = None
    seed: int = 1
    pin: bool = True
    time_limit: float | None = None
    memory_limit: int | None = None  # bytes, for one process
    survey: bool = False  # stored as a run of scale SURVEY

    def several(self, option: str, allowed: Sequence[str], default: Sequence[str] | None = None) -> list[str]:
        """The selected names; by default all, or `default`."""
        text = self.options.get(option)
        if text is None:
            return list(allowed if default is None else default)
        return select_names(text, f"--{option}", allowed)

    def one(self, option: str, allowed: Sequence[str]) -> str:
        """One word; by default the first."""
        chosen = self.several(option, allowed, allowed[:1])
        if len(chosen) > 1:
            raise UsageError(
                f"--{option} {self.options[option]}: {self.experiment} takes one; allowed are "
                f"{', '.join(allowed)}"
            )
        return chosen[0]


@dataclass(frozen=True)
class Host:
    """The properties of the machine that decide on a plan."""

    available_bytes: int | None  # None if the machine does not report its memory
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
