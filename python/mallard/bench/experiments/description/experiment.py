"""An experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mallard.bench.experiments.description.axis import PAGES, Axis
from mallard.bench.experiments.description.panel import Panel
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.experiments.description.scale import Printed, Rule, Scale, Short

CPU = "cpu_ns"
WALL = "wall_ns"


@dataclass(frozen=True)
class Experiment:
    name: str
    text: str  # a line next to the name
    operation: str  # the operation that a time is of
    axes: tuple[Axis, ...]
    places: tuple[str, ...]  # parameters that number the lines of a table
    title: str  # in the page's navigation
    heading: str
    panel: Panel
    examples: tuple[tuple[str, str], ...] = ()  # words after `mallard bench NAME`, and a note
    explanation: str = ""  # the explanation of the section
    apart: tuple[str, ...] = ()  # parameters with a table for each value
    claimed: tuple[str, ...] = ()  # parameters of a place in claims; empty without claims
    joined: tuple[str, ...] = ()  # further parameters that claims merge
    scales: Mapping[str, Scale] = field(default_factory=dict)
    # If an option names an axis of the grids, there is one grid: with these values, or all of the scale's.
    grid_defaults: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    plan: str = ""  # the module of this name in `mallard/plan/`, for a plan that needs specific code
    rules: tuple[Rule, ...] = ()
    printed: Printed | None = None
    short: Short | None = None
    compared: tuple[Quantity, ...] = ()  # compared with other libraries, after the time
    block: str = ""  # the parameter with the bytes of a block, or their exponent of two
    only: Mapping[str, tuple[str, tuple[str, ...]]] = field(
        default_factory=dict
    )  # strategy -> (parameter, its only values)
    with_base: bool = True  # true if AS1 is measured with every selection
    over_mallocs: tuple[str, ...] = ()  # in old processes also measured over each other malloc
    clock: str = CPU  # the field of the result row

    def __post_init__(self) -> None:
        if PAGES not in self.axes:
            object.__setattr__(self, "axes", (*self.axes, PAGES))

    @property
    def threads(self) -> bool:
        """True if several threads work. The process is then not pinned to a core."""
        return self.clock == WALL

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)

    def roles(self, *roles: str) -> set[str]:
        """The parameters that have one of these roles."""
        return {axis.name for axis in self.axes if axis.role in roles}
