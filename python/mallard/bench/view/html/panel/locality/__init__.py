"""Benchmark II: access times after the memory of subsystems has diffused."""

from __future__ import annotations

from mallard.bench.analysis.names import BASE, reuse_variants
from mallard.bench.analysis.panel.locality import Surface, System, locality_systems
from mallard.bench.analysis.panel.locality_verdict import best_local, locality_sentences
from mallard.bench.papers.locality import LOCAL
from mallard.bench.view.html.cells.controls import folded
from mallard.bench.view.html.contents import Measured, Section, experiment_section, introduction, unmeasured
from mallard.bench.view.html.panel.locality.costs import (
    costs_map,
    reuse_text,
    strategies_table,
    to_base,
    worst,
)
from mallard.bench.view.html.panel.locality.maps import (
    degradation,
    quantity_block,
    relief,
    small_blocks,
    speed,
)
from mallard.bench.view.html.panel.locality.onset import onset_block
from mallard.bench.view.html.panel.locality.surface import power
from mallard.shared.view.html.figures import three_digits, times
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import render_sentences

NAME = "locality"


def sections(measured: Measured | None) -> list[Section]:
    if measured is None:
        return [unmeasured(NAME)]
    systems = locality_systems(measured.rows)
    blocks = [_system(system, number) for number, system in enumerate(systems)]
    body = joined(introduction(NAME), element("div", id="surface-options"), *blocks)
    return [experiment_section(NAME, body, _answer(systems))]


def _system(system: System, number: int) -> Markup:
    setting = ", ".join(f"{name} {value}" for name, value in system.setting)
    heading = element("h3", f"{power(system.links)} links", element("small", setting) if setting else None)
    scattered = len(system.access_factors) > 1
    onsets = [onset_block(surface) for surface in system.surfaces.values()]
    return element(
        "div",
        heading,
        render_sentences(locality_sentences(system)),
        strategies_table(system),
        *onsets,
        *(_surfaces(system) if scattered else []),
        costs_map(system, f"{NAME}-costs-{number}"),
        class_="system",
    )


def _surfaces(system: System) -> list[Markup | None]:
    """new-delete and the papers' local allocator beside the printed tables, then the others."""
    surfaces, base = system.surfaces, system.base
    local = surfaces.get(LOCAL)
    blocks: list[Markup | None] = [
        quantity_block(system, degradation(surface)) for surface in (base, local) if surface
    ]
    if base and local:
        blocks += [quantity_block(system, relief(local, base)), quantity_block(system, speed(local, base))]
    variants = [surfaces[name] for name in reuse_variants(surfaces)]
    others = [
        surface for surface in surfaces.values() if surface not in (base, local) and surface not in variants
    ]
    return [
        *blocks,
        _together(
            "Orders of reuse side by side", variants, system, reuse_text([s.strategy for s in variants])
        ),
        _together("The other strategies: shuffled \u00f7 unshuffled", others, system),
        _speeds(system, [surface for surface in (*variants, *others) if surface is not local]),
    ]


def _together(
    title: str, surfaces: list[Surface], system: System, text: Markup | None = None
) -> Markup | None:
    if not surfaces:
        return None
    blocks = small_blocks(system, [degradation(surface) for surface in surfaces])
    return element("section", element("h4", title), text, blocks)


def _speeds(system: System, surfaces: list[Surface]) -> Markup | None:
    """The others against new-delete, folded, because there may be many."""
    base = system.base
    if base is None or not surfaces:
        return None
    blocks = small_blocks(system, [speed(surface, base) for surface in surfaces], folded=True)
    return folded(f"{BASE} \u00f7 each of the others, both shuffled", blocks)


def _answer(systems: list[System]) -> Markup | None:
    """The answer from the largest system that has both new-delete and a local allocator."""
    for system in reversed(systems):
        base, best = system.base, best_local(system)
        if base is None or best is None:
            continue
        slowest, least, mean = worst(base, 1), worst(best, 1), to_base(best, base)
        if slowest and least and mean:
            return joined(
                element(
                    "strong",
                    f"Shuffled, {BASE} takes up to {three_digits(slowest[0].median)} times as long",
                ),
                f" ({power(system.links)} links, |S| = {power(slowest[1])}); {best.strategy} at most ",
                f"{three_digits(least[0].median)} times, then {times(mean.median)} as fast on average.",
            )
    return None
