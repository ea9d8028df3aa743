"""The age of a heap: a level of history/ages.def, or its figures changed, as `--age` takes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from mallard.shared.errors import UsageError
from mallard.shared.version import source_root

YOUNG, OLD = "young", "old"
LEAST_PEAK, MOST_PEAK = 64 << 10, 64 << 30  # as history/read_model.cpp checks them
MOST_ROUNDS, MOST_SEED = 1000, 2**63 - 1
LEAST_BLOCK, MOST_BLOCK = 16, 1 << 20
USUAL_SIZES = 16, 2048
UNITS = {"": 0, "K": 10, "M": 20, "G": 30}
ROW = re.compile(r"^MALLARD_AGE\((\w+), (\d+), (\d+), ([\d.]+), ([\d.]+)\)$", re.MULTILINE)
SETTINGS = (
    "peak=BYTES (64K to 64G; 0 for young), rounds=0 to 1000, replace=0 to 1, keep=0 to 1 (shares of the "
    "blocks), sizes=LEAST-MOST (bytes of a block, 16 to 1M), seed=N"
)


@dataclass(frozen=True)
class Age:
    """What a process's heap has been through before the clock starts."""

    name: str  # as the user wrote it
    peak_bytes: int
    rounds: int
    replaced: float  # share of the blocks, in each round
    kept: float  # share of the blocks, after the peak
    seed: int = 1
    sizes: tuple[int, int] = USUAL_SIZES  # bytes of the smallest and largest block

    @property
    def is_young(self) -> bool:
        return self.peak_bytes == 0

    @property
    def heap(self) -> str:
        """`an old heap`"""
        return heap_named(self.name)

    @property
    def process(self) -> str:
        """`an old process`"""
        return _named(self.name, "process")

    @property
    def setting(self) -> str:
        """The figures, as native programs take them."""
        return (
            f"peak={self.peak_bytes},rounds={self.rounds},replace={self.replaced:.9f},keep={self.kept:.9f},"
            f"sizes={self.sizes[0]}-{self.sizes[1]},seed={self.seed}"
        )

    def describe(self, recording: str = "") -> str:
        """`after 96 MiB of blocks, 3 rounds in which 100 % were replaced, and 40 % that stay`, or `after the
        requests of past.trace, with 96 MiB of its blocks that stay`
        """
        if self.is_young:
            return "as the process starts"
        peak = f"{self.peak_bytes / 2**20:g} MiB"
        if recording:
            return f"after the requests of {recording}, with {peak} of its blocks that stay"
        rounds = f"{self.rounds} round{'' if self.rounds == 1 else 's'}"
        return (
            f"after {peak} of blocks{self._describe_sizes()}, {rounds} in which {100 * self.replaced:g} % "
            f"were replaced, and {100 * self.kept:g} % that stay"
        )

    def _describe_sizes(self) -> str:
        if self.sizes == USUAL_SIZES:
            return ""
        least, most = self.sizes
        return f" of {least:,} bytes" if least == most else f" of {least:,} to {most:,} bytes"


@cache
def levels() -> Mapping[str, Age]:
    text = (source_root() / "history/ages.def").read_text(encoding="utf-8")
    rows = ROW.findall(text)
    return {
        name: Age(name, int(peak), int(rounds), float(replaced), float(kept))
        for name, peak, rounds, replaced, kept in rows
    }


def heap_named(age: str) -> str:
    """`an old heap`"""
    return _named(age, "heap")


def _named(age: str, noun: str) -> str:
    if age not in levels():
        return f"an aged {noun} ({age})"
    return f"{'an' if age[0] in 'aeio' else 'a'} {age} {noun}"


def young() -> Age:
    return levels()[YOUNG]


def young_only() -> tuple[Age, ...]:
    return (young(),)


def read_ages(text: str) -> tuple[Age, ...]:
    """Ages with commas between them. Settings change the level in front of them, or `old`."""
    ages: list[Age] = []
    has_level = False
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals:
            if name not in levels():
                raise _wrong(text, f"'{part.strip()}' is not an age")
            ages.append(levels()[name])
            has_level = True
            continue
        if not has_level:
            ages.append(levels()[OLD])
            has_level = True
            ages[-1] = replace(ages[-1], name="")
        separator = "," if ages[-1].name else ""
        try:
            changed = _changed(ages[-1], name, value)
        except ValueError:
            raise _wrong(text, f"'{part.strip()}' is not a setting of an age") from None
        ages[-1] = replace(changed, name=f"{ages[-1].name}{separator}{part.strip()}")
    return tuple(dict.fromkeys(ages))


def _wrong(text: str, problem: str) -> UsageError:
    return UsageError(
        f"--age {text}: {problem}; allowed are {', '.join(levels())}, with commas between them, and after "
        f"each {SETTINGS}"
    )


def _changed(age: Age, name: str, value: str) -> Age:
    """Raises a ValueError."""
    if name not in READERS:
        raise ValueError
    field, read = READERS[name]
    return replace(age, **{field: read(value)})


def _peak(text: str) -> int:
    peak = _bytes(text)
    if peak != 0 and not LEAST_PEAK <= peak <= MOST_PEAK:
        raise ValueError
    return peak


def _sizes(text: str) -> tuple[int, int]:
    """`LEAST-MOST`, or one number for blocks of one size."""
    first, _, second = text.partition("-")
    least = _bytes(first)
    most = _bytes(second) if "-" in text else least
    if not LEAST_BLOCK <= least <= most <= MOST_BLOCK:
        raise ValueError
    return least, most


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,19})([KMG]?)", text)
    if match is None:
        raise ValueError
    return int(match[1]) << UNITS[match[2]]


def _whole(text: str, most: int) -> int:
    if re.fullmatch(r"[0-9]{1,19}", text) is None or int(text) > most:
        raise ValueError
    return int(text)


def _share(text: str) -> float:
    if re.fullmatch(r"[0-9]*\.?[0-9]*", text) is None or not any(map(str.isdigit, text)) or float(text) > 1:
        raise ValueError
    return float(text)


READERS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "peak": ("peak_bytes", _peak),
    "rounds": ("rounds", partial(_whole, most=MOST_ROUNDS)),
    "replace": ("replaced", _share),
    "keep": ("kept", _share),
    "sizes": ("sizes", _sizes),
    "seed": ("seed", partial(_whole, most=MOST_SEED)),
}
