"""The quantity of a figure of a result row."""

from __future__ import annotations

from dataclasses import dataclass

BYTES = "bytes"


@dataclass(frozen=True)
class Quantity:
    """The quantity of a figure: a time, or an amount."""

    figure: str  # the field of the result row; empty: its time
    short: str  # a heading
    text: str
    unit: str = ""  # of a time: its operation; of an amount: its unit
    shown: str = BYTES  # of an amount: bytes, or a format
    least: float = 1.0  # of an amount: a smaller one counts as this one
    per: str = ""  # of an amount: divided by this parameter
    large: int = 0  # of an amount: the smallest place that counts; below it, chance decides
    summands: tuple[str, ...] = ()  # figures to add; the first and one more must be there
