"""The documents' figures of locality: the cost of a shuffle, the gain of a pool a subsystem, reuse orders."""

from __future__ import annotations

from collections.abc import Mapping

from figures import BLOCKS, block
from figures.stored import (
    StoredRun,
    conditions,
    load,
    log2_text,
    markdown_table,
    nanoseconds,
    ratio_text,
    stored_runs,
    with_others,
    with_strategy,
)
from mallard.bench import described
from mallard.bench.analysis.names import BASE, REUSE_ORDERS, malloc
from mallard.bench.analysis.surfaces import Surface, System, locality_systems
from mallard.bench.contenders import CONTENDERS
from mallard.shared.stats import Ratio

POOL, BDE = "multipool", "bde-multipool"
SHOWN_FACTORS = (256, 1)
LONG = 1 << 12


BLOCKS["locality_conditions"] = lambda: with_others(
    conditions("locality"), {"BDE's": run} if (run := _bde_run()) else {}
)


def systems() -> list[System]:
    return _comparable_systems(load("locality"))


def _comparable_systems(stored: StoredRun) -> list[System]:
    """Those with the global allocator and a pool a subsystem, by size."""
    all_systems = locality_systems(stored.rows)
    return [system for system in all_systems if {BASE, POOL} <= system.surfaces.keys()]


@block("locality")
def summary() -> str:
    """Every third list length of the smallest system: both after the shuffle, the loss of each, and what the
    pool gains with many traversals of a list and with one; at last to BDE's pool, in a run with both.
    """
    system = systems()[0]
    both = _with_bde(system)
    base, pool = system.surfaces[BASE], system.surfaces[POOL]
    factor = min(system.access_factors)
    lines = []
    for length in system.list_lengths:
        if (length.bit_length() - 1) % 3:
            continue
        shuffled = [surface.shuffled(length, factor) for surface in (base, pool)]
        lost = [surface.degradation(length, factor) for surface in (base, pool)]
        lines.append(
            [
                log2_text(length),
                *(nanoseconds(time) if time else "" for time in shuffled),
                *(times(ratio) for ratio in lost),
                times(base.against(pool, length, max(SHOWN_FACTORS))),
                ratio_text(base.against(pool, length, factor), digits=1),
                times(both[BDE].against(both[POOL], length, factor)) if both else "",
            ]
        )
    heading = [
        "list length",
        "new-delete, ns",
        "multipool, ns",
        "new-delete lost",
        "multipool lost",
        f"new-delete / multipool, {max(SHOWN_FACTORS)} traversals",
        "new-delete / multipool, 1 traversal",
        "BDE's / multipool, 1 traversal",
    ]
    return f"{log2_text(system.links)} links:\n\n" + markdown_table(heading, lines)


def _bde_run() -> StoredRun | None:
    return with_strategy("locality", BDE)


def _with_bde(system: System) -> Mapping[str, Surface]:
    """The same system in the run that has BDE's pool."""
    stored = _bde_run()
    found = locality_systems(stored.rows) if stored else []
    return next((each.surfaces for each in found if each.links == system.links and BDE in each.surfaces), {})


@block("locality_others")
def others() -> str:
    """A pool for each list keeps it together in other libraries, too; another malloc does not."""
    texts = []
    for system in locality_systems(_with_contenders().rows):
        for length in system.list_lengths:
            times, pools, mallocs = _shuffled(system, length)
            shown = [f"`{name}` {times[name]:.1f}" for name in (POOL, *pools[:2])]
            texts.append(
                f"lists of {log2_text(length)}: {', '.join(shown)}, and {min(mallocs):.0f} to "
                f"{max(mallocs):.0f} under other mallocs"
            )
    return f"Nanoseconds an access, with the two fastest of other libraries: {'; '.join(texts)}."


def gain() -> str:
    """What README's figure is of."""
    ratios = _shares()
    return (
        f"glibc, per access to lists of {log2_text(min(ratios))} to {log2_text(max(ratios))} nodes, shuffled"
    )


def gain_text() -> str:
    """`1.0 to 1.4 %`"""
    shares = _shares().values()
    return f"{100.0 * min(shares):.1f} to {100.0 * max(shares):.1f} %"


def _shares() -> dict[int, float]:
    """List length -> the time of an access in a `multipool` for each list, of glibc's."""
    system = systems()[0]
    base, pool = system.surfaces[BASE], system.surfaces[POOL]
    factor = min(system.access_factors)
    return {
        length: 1.0 / ratio.median
        for length in system.list_lengths
        if length >= LONG and (ratio := base.against(pool, length, factor))
    }


def gain_runs() -> list[StoredRun]:
    """Those of gain() and nearest(): the table's, and the first with other libraries."""
    return [load("locality"), _with_contenders()]


def _with_contenders() -> StoredRun:
    return next(run for run in stored_runs("locality") if "--contenders" in run.run["command"])


def _shuffled(system: System, length: int) -> tuple[dict[str, float], list[str], list[float]]:
    """Nanoseconds an access with fewest traversals, other libraries from the fastest, and mallocs' times."""
    times = {
        name: time.median
        for name, surface in system.surfaces.items()
        if (time := surface.shuffled(length, min(system.access_factors)))
    }
    contenders = sorted(times.keys() & CONTENDERS.keys(), key=lambda name: times[name])
    return times, contenders, [time for name, time in times.items() if malloc(name)]


def nearest() -> str:
    """README's, of other libraries and mallocs, from the longest lists that were measured with them."""
    system = locality_systems(_with_contenders().rows)[0]
    length = max(system.list_lengths)
    times, (fastest, *_), mallocs = _shuffled(system, length)
    return (
        f"**Lists** are a stress test: {log2_text(systems()[0].links)} nodes in all, shuffled five times. At "
        f"{log2_text(length)} nodes a list an access takes {times[POOL]:.1f} ns, {times[fastest]:.1f} with "
        f"`{fastest}`, the fastest pool of another library, and {min(mallocs):.0f} to {max(mallocs):.0f} ns "
        "with mallocs ([locality](docs/benchmark/locality.md))."
    )


@block("locality_orders")
def orders() -> str:
    """Time of an access after the shuffle for each order of reuse, at the lowest temporal locality, for every
    second length.
    """
    system = next(candidate for candidate in systems() if _variants(candidate))
    names = [POOL, *_variants(system)]
    factor = min(system.access_factors)
    lines = [
        [log2_text(length), *(_shuffled_text(system.surfaces[name], length, factor) for name in names)]
        for length in system.list_lengths[::2]
        if all(system.surfaces[name].degradation(length, factor) for name in names)
    ]
    return markdown_table(["list length", *(f"{name}, ns" for name in names)], lines)


@block("locality_memory")
def memory() -> str:
    """Bytes a link, after building and after the shuffle."""
    lines = []
    for system in systems():
        for length in (1, 8, 64, 512):
            cells = [
                _bytes_a_link(surface, name, length, system.links)
                for name in ("built_bytes", "shuffled_bytes")
                for surface in (system.surfaces[BASE], system.surfaces[POOL])
            ]
            if all(cells):
                lines.append([log2_text(system.links), log2_text(length), *cells])
    heading = [
        "links",
        "list length",
        "new-delete, built",
        "multipool, built",
        "new-delete, shuffled",
        "multipool, shuffled",
    ]
    return markdown_table(heading, lines)


def _variants(system: System) -> list[str]:
    """The pool's other orders. Stored rows may have orders that were withdrawn since."""
    known = {*system.surfaces} & {*described.names_in("locality")}
    return [name for name in (f"{POOL}-{order}" for order in REUSE_ORDERS) if name in known]


def _shuffled_text(surface: Surface, length: int, factor: int) -> str:
    time = surface.shuffled(length, factor)
    return nanoseconds(time) if time else ""


def _bytes_a_link(surface: Surface, name: str, length: int, links: int) -> str:
    figure = surface.figure(name, length)
    return f"{figure.median / links:.0f}" if figure else ""


def times(ratio: Ratio | None) -> str:
    return f"{ratio.median:.1f}" if ratio else ""
