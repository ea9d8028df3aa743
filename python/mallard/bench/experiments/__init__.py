"""The experiments of the modules in this folder, in the order in which the runner names them.

Work of one thread is measured in processor time, which waiting for the processor does not lengthen. Threads
that wait for each other must be measured by the wall clock, because their waiting is the subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from mallard.bench import described
from mallard.bench.experiments.description.axis import FOLLOWS
from mallard.bench.experiments.description.experiment import CPU, Experiment


def _descriptions() -> Iterator[Experiment]:
    for module in iter_modules(__path__):
        if not module.ispkg:
            values = vars(import_module(f"{__name__}.{module.name}")).values()
            yield from (value for value in values if isinstance(value, Experiment))


_BY_NAME = {experiment.name: experiment for experiment in _descriptions()}
EXPERIMENTS = {name: _BY_NAME[name] for name in described.EXPERIMENTS}

_FOLLOWS = {name: frozenset(experiment.roles(FOLLOWS)) for name, experiment in EXPERIMENTS.items()}
_ABSENT: dict[str, dict[str, object]] = {
    name: {axis.name: axis.absent for axis in experiment.axes if axis.absent is not None}
    for name, experiment in EXPERIMENTS.items()
}


def clock_field(experiment: str) -> str:
    """The field of a result row that has the time. For an unknown experiment it is processor time."""
    known = EXPERIMENTS.get(experiment)
    return known.clock if known else CPU


def follows(experiment: str) -> frozenset[str]:
    """The parameters that are not part of a cell's key, because they follow from others."""
    return _FOLLOWS.get(experiment, frozenset())


def absent_values(experiment: str) -> Mapping[str, object]:
    """The parameters that rows from before an axis lack, with the values that they had."""
    return _ABSENT.get(experiment, {})
