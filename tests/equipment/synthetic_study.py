"""Test equipment: studies of made up programs, with known figures. Times in milliseconds."""

from __future__ import annotations

from typing import Any

from mallard.advisor.advice.aged import AgedHeap, AgedScope
from mallard.advisor.advice.candidates import Candidate, LastingSite
from mallard.advisor.advice.ceiling import Ceiling
from mallard.advisor.advice.global_mallocs import GlobalEffect, Globals
from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.advice.study import Study
from mallard.advisor.trial.campaign import Baseline, Result
from mallard.advisor.trial.effect import Effect, Trial
from mallard.advisor.trial.program import Counts, Scope
from mallard.shared.age import Age, levels, young
from mallard.shared.stats import Difference, Ratio

MIB = 1 << 20


def saved(middle: float, half: float = 1.0) -> Difference:
    """A saving, as the difference in seconds that it is."""
    return Difference(-middle / 1e3, -(middle + half) / 1e3, -(middle - half) / 1e3, 21)


def effect(strategy: str, middle: float, half: float = 1.0, **changes: Any) -> Effect:
    counts = Counts(served=1000, freed=1000, started_again=50, servers=1)
    fields: dict[str, Any] = {
        "strategy": strategy,
        "time": saved(middle, half),
        "peak_bytes": Difference(2.0 * MIB, 0.0, 4.0 * MIB, 21),
        "faults": Difference(0.0, 0.0, 0.0, 21),
        "counts": counts,
    }
    return Effect(**fields | changes)


def baseline(*effects: Effect, malloc: str = "glibc", age: Age | None = None, **changes: Any) -> Baseline:
    trial: dict[str, Any] = {
        "effects": tuple(sorted(effects, key=lambda effect: effect.time.median)),
        "program_seconds": 0.109,
        "null_seconds": 0.120,
        "finding": Difference(0.011, 0.010, 0.012, 21),
        "wall": False,
        "null": Counts(in_null=1000, elsewhere=100, servers=1),
        "failed": {},
    }
    own = {name: changes.pop(name) for name in list(changes) if name in trial}
    settings: dict[str, Any] = {"differing": (), "compared": True}
    return Baseline(malloc=malloc, age=age or young(), trial=Trial(**trial | own), **settings | changes)


def result(*baselines: Baseline, rounds: int = 21) -> Result:
    return Result(Scope("handle", ()), rounds, baselines)


def candidate(name: str = "handle", **changes: Any) -> Candidate:
    fields: dict[str, Any] = {
        "name": name,
        "asked_as": f"{name}(request const&)",
        "source": "src/server.cpp:88",
        "kind": "function",
        "rank": 1,
        "function": 1,
        "allocations": 1_204_331,
        "bytes": 80 * MIB,
        "escaped": 0,
        "alive": 0,
        "containment": 1.0,
        "exact": True,
        "owned": 1_204_331,
        "returns": 20_000,
        "region_bytes": 5_900,
        "peak_p50": 1_024.0,
        "peak_p99": 4_096.0,
        "peak_max": 5_120.0,
        "threads": 1,
        "escape_sites": (),
    }
    return Candidate(**fields | changes)


def escaping() -> Candidate:
    site = LastingSite("remember", "src/cache.cpp:12", 80_000)
    return candidate(escaped=84_331, containment=0.93, escape_sites=(site,))


def ceiling(high: float = 46.0, **changes: Any) -> Ceiling:
    fields: dict[str, Any] = {
        "seconds": high * 0.9 / 1e3,
        "low": high * 0.8 / 1e3,
        "high": high / 1e3,
        "cpu_seconds": 0.109,
        "operations": 2_408_662,
        "ns_per_operation": 17.0,
        "faults": 120,
        "fault_ns": 200.0,
        "wall_seconds": 0.110,
    }
    return Ceiling(**fields | changes)


def mallocs(*effects: tuple[str, float, float], **changes: Any) -> Globals:
    fields: dict[str, Any] = {
        "base": "glibc",
        "seconds": 0.109,
        "cpu_seconds": 0.109,
        "wall_seconds": 0.110,
        "peak_bytes": 10.0 * MIB,
        "faults": 500.0,
        "rounds": 11,
        "status": 0,
        "compared": True,
        "effects": tuple(
            sorted(
                (
                    GlobalEffect(
                        name,
                        saved(middle, half),
                        Difference(1.0 * MIB, 0, 2.0 * MIB, 11),
                        cpu_time=saved(middle, half),
                        wall_time=saved(middle / 2, half / 2),
                    )
                    for name, middle, half in effects
                ),
                key=lambda effect: effect.time.median,
            )
        ),
    }
    return Globals(**fields | changes)


def aged(
    *effects: Effect,
    malloc: tuple[str, float, float] | None = None,
    chosen: Candidate | None = None,
    **changes: Any,
) -> AgedHeap:
    """An old heap, on which the program takes twice as long."""
    old = levels()["old"]
    scopes = [AgedScope(chosen or candidate(), baseline(effect, age=old)) for effect in effects]
    fields: dict[str, Any] = {
        "rounds": 5,
        "slower": Ratio(2.0, 1.9, 2.1, 5),
        "globals": mallocs(*([malloc] if malloc else []), age=old.name),
        "scopes": tuple(scopes),
    }
    return AgedHeap(old, **fields | changes)


def pattern(kind: str = "reserve", estimate: float | None = 60.0, **changes: Any) -> Pattern:
    fields: dict[str, Any] = {
        "kind": kind,
        "function": "collect",
        "source": "src/list.cpp:40",
        "allocations": 900_000,
        "share": 0.7,
        "reason": "std::vector grows in 8.6 steps, 20,000 times, up to 4.00 KiB",
        "remedy": "reserve() before it is filled",
        "estimated_seconds": None if estimate is None else estimate / 1e3,
    }
    return Pattern(**fields | changes)


def study(**changes: Any) -> Study:
    """A server whose requests should have a region."""
    chosen = candidate()
    fields: dict[str, Any] = {
        "words": ("./server",),
        "base": "glibc",
        "allocations": 1_300_000,
        "peak_live_bytes": 9 * MIB,
        "threads": 1,
        "withheld": "",
        "ceiling": ceiling(),
        "globals": mallocs(("mimalloc", 12.0, 1.0), ("tcmalloc", 0.2, 1.0)),
        "candidates": (chosen,),
        "chosen": chosen,
        "trial": result(baseline(effect("monotonic", 38.7, 1.3), effect("multipool", 22.0))),
        "on_top": baseline(effect("monotonic", 27.0), malloc="mimalloc", program_seconds=0.097),
    }
    return Study(**fields | changes)
