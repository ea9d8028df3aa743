"""The experiments: a module each, in the order in which the runner names them.

Work of one thread is measured in processor time, which waiting for the processor does not lengthen. Threads
that wait for each other must be measured by the wall clock, because their waiting is the subject.
"""

from __future__ import annotations

from importlib import import_module

from mallard.bench import described
from mallard.bench.experiments.description.axis import FOLLOWS
from mallard.bench.experiments.description.experiment import CPU, Experiment


def _described(name: str) -> Experiment:
    """The description of an experiment; `heap-churn` is in heap_churn.py."""
    experiment = import_module(f"mallard.bench.experiments.{name.replace('-', '_')}").EXPERIMENT
    assert isinstance(experiment, Experiment)
    assert experiment.name == name
    return experiment


EXPERIMENTS = {name: _described(name) for name in described.EXPERIMENTS}

_FOLLOWS = {name: frozenset(experiment.roles(FOLLOWS)) for name, experiment in EXPERIMENTS.items()}


def clock_field(experiment: str) -> str:
    """The field of a result row that has the time. For an unknown experiment it is processor time."""
    known = EXPERIMENTS.get(experiment)
    return known.clock if known else CPU


def follows(experiment: str) -> frozenset[str]:
    """The parameters that are not part of a cell's key, because they follow from others."""
    return _FOLLOWS.get(experiment, frozenset())
