"""The native runner `mallard-bench`, one for each compiler: its path and its description."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mallard.bench.described import REGISTRY
from mallard.bench.library_code import fingerprint
from mallard.bench.papers.catalogue import Strategy, Structure
from mallard.bench.result import FORMAT
from mallard.shared.errors import UsageError
from mallard.shared.native_file import RUNNER, SURVEY_RUNNER
from mallard.shared.version import bench_command, build_root

NAME = "mallard-bench"
DESCRIBE_SECONDS = 30
# Without an experiment, it builds the survey's runner.
BUILD_AGAIN = f"'{bench_command()} density'"
BUILD_RELEASE = (
    "in the source tree, 'cmake --preset release && cmake --build --preset release --target mallard-bench' "
    "builds one for measuring; './mallard bench density' uses it if MALLARD_BENCH is not set"
)

# The names for --compiler, and the preset that builds with each.
COMPILERS = {"g++": "release", "clang++": "release-clang"}
# The preset of the runner with the libraries of --with.
WITH = "release-with"
Limit = tuple[int, int]  # the least and the most


@dataclass(frozen=True)
class Described:
    """The runner's description of one experiment."""

    strategies: tuple[Strategy, ...]
    limits: Mapping[str, Limit]
    variants: tuple[str, ...] = ()  # strategies of the experiment that the papers lack
    freed_by_other: tuple[str, ...] = ()  # of contention: the strategies whose blocks another thread may free


@dataclass(frozen=True)
class Missing:
    """A part that the runner was built without."""

    name: str  # a library, or one contender
    package: str  # the Debian 12 package that has it
    why: str


@dataclass(frozen=True)
class Runner:
    path: Path
    # The description without strategies and experiments, and the library's hash; stored with each run.
    about: dict[str, Any]
    structures: tuple[Structure, ...]
    sizes_log2: tuple[int, ...]
    experiments: Mapping[str, Described]
    missing: tuple[Missing, ...] = ()

    @property
    def build_id(self) -> str:
        return str(self.about["build_id"])

    def strategies(self, experiment: str) -> tuple[Strategy, ...]:
        return self._described(experiment).strategies

    def strategy_names(self, experiment: str) -> list[str]:
        return [strategy.name for strategy in self.strategies(experiment)]

    def default_names(self, experiment: str) -> list[str]:
        """The strategies without variants."""
        variants = self._described(experiment).variants
        return [name for name in self.strategy_names(experiment) if name not in variants]

    def freed_by_other(self, experiment: str) -> tuple[str, ...]:
        return self._described(experiment).freed_by_other

    def limit(self, experiment: str, name: str) -> Limit:
        """The limits of a parameter. Those of a data structure's size are the same in all experiments."""
        if name == "size_log2":
            return self.sizes_log2[0], self.sizes_log2[-1]
        limits = self._described(experiment).limits
        if name not in limits:
            raise UsageError(
                f"{self.path} reports no limits for {name} of {experiment}; build it again: {BUILD_AGAIN}"
            )
        return limits[name]

    def _described(self, experiment: str) -> Described:
        if experiment not in self.experiments:
            raise UsageError(
                f"{self.path} does not know the experiment {experiment}; build it again: {BUILD_AGAIN}"
            )
        return self.experiments[experiment]


@dataclass(frozen=True)
class Builds:
    """The runners of a run, by compiler. Without --compiler there is one, under an empty name."""

    runners: Mapping[str, Runner]

    @property
    def first(self) -> Runner:
        """Any of the runners: they are built from the same source."""
        return next(iter(self.runners.values()))

    def of(self, parameters: Mapping[str, Any]) -> Runner:
        return self.runners[str(parameters.get("compiler", ""))]

    @property
    def build_id(self) -> str:
        return " ".join(runner.build_id for runner in self.runners.values())

    @property
    def about(self) -> dict[str, Any]:
        """The descriptions, for the database."""
        if len(self.runners) == 1:
            return self.first.about
        return {
            **self.first.about,
            "compiler": ", ".join(str(runner.about["compiler"]) for runner in self.runners.values()),
            "build_id": self.build_id,
            "builds": {name: runner.about for name, runner in self.runners.items()},
        }


def load_builds(compilers: Sequence[str], survey: bool = False, with_prefixes: bool = False) -> Builds:
    """The runner of each compiler; without compilers, the default runner, the one of the survey, or the one
    with the libraries of --with."""
    if with_prefixes and not os.environ.get(RUNNER.variable):
        path = build_root() / "build" / WITH / "bench" / NAME
        if not RUNNER.exists(path):
            raise UsageError(
                f"there is no {NAME} with the libraries of --with: {path} is missing; {BUILD_AGAIN} with "
                "--with in the source tree builds it"
            )
        return Builds({"": load_runner(path)})
    if not compilers:
        return Builds({"": load_runner(find_runner(survey))})
    return Builds({compiler: _load_build(compiler) for compiler in compilers})


def _load_build(compiler: str) -> Runner:
    if os.environ.get("MALLARD_BENCH"):
        raise UsageError(
            "--compiler needs a runner from each, and MALLARD_BENCH names one for all; unset it, or leave "
            "--compiler out"
        )
    path = build_root() / "build" / COMPILERS[compiler] / "bench" / NAME
    if not RUNNER.exists(path):
        raise UsageError(
            f"there is no {NAME} from {compiler}: {path} is missing; {BUILD_AGAIN} with --compiler in "
            f"the source tree builds it, if {compiler} is installed; or leave {compiler} out"
        )
    runner = load_runner(path)
    if not str(runner.about["compiler"]).startswith(compiler):
        raise UsageError(
            f"{path} was compiled by {runner.about['compiler']}, not by {compiler}; unset CXX, remove "
            f"{path.parent.parent} and build it again: {BUILD_AGAIN}"
        )
    return runner


def find_runner(survey: bool = False) -> Path:
    """Searches $MALLARD_BENCH, this package, and the source tree's release build. The survey
    prefers the smaller runner of the source tree, which ./mallard builds for it."""
    small = SURVEY_RUNNER.built()
    if survey and not os.environ.get(RUNNER.variable) and SURVEY_RUNNER.exists(small):
        return small
    return RUNNER.find()


def load_runner(path: Path | None = None) -> Runner:
    """Reads the runner's description. Raises a UsageError for a runner that is unfit for measuring."""
    path = path or find_runner()
    try:
        answer = subprocess.run(
            [path, "--describe"], capture_output=True, text=True, timeout=DESCRIBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path} does not run: {error}; build it again: {BUILD_AGAIN}") from None
    if answer.returncode != 0:
        message = answer.stderr.strip() or "without a message"
        raise UsageError(f"{path} --describe failed (exit {answer.returncode}): {message}; build it again")
    try:
        description = json.loads(answer.stdout)
        row_format = description["format"]
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            f"{path} is not a {NAME}: its answer to --describe is unknown; check MALLARD_BENCH"
        ) from None
    if row_format != FORMAT:
        raise UsageError(
            f"{path} writes result rows of format {row_format!r}, this mallard reads {FORMAT}; build it again"
        )
    _refuse_slow(path, description)
    try:
        _ = description["build_id"], description["commit"], description["compiler"]
        return runner_from(path, description)
    except (TypeError, KeyError, ValueError) as error:
        raise UsageError(f"{path} describes itself incompletely ({error!r}); build it again") from None


def _refuse_slow(path: Path, description: dict[str, Any]) -> None:
    if not description.get("optimised"):
        raise UsageError(f"{path} was built without optimisation, so its times mean nothing; {BUILD_RELEASE}")
    if description.get("sanitizers"):
        raise UsageError(
            f"{path} was built with sanitizers ({description['sanitizers']}) and is not measured; "
            f"{BUILD_RELEASE}"
        )


def runner_from(path: Path, description: dict[str, Any]) -> Runner:
    experiments = description["experiments"]
    density = experiments["density"]
    about = {key: value for key, value in description.items() if key not in (*REGISTRY, "experiments")}
    about["library"] = fingerprint()
    return Runner(
        path=path,
        about=about,
        structures=tuple(
            Structure(entry["name"], entry["type"], int(entry["inner_log2"]))
            for entry in density["structures"]
        ),
        sizes_log2=tuple(int(size) for size in density["sizes_log2"]),
        experiments={name: _described(experiment) for name, experiment in experiments.items()},
        missing=tuple(
            Missing(entry["name"], entry["package"], entry["why"]) for entry in description.get("missing", [])
        ),
    )


def _described(experiment: dict[str, Any]) -> Described:
    return Described(
        strategies=tuple(_strategy(entry) for entry in experiment["strategies"]),
        limits={
            name: (int(value[0]), int(value[1]))
            for name, value in experiment.items()
            if isinstance(value, list) and len(value) == 2 and all(isinstance(end, int) for end in value)
        },
        variants=tuple(
            entry["name"]
            for entry in experiment["strategies"]
            if not isinstance(entry, str) and entry.get("variant")
        ),
        freed_by_other=tuple(experiment.get("freed_by_other", ())),
    )


def _strategy(entry: dict[str, str] | str) -> Strategy:
    """The strategy of an entry. The primitives list names only; descriptions are in the list of
    strategies."""
    if isinstance(entry, str):
        return Strategy(entry, "", "", "")
    return Strategy(entry["name"], entry["allocator"], entry["binding"], entry["destruction"])
