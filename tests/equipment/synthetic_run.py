"""Test equipment: made-up rows of a density run, with every figure known beforehand.

No figure here was measured. `TIMES` gives nanoseconds a leaf element by a plain formula, so that a test
can say what must come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from synthetic_rows import WOBBLE, failed_row, native_row, repeated

from mallard.bench.papers.catalogue import selectable_strategies, structures
from mallard.bench.store import Store
from mallard.bench.strategy_names import (
    BASE_MARK,
    INLINE_MARK,
    binding_mark,
    is_inline,
    is_winked,
    mechanism_name,
    of_papers,
)

STRATEGIES = ("null", "new-delete", "new-delete-keep", *of_papers(2))
INLINE = tuple(name for name in selectable_strategies() if is_inline(name))

# Times of new-delete by strategy: winking out saves a tenth, the abstract base costs a tenth, the inline base
# a twentieth, in every family.
FAMILY = {"monotonic": 0.3, "multipool": 0.5, "multipool+monotonic": 0.4}
BINDING = {"": 1.0, BASE_MARK: 1.1, INLINE_MARK: 1.05}
RATIO = {
    "null": 0.1,
    "new-delete": 1.0,
    "new-delete-keep": 0.8,
    "new-delete/base": 1.1,
    **{
        name: FAMILY[mechanism_name(name)] * (0.9 if is_winked(name) else 1.0) * BINDING[binding_mark(name)]
        for name in (*of_papers(3), *INLINE)
    },
}

Times = Callable[[str, int, str], float]  # (structure, size_log2, strategy) -> ns a leaf element


def formula(structure: str, size_log2: int, strategy: str) -> float:
    return (20.0 + size_log2) * int(structure[2:]) * RATIO[strategy]


def row(
    structure: str, size_log2: int, strategy: str, repetition: int, nanoseconds: float, **changes: Any
) -> dict[str, Any]:
    inner = structures()[structure].inner_log2
    operations = 1 << 20
    parameters = {
        "ds": structure,
        "size_log2": size_log2,
        "product_log2": 20,
        "inner_log2": inner,
        "buffer": "warm",
        "buffer_bytes": 1 << 30,
        "hash": "prefix",
        "pages": "huge",
    }
    allocations = 1 + (1 << size_log2)
    place = (*STRATEGIES, *INLINE).index(strategy)
    own = {
        "iterations": operations >> (size_log2 + inner),
        "minor_faults": 1048 * (1 + place),
        "peak_rss_bytes": (10 + place) << 20,
        "allocations": allocations,
        "deallocations": allocations,
    }
    return native_row("density", parameters, strategy, repetition, nanoseconds, operations, **(own | changes))


def failed(
    structure: str, size_log2: int, strategy: str, repetition: int, status: str, detail: str
) -> dict[str, Any]:
    parameters = row(structure, size_log2, strategy, repetition, 0.0)["parameters"]
    return failed_row("density", parameters, strategy, repetition, status, detail)


def density_rows(
    names: Iterable[str] = ("DS1", "DS2"),
    sizes: Sequence[int] = (6, 10),
    strategies: Sequence[str] = STRATEGIES,
    repetitions: int = 3,
    times: Times = formula,
) -> list[dict[str, Any]]:
    return [
        row(name, size, strategy, repetition, times(name, size, strategy) * (1 + WOBBLE * repetition))
        for (name, size), strategy, repetition, _ in repeated(product(names, sizes), strategies, repetitions)
    ]


RUNNER = {
    "format": 1,
    "version": "0.1.0",
    "compiler": "g++ 12.2.0",
    "standard_library": "libstdc++ 12",
    "flags": "-O3 -march=native",
    "optimised": True,
    "sanitizers": "",
    "commit": "abc1234",
    "build_id": "0badcafe",
}
MACHINE = {
    "cpu": "Imaginary CPU 9000 <x2>",
    "cores": 2,
    "memory_bytes": 8 << 30,
    "kernel": "Linux 6.1",
    "load1": 0.25,
}


def write_run(
    path: Path,
    rows: Iterable[dict[str, Any]],
    command: str = "mallard bench density --quick",
    notes: Iterable[tuple[str, str]] = (),
    finished: bool = True,
    experiment: str = "density",
) -> int:
    """Puts rows into a database as one run; gives its number. In one transaction, because each waits for the
    disk.
    """
    store = Store(path)
    store._connection.execute("BEGIN")
    run = store.begin_run(
        {
            "experiment": experiment,
            "command": command,
            "scale": "quick",
            "seed": 1,
            "repetitions": 3,
            "machine": MACHINE,
            "runner": RUNNER,
            "commit": "abc1234",
        }
    )
    for row in rows:
        store.add_row(run, row)
    for kind, text in notes:
        store.add_note(run, kind, text)
    if finished:
        store.finish_run(run)
    store._connection.execute("COMMIT")
    store.close()
    return run
