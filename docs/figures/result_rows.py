"""The parameters of a result row, from the descriptions of the experiments."""

from __future__ import annotations

import re
from collections.abc import Callable

from mallard.experiments import EXPERIMENTS
from mallard.experiments.description.axis import Axis

DEFAULT = re.compile(r" \(default[^)]*\)")


def blocks() -> dict[str, Callable[[], str]]:
    return {"row_parameters": parameters}


def parameters() -> str:
    """A line for each experiment. An experiment with all the axes of another one has the rest of them."""
    lines = ["| experiment | an operation | parameters |", "|---|---|---|"]
    earlier: dict[str, list[Axis]] = {}
    for name, each in EXPERIMENTS.items():
        own = [axis for axis in each.axes if axis.text]
        like = next((other for other, its in earlier.items() if its and all(axis in own for axis in its)), "")
        told = [f"those of {like}"] if like else []
        told += [_told(axis) for axis in own if axis not in earlier.get(like, [])]
        lines.append(f"| {name} | {each.operation} | {'; '.join(told)} |")
        earlier[name] = own
    return "\n".join(lines)


def _told(axis: Axis) -> str:
    """Without the examples and defaults of its option."""
    text = DEFAULT.sub("", axis.text.partition(", such as")[0]).replace("|", "\\|")
    return f"`{axis.name}` ({text})"
