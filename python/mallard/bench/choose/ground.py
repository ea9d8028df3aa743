"""The rows that decide at a leaf of the walk, or the command that measures them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any

from mallard.bench.choose.case import ANY, HIGH, OTHER_THREAD, OWN_THREAD, YES, Case
from mallard.bench.choose.evidence import Distance, Evidence, Place
from mallard.bench.choose.graph import BUILT, FROM_ANOTHER, SCATTERED
from mallard.bench.choose.serving import can_serve

# The order in which perturbed heaps are tried: (chunks freed, upstream).
_PERTURBED = [
    (freed, upstream) for upstream in ("cache", "heap") for freed in ("quarter", "half", "eighth", "all")
]
_TIE = 1e-3  # a preference that never outweighs a power of two


@dataclass(frozen=True)
class Ground:
    """The deciding place. `figure` names the quantity of the rows; empty for the time of an operation."""

    place: Place | None
    command: str
    figure: str = ""

    def command_for(self, strategies: Iterable[str]) -> str:
        """The command for strategies that the place lacks."""
        return f"{self.command} --strategy {','.join(strategies)}"


def find_ground(leaf: str, case: Case, evidence: Evidence) -> Ground:
    if leaf == FROM_ANOTHER:
        return contention(case, evidence, OTHER_THREAD)
    if leaf == SCATTERED:
        return locality(case, evidence)
    if leaf == BUILT and case.fragmented == YES:
        perturbed = fragmentation(case, evidence)
        return perturbed if serves(perturbed, case) else density(case, evidence)
    return density(case, evidence)


def serves(ground: Ground, case: Case) -> bool:
    """True if the rows have a local allocator that the case can use."""
    return ground.place is not None and any(can_serve(case, name) for name in ground.place.strategies)


def density(case: Case, evidence: Evidence) -> Ground:
    parameters = {"ds": case.structure.name} | _buffer(case)
    return Ground(
        evidence.nearest("density", _size(case), _eligible(case), **parameters), _command("density", case)
    )


def fragmentation(case: Case, evidence: Evidence) -> Ground:
    command = _command("fragmentation", case)
    structure = {"ds": case.structure.name} | _buffer(case)
    for freed, upstream in _PERTURBED:
        place = evidence.nearest(
            "fragmentation", _size(case), _eligible(case), freed=freed, upstream=upstream, **structure
        )
        if place:
            return Ground(place, command)
    return Ground(None, command)


def fresh_heap(place: Place, evidence: Evidence) -> Place | None:
    """The equal place of the same run on an unperturbed heap."""
    places = evidence.places("fragmentation", **(place.parameters | {"freed": "none"}))
    return next((candidate for candidate in places if candidate.run == place.run), None)


def locality(case: Case, evidence: Evidence) -> Ground:
    def distance(parameters: Mapping[str, Any]) -> float:
        length, links = log2(parameters["list_length"]), log2(parameters["links"])
        # A single list cannot be scattered among other lists.
        return abs(length - case.elements_log2) + (100.0 if length == links else 0.0) - _TIE * links

    place = evidence.nearest("locality", distance, _eligible(case))
    return Ground(place, "mallard bench locality", shuffled(place, case) if place else "")


def shuffled(place: Place, case: Case) -> str:
    return _access(place, max(_numbers(place, "shuffle_factors")), case)


def unshuffled(place: Place, case: Case) -> str:
    return _access(place, min(_numbers(place, "shuffle_factors")), case)


def utilization(case: Case, evidence: Evidence) -> Ground:
    def distance(parameters: Mapping[str, Any]) -> float:
        wanted = -log2(case.utilization) if case.utilization else float(parameters["total_log2"])
        return abs(int(parameters["total_log2"]) - int(parameters["active_log2"]) - wanted)

    return Ground(evidence.nearest("utilization", distance), "mallard bench utilization")


def reuse(case: Case, evidence: Evidence) -> Ground:
    """Blocks that are freed at random and reallocated, about as many as the structure has elements."""

    def distance(parameters: Mapping[str, Any]) -> float:
        return abs(log2(parameters["live"]) - case.elements_log2) + _TIE * log2(parameters["block_bytes"])

    sizes = "mixed" if case.variation == HIGH else "same"
    place = evidence.nearest("reuse", distance, pattern="random", sizes=sizes)
    return Ground(place, "mallard bench reuse")


def contention(case: Case, evidence: Evidence, freed_by: str = OWN_THREAD) -> Ground:
    def distance(parameters: Mapping[str, Any]) -> float:
        without_buffer = _TIE * (parameters.get("buffer") != "none")
        return abs(log2(parameters["threads"]) - log2(case.threads)) + without_buffer

    threads = max(case.threads, 2) if freed_by == OTHER_THREAD else case.threads
    command = f"mallard bench contention --threads {threads} --freed-by {freed_by}"
    return Ground(evidence.nearest("contention", distance, freed_by=freed_by), command)


def _eligible(case: Case) -> Callable[[str], bool]:
    return lambda name: can_serve(case, name)


def _access(place: Place, shuffle_factor: int, case: Case) -> str:
    factors = _numbers(place, "access_factors")
    nearest = min(factors, key=lambda factor: (abs(log2(factor) - log2(case.access_factor)), factor))
    return f"sf{shuffle_factor}_af{nearest}_ns"


def _numbers(place: Place, name: str) -> list[int]:
    return [int(text) for text in str(place.parameters[name]).split(",")]


def _buffer(case: Case) -> dict[str, str]:
    return {} if case.buffer == ANY else {"buffer": case.buffer}


def _size(case: Case) -> Distance:
    return lambda parameters: (
        abs(int(parameters["size_log2"]) - case.elements_log2) - _TIE * int(parameters.get("product_log2", 0))
    )


def _command(experiment: str, case: Case) -> str:
    command = f"mallard bench {experiment} --ds {case.structure.name.removeprefix('DS')}"
    command += f" --size {round(case.elements_log2)}"
    return command if case.buffer == ANY else f"{command} --buffer {case.buffer}"
