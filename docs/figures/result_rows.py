"""The parameters and figures of a result row, from the descriptions of the experiments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from figures import whole_table
from figures.stored import markdown_table
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import Axis
from mallard.bench.experiments.description.quantity import Quantity

DEFAULT = re.compile(r" \(default[^)]*\)")


@whole_table("row_parameters")
def parameters() -> str:
    """A line for each experiment. Axes of an included experiment are not repeated."""
    lines = []
    earlier: dict[str, list[Axis]] = {}
    for name, experiment in EXPERIMENTS.items():
        own = [axis for axis in experiment.axes if axis.text]
        like = next(
            (
                earlier_name
                for earlier_name, axes in earlier.items()
                if axes and all(axis in own for axis in axes)
            ),
            "",
        )
        texts = [f"those of {like}"] if like else []
        texts += [_describe_axis(axis) for axis in own if axis not in earlier.get(like, [])]
        lines.append([name, experiment.operation, "; ".join(texts)])
        earlier[name] = own
    return markdown_table(["experiment", "an operation", "parameters"], lines, texts=3)


def _describe_axis(axis: Axis) -> str:
    """Its option if that has another name, because the help describes it; a description without an option."""
    if axis.takes:
        same = axis.flag.replace("-", "_") == axis.name
        return f"`{axis.name}`" if same else f"`{axis.name}` (`--{axis.flag}`)"
    text = DEFAULT.sub("", axis.text.partition(", such as")[0]).replace("|", "\\|")
    return f"`{axis.name}` ({text})"


@whole_table("row_figures")
def figures() -> str:
    """A line for each figure that an experiment describes: for its tables, or for comparisons."""
    lines = [
        [
            name,
            f"`{figure}`",
            described.text + (f", {described.unit}" if described.unit.startswith("a ") else ""),
        ]
        for name, experiment in EXPERIMENTS.items()
        for figure, described in {found.figure: found for found in _quantities(experiment)}.items()
        if figure
    ]
    return markdown_table(["experiment", "figure", "meaning"], lines, texts=3)


def _quantities(value: object) -> Iterator[Quantity]:
    """Of a description and its parts."""
    if isinstance(value, Quantity):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _quantities(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _quantities(part)
