"""Surfaces, tables of utilization and contention, and ratios of ratios, on rows with known figures."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_experiments import (
    ACCESS_FACTORS,
    AMOUNTS,
    AS1_SLOWER,
    HEAP_SLOWER,
    LINKS,
    LIST_LENGTHS,
    access_ns,
    contention_ns,
    contention_rows,
    fragmentation_rows,
    locality_row,
    locality_rows,
    shuffle_table_rows,
    utilization_ns,
    utilization_rows,
)
from synthetic_rows import failed_row, to_rows

from mallard.bench.analysis.averages import compiler_effects
from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.panel.fragmentation import (
    FragmentationTable,
    fragmentation_tables,
    mean_ratio_of_ratios,
)
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.analysis.surfaces import Surface, locality_systems
from mallard.bench.cells import cells_by_strategy
from mallard.bench.checksums import Checksums
from mallard.bench.experiments.fragmentation import ALL, FRAGMENTED

Natives = list[dict[str, Any]]


def build_surfaces(natives: Natives) -> dict[str, Surface]:
    (system,) = locality_systems(to_rows(natives))
    return system.surfaces


# ---- locality -----------------------------------------------------------------------------------------


def test_surface_has_the_axes_of_the_papers() -> None:
    surface = build_surfaces(locality_rows())["new-delete"]
    assert surface.links == LINKS
    assert surface.list_lengths == LIST_LENGTHS
    assert surface.access_factors == ACCESS_FACTORS
    assert surface.shuffle_factors == (0, 5)
    assert surface.setting == ()


def test_surface_has_shuffled_and_unshuffled_times() -> None:
    surface = build_surfaces(locality_rows())["new-delete"]
    unshuffled, shuffled = surface.unshuffled(512, 16), surface.shuffled(512, 16)
    assert unshuffled.median == pytest.approx(1.02)
    expected = access_ns("new-delete", LINKS, 512, 5, 16)
    assert (shuffled.low, shuffled.high) == pytest.approx((expected, 1.04 * expected))
    assert surface.shuffled(513, 16) is None


def test_degradation_is_paired_within_a_process() -> None:
    natives = []
    for repetition, slow in enumerate((1.0, 10.0, 2.0)):

        def times(*place: Any, slow: float = slow) -> float:
            return slow * (3.0 if place[3] else 1.0)

        natives.append(locality_row("new-delete", 512, repetition, times=times))
    ratio = build_surfaces(natives)["new-delete"].degradation(512, 1)
    assert (ratio.median, ratio.n) == (pytest.approx(3.0), 3)
    assert ratio.high == pytest.approx(3.0)


def test_strategies_are_paired_by_repetition() -> None:
    surfaces = build_surfaces(locality_rows())
    ratio = surfaces["multipool"].against(surfaces["new-delete"], 512, 16)
    assert ratio.median == pytest.approx(
        access_ns("multipool", LINKS, 512, 5, 16) / access_ns("new-delete", LINKS, 512, 5, 16)
    )
    memory = surfaces["multipool"].figure_against(surfaces["new-delete"], "shuffled_bytes", 512)
    assert memory.median == pytest.approx(1.2)


def test_relief_divides_degradations() -> None:
    surfaces = build_surfaces(locality_rows())
    relief = surfaces["multipool"].relief(surfaces["new-delete"], 512, 16)
    base = access_ns("new-delete", LINKS, 512, 5, 16) / access_ns("new-delete", LINKS, 512, 0, 16)
    own = access_ns("multipool", LINKS, 512, 5, 16) / access_ns("multipool", LINKS, 512, 0, 16)
    assert relief.median == pytest.approx(base / own)


def test_surface_has_further_figures() -> None:
    surface = build_surfaces(locality_rows())["multipool"]
    build = surface.figure("build_ns", 512)
    assert (build.median, build.n) == (pytest.approx(5.1), 3)
    assert surface.figure("absent", 512) is None


def test_zero_growth_has_no_ratio() -> None:
    natives = locality_rows(("new-delete", "multipool"), (512,))
    for native in natives:
        native["figures"]["built_bytes"] = 0.0
    surfaces = build_surfaces(natives)
    assert surfaces["multipool"].figure_against(surfaces["new-delete"], "built_bytes", 512) is None


def test_degradation_for_each_shuffle_factor() -> None:
    surface = build_surfaces(shuffle_table_rows())["new-delete"]
    assert surface.shuffle_factors == tuple(range(10))
    ratios = [surface.degradation(1000, 10, factor) for factor in surface.shuffle_factors]
    assert [ratio.median for ratio in ratios if ratio] == pytest.approx(
        [1.0, *(1.0 + 4.0 * (1.0 - 0.1**factor) for factor in range(1, 10))]
    )


def test_joins_processes_of_one_access_factor() -> None:
    natives = [
        locality_row(
            "new-delete", 512, repetition, access_factors=(factor,), setting={"repeat_factor": 2560 // factor}
        )
        for repetition in range(3)
        for factor in ACCESS_FACTORS
    ]
    (surface,) = build_surfaces(natives).values()
    assert surface.access_factors == ACCESS_FACTORS
    assert all(surface.degradation(512, factor) for factor in ACCESS_FACTORS)
    build = surface.figure("build_ns", 512)
    assert build.n == 3, "one a repetition, however many processes"


def test_compilers_are_settings_and_sizes_are_systems() -> None:
    accesses = {"accesses": 1 << 20}
    natives = locality_rows(("new-delete",), (512,))
    natives += locality_rows(("new-delete",), (512,), setting=accesses | {"compiler": "clang++"})
    natives += locality_rows(("new-delete",), (512,), links=1 << 25)
    systems = locality_systems(to_rows(natives))
    assert [(system.links, system.setting) for system in systems] == [
        (LINKS, ()),
        (LINKS, (("compiler", "clang++"),)),
        (1 << 25, ()),
    ]


def test_no_shuffled_times_without_a_shuffle() -> None:
    surfaces = build_surfaces(locality_rows(("new-delete", "multipool"), (512,), shuffle_factors=(0,)))
    assert surfaces["new-delete"].shuffled(512, 16) is None
    assert surfaces["multipool"].against(surfaces["new-delete"], 512, 16) is None
    assert surfaces["new-delete"].unshuffled(512, 16) is not None


def test_unfinished_list_length_keeps_its_status() -> None:
    natives = locality_rows(("new-delete", "multipool"), (512, 1))
    natives = [
        native
        for native in natives
        if native["strategy"] == "new-delete" or native["parameters"]["list_length"] != 1
    ]
    parameters = natives[-1]["parameters"] | {"list_length": 1}
    natives.append(failed_row("locality", parameters, "multipool", 0, "out_of_memory", "needs 64 GiB"))
    surface = build_surfaces(natives)["multipool"]
    assert surface.unfinished == {1: ("out_of_memory", "needs 64 GiB")}
    assert surface.list_lengths == (512, 1)
    assert surface.degradation(1, 1) is None


# ---- utilization and contention -----------------------------------------------------------------------


def test_utilization_has_a_line_per_parameters() -> None:
    (table,) = race_tables("utilization", to_rows(utilization_rows()))
    assert [line.place for line in table.lines] == sorted(AMOUNTS)
    line = table.line(30, 20, 15)
    cell = line.cells["multipool"]
    assert cell.ns_per_operation == pytest.approx(1.02 * utilization_ns((30, 20, 15), "multipool"), rel=1e-3)
    assert cell.ratio.median == pytest.approx(0.4, rel=1e-3)
    held = cell.figure("held_bytes")
    assert held.median == 1 << 20
    failing = table.line(35, 20, 10)
    assert (failing.cells["monotonic"].status, failing.cells["monotonic"].finished) == (
        "out_of_memory",
        False,
    )


def test_contention_uses_wall_time() -> None:
    (table,) = race_tables("contention", to_rows(contention_rows()))
    assert table.strategies[-2:] == ["concurrent-multipool", "synchronized-multipool"]
    line = table.line(15, 6, 4)
    cell = line.cells["synchronized-multipool"]
    assert cell.ns_per_operation == pytest.approx(1.02 * contention_ns(4, "synchronized-multipool"), rel=1e-3)
    cpu = cell.figure("cpu_ns_per_pair")
    assert cpu.median == pytest.approx(1.02 * contention_ns(4, "synchronized-multipool") * 2 / 4, rel=1e-3)
    assert cell.notes == ("more threads than cores",)


def test_freeing_thread_is_a_setting() -> None:
    natives = contention_rows(("new-delete",)) + contention_rows(("new-delete",), freed_by="other")
    tables = race_tables("contention", to_rows(natives))
    assert [dict(table.setting)["freed_by"] for table in tables] == ["self", "other"]


def test_compares_compilers_by_repetition_and_row() -> None:
    natives = utilization_rows(("new-delete", "multipool"), compiler="g++")
    for native in utilization_rows(("new-delete", "multipool"), compiler="clang++"):
        factor = 3 if native["strategy"] == "multipool" else 1
        natives.append(native | {"cpu_ns": factor * native["cpu_ns"]})
    (effect,) = compiler_effects(to_rows(natives))
    assert (effect.compiler, effect.base) == ("clang++", "g++")
    assert effect.means["multipool"].median == pytest.approx(3.0)
    assert (effect.means["new-delete"].median, effect.means["new-delete"].n) == (1.0, len(AMOUNTS))
    assert compiler_effects(to_rows(utilization_rows())) == []


def test_cells_have_further_figures() -> None:
    natives = contention_rows(("new-delete", "multipool"), (2,), [(15, 6)])
    natives.append(natives[0] | {"strategy": "new-delete@jemalloc", "wall_ns": natives[0]["wall_ns"] // 2})
    cells = cells_by_strategy(to_rows(natives))
    assert in_table_order(cells) == ["new-delete", "new-delete@jemalloc", "multipool"]
    assert cells["multipool"].figures["slowest_ns"][1] == pytest.approx(1.02 * 1.2)
    ratio = cells["new-delete@jemalloc"].ratio
    assert ratio.median == pytest.approx(0.5), "to new-delete under the C library's malloc, in the same row"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"strategy": "new-delete@jemalloc"}, "new-delete made 9f but new-delete@jemalloc made 8e"),
        ({"parameters": {"compiler": "clang++"}}, "new-delete made 9f but new-delete (clang++) made 8e"),
        ({"parameters": {"threads": 9}}, None),
    ],
)
def test_checksum_detects_different_work(changes: dict[str, Any], complaint: str | None) -> None:
    (native,) = contention_rows(("new-delete",), (2,), [(15, 6)], 1)
    parameters = native["parameters"] | changes.get("parameters", {})
    changed = native | changes | {"parameters": parameters, "checksum": "8e"}
    checksums = Checksums()
    first, second = to_rows([native, changed])
    assert checksums.add(first) is None
    difference = checksums.add(second)
    assert (difference is None) if complaint is None else (difference is not None and complaint in difference)
    assert checksums.complaints() == ([difference] if difference else [])


# ---- fragmentation ------------------------------------------------------------------------------------


def build_fragmentation_tables(natives: Natives) -> list[FragmentationTable]:
    return fragmentation_tables(to_rows(natives))


def test_r_is_a_ratio_of_ratios() -> None:
    table = build_fragmentation_tables(fragmentation_rows())[0]
    assert table.structure == "DS2"
    assert table.freed == ["all", "half", "quarter", "eighth"]
    assert table.sizes_log2 == [6, 10]
    untouched, fragmented = (
        table.ratio_of_ratios("all", 10, "multipool"),
        table.ratio_of_ratios("half", 10, "multipool"),
    )
    assert untouched.median == pytest.approx(1.0, rel=1e-3)
    assert fragmented.median == pytest.approx(1 / AS1_SLOWER["half"], rel=1e-3)
    base = table.ratio_of_ratios("half", 10, "new-delete")
    assert base.median == 1.0, "R of new-delete is 1 by its definition"


def test_slowdown_compares_a_strategy_with_itself() -> None:
    table = build_fragmentation_tables(fragmentation_rows())[0]
    slowdown = table.slowdown("half", 6, "new-delete")
    assert slowdown.median == pytest.approx(AS1_SLOWER["half"], rel=1e-3)
    assert table.slowdown("half", 6, "multipool/base") is None


def test_no_r_without_the_untouched_heap() -> None:
    table = build_fragmentation_tables(fragmentation_rows(freed=("half",)))[0]
    assert table.ratio_of_ratios("half", 6, "multipool") is None


def test_averages_r_over_all_cells() -> None:
    tables = build_fragmentation_tables(fragmentation_rows())
    all_freed = mean_ratio_of_ratios(tables, [ALL], "multipool")
    fragmented = mean_ratio_of_ratios(tables, FRAGMENTED, "multipool")
    assert (all_freed.median, all_freed.n) == (pytest.approx(1.0, rel=1e-3), 4)
    assert (fragmented.median, fragmented.n) == (pytest.approx(0.8, rel=1e-3), 12)
    assert mean_ratio_of_ratios(tables, FRAGMENTED, "multipool/base") is None


def test_upstreams_are_settings() -> None:
    natives = fragmentation_rows(names=("DS2",)) + fragmentation_rows(names=("DS2",), upstream="heap")
    cache, heap = build_fragmentation_tables(natives)
    assert (cache.upstream, heap.upstream) == ("cache", "heap")
    slowdown = heap.slowdown("half", 6, "multipool")
    assert slowdown.median == pytest.approx(HEAP_SLOWER, rel=1e-3)
