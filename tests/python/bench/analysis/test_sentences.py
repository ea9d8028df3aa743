"""The sentences of locality and of Benchmarks III to V, on rows with known figures."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_experiments import (
    ALL_LOCALITY,
    LINKS,
    contention_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_rows import failed_row, to_rows

from mallard.bench.analysis.names import in_table_order, malloc, plain, ranked_strategies, reuse_variants
from mallard.bench.analysis.panel.fragmentation import fragmentation_sentences, fragmentation_tables
from mallard.bench.analysis.panel.locality import locality_sentences
from mallard.bench.analysis.panel.races import race_sentences, race_tables
from mallard.bench.analysis.surfaces import locality_systems
from mallard.bench.analysis.words import amount, amounts, counted_in_tens, in_a_list, percent_text, times_text
from mallard.shared.stats import Ratio

Natives = list[dict[str, Any]]


def of_locality(natives: Natives) -> list[str]:
    (system,) = locality_systems(to_rows(natives))
    return locality_sentences(system)


def of_utilization(natives: Natives) -> list[str]:
    (table,) = race_tables("utilization", to_rows(natives))
    return race_sentences("utilization", table)


def of_contention(natives: Natives, cores: int | None = 2) -> list[str]:
    (table,) = race_tables("contention", to_rows(natives), cores)
    return race_sentences("contention", table)


def of_fragmentation(natives: Natives) -> list[str]:
    return fragmentation_sentences(fragmentation_tables(to_rows(natives)))


# ---- names and text ----------------------------------------------------------------------------------


def test_sorts_names_in_table_order() -> None:
    ordered = [
        *(
            "null",
            "new-delete",
            "new-delete@jemalloc",
            "new-delete@mimalloc",
            "new-delete-keep",
            "new-delete/base",
            "new-delete/base@jemalloc",
            "multipool",
        ),
        *(
            "multipool-last",
            "multipool-first",
            "multipool-lowest",
            "multipool-hybrid",
            "multipool-random",
            "multipool/base/wink",
            "null/base",
        ),
        *("concurrent-multipool", "synchronized-multipool"),
    ]
    assert in_table_order(sorted(ordered)) == ordered
    assert ranked_strategies(ordered) == [
        *(
            "new-delete",
            "new-delete/base",
            "multipool",
            "multipool-last",
            "multipool-first",
            "multipool-lowest",
            "multipool-hybrid",
            "multipool/base/wink",
        ),
        *("concurrent-multipool", "synchronized-multipool"),
    ]


@pytest.mark.parametrize(
    ("name", "paper_name", "malloc_name"),
    [
        ("new-delete", "new-delete", ""),
        ("new-delete@jemalloc", "new-delete", "jemalloc"),
        ("multipool-lowest", "multipool", ""),
        ("null", "null", ""),
        ("concurrent-multipool", "concurrent-multipool", ""),
    ],
)
def test_splits_a_name_into_strategy_and_malloc(name: str, paper_name: str, malloc_name: str) -> None:
    assert (plain(name), malloc(name)) == (paper_name, malloc_name)


def test_default_is_a_reuse_order() -> None:
    assert reuse_variants(
        ["multipool/base", "multipool-first", "new-delete-keep", "multipool", "new-delete"]
    ) == ["multipool", "multipool-first"]
    assert reuse_variants(["new-delete", "multipool"]) == []


def test_formats_figures() -> None:
    assert percent_text(Ratio(0.452, 0.443, 0.461, 3)) == "45 % (44 to 46)"
    assert percent_text(Ratio(0.0512, 0.05, 0.052, 3)) == "5.1 % (5.0 to 5.2)"
    assert "no interval" in times_text(Ratio(2.0, 0.0, float("inf"), 1))
    assert in_a_list(["a"]) == "a"
    assert in_a_list(["a", "b", "c"]) == "a, b and c"
    assert [amount(value) for value in (1, 2, 512, 10, 12)] == ["2^0", "2^1", "2^9", "10", "12"]
    assert (amount(1000, tens=True), amount(1, tens=True)) == ("10^3", "10^0")
    assert counted_in_tens(10**7)
    assert not counted_in_tens(LINKS)
    assert amounts([1, 2, 4, 16], [1, 2, 4, 8, 16]) == "2^0 to 2^2, 2^4"


# ---- locality -----------------------------------------------------------------------------------------


def test_locality_reports_the_effect_of_shuffling() -> None:
    sentences = of_locality(locality_rows())
    assert sentences[0].startswith(
        "After the shuffle an access with new-delete takes 2.9 times (2.9 to 2.9) as long"
    )
    assert sentences[0].endswith("at worst 7.9 times, at |S| = 2^18, af = 2^0.")
    assert sentences[1].startswith("After the shuffle an access with multipool takes 1.12 times")


def test_locality_reports_where_local_allocators_pay() -> None:
    sentences = of_locality(locality_rows())
    assert any(
        text.startswith("After the shuffle multipool is the fastest local allocator: 62 %")
        for text in sentences
    )
    assert any(text.endswith("no difference from it: multipool/base.") for text in sentences)
    assert (
        "multipool pays at every access factor for |S| = 2^4 to 2^18; not for |S| = 2^0, 2^21." in sentences
    )


def test_locality_reports_costs_of_the_local_allocator() -> None:
    sentences = of_locality(locality_rows())
    assert (
        "Of new-delete's time multipool takes, on average: to build a link 25 % (25 to 25), to move one "
        "in the shuffle 67 % (67 to 67), to fill the lists again 33 % (33 to 33), for an access after "
        "that 50 % (50 to 50)."
    ) in sentences
    assert "After the shuffle multipool holds 1.20 times new-delete's memory." in sentences


def test_locality_reports_the_largest_memory() -> None:
    natives = locality_rows(("new-delete", "multipool"))
    for native in natives:
        if native["strategy"] == "multipool" and native["parameters"]["list_length"] == 1:
            native["figures"]["shuffled_bytes"] *= 5
    sentences = of_locality(natives)
    assert (
        "After the shuffle multipool holds 1.20 to 6.0 times new-delete's memory, most at |S| = 2^0."
        in sentences
    )


def test_locality_reports_paying_access_factors() -> None:
    def times(strategy: str, links: int, length: int, shuffle_factor: int, access_factor: int) -> float:
        return 2.0 if (strategy, access_factor) == ("multipool", 256) else 1.0 + (strategy == "new-delete")

    sentences = of_locality(locality_rows(("new-delete", "multipool"), times=times, list_lengths=(16, 1)))
    assert "multipool pays for |S| = 2^0 with af = 2^0, 2^4; for |S| = 2^4 with af = 2^0, 2^4." in sentences


def test_locality_names_best_and_worst_reuse_order() -> None:
    sentences = of_locality(locality_rows(ALL_LOCALITY))
    assert any("multipool-lowest serves accesses after the shuffle best, 92 %" in text for text in sentences)
    assert any("slowest multipool-random" in text for text in sentences)
    assert any("with new-delete@jemalloc takes" in text for text in sentences)


def test_compares_strategies_at_common_points() -> None:
    natives = locality_rows(("new-delete", "multipool")) + locality_rows(("multipool-lowest",), (512, 16))
    sentences = of_locality(natives)
    assert any(
        text.startswith("After the shuffle multipool is the fastest local allocator") for text in sentences
    )
    assert any(
        "at the 6 points that each has, multipool-lowest is the fastest" in text for text in sentences
    ), "two list lengths and three access factors"


def test_reports_a_local_allocator_that_never_pays() -> None:
    sentences = of_locality(
        locality_rows(
            ("new-delete", "multipool"), times=lambda strategy, *_: 1.0 if strategy == "new-delete" else 2.0
        )
    )
    assert "multipool pays nowhere." in sentences
    assert "(no difference)" in sentences[0]


def test_one_repetition_names_no_lengths() -> None:
    sentences = of_locality(locality_rows(repetitions=1))
    assert not any("pays" in text for text in sentences)
    assert not any("(no difference)" in text for text in sentences)


def test_table_15_counts_in_tens() -> None:
    assert "|S| = 10^6, af = 10" in of_locality(shuffle_table_rows())[0]


def test_locality_has_no_verdict_without_base() -> None:
    assert of_locality(locality_rows(("multipool",))) == ["No verdict: new-delete has not finished here."]


# ---- utilization --------------------------------------------------------------------------------------


def test_utilization_names_the_fastest_and_failures() -> None:
    sentences = of_utilization(utilization_rows())
    assert sentences[0].startswith(
        "multipool is fastest: 40 % (40 to 40) of new-delete's time over 4 rows, 8.16 to 12.2 ns"
    )
    assert (
        sentences[1]
        == "monotonic and monotonic/base did not finish (out of memory) if (T, A, S) is 2^35, 2^20, 2^10."
    )
    assert (
        "monotonic and monotonic/base: up to 250 page faults in 1000 operations, up to 60 %" in sentences[2]
    )


def test_utilization_names_exceptions_of_the_fastest() -> None:
    natives = utilization_rows(("new-delete", "multipool"))
    for native in natives:
        if native["strategy"] == "multipool" and native["parameters"]["block_log2"] == 15:
            native["cpu_ns"] *= 3
    assert "multipool is not faster than new-delete if (T, A, S) is 2^30, 2^20, 2^15." in of_utilization(
        natives
    )


def test_utilization_keeps_base_if_nothing_is_faster() -> None:
    assert (
        of_utilization(utilization_rows(("null", "new-delete", "new-delete/base")))[0]
        == "No strategy is faster than new-delete."
    )


def test_utilization_reports_other_mallocs() -> None:
    natives = utilization_rows(("new-delete", "multipool"))
    for native in utilization_rows(("new-delete",)):
        native |= {"strategy": "new-delete@jemalloc", "cpu_ns": native["cpu_ns"] // 2}
        natives.append(native)
    assert "Under other mallocs: new-delete@jemalloc 50 % (50 to 50) of new-delete's time." in of_utilization(
        natives
    )
    assert of_utilization(natives)[0].startswith("multipool is fastest"), (
        "a malloc is a setting of the process"
    )


# ---- contention ---------------------------------------------------------------------------------------


def test_contention_reports_threads_and_sharing() -> None:
    sentences = of_contention(contention_rows())
    assert (
        sentences[0]
        == "One thread: a pair takes 20.4 ns with new-delete and 1.22 ns with multipool, 6.0 % (6.0 to 6.0)."
    )
    assert sentences[1].startswith(
        "One thread, sharing: concurrent-multipool takes 4.08 ns, 3.3 times (3.3 to 3.3)"
    )
    assert sentences[2].startswith("2 threads: a pair takes 20.4 ns with new-delete")
    assert "synchronized-multipool takes 61.2 ns, 50.0 times" in sentences[3]
    assert sentences[4].startswith(
        "A pair with 2 threads: within 10 % of that with 1: new-delete, new-delete/base"
    )
    assert sentences[4].endswith("synchronized-multipool 2.0 times.")
    assert sentences[5].startswith("Up to 4 threads ran on 2 cores")


def test_only_shared_allocators_free_across_threads() -> None:
    names = ("new-delete", "new-delete/base", "concurrent-multipool", "synchronized-multipool")
    sentences = of_contention(contention_rows(names, threads=(2,), freed_by="other"))
    assert sentences == [
        (
            "2 threads: a pair takes 20.4 ns with new-delete and 4.08 ns with concurrent-multipool, 20 % (20 "
            "to 20)."
        )
    ]


def test_reports_crashed_shared_allocators() -> None:
    natives = contention_rows(("new-delete", "multipool"), threads=(1,), sizes=((15, 6),))
    parameters = natives[0]["parameters"]
    natives.append(failed_row("contention", parameters, "concurrent-multipool", 0, "crashed", "SIGSEGV"))
    assert "One thread, sharing: concurrent-multipool has not finished." in of_contention(natives)


# ---- fragmentation ------------------------------------------------------------------------------------


def test_fragmentation_reports_r_by_freed_share() -> None:
    assert of_fragmentation(fragmentation_rows()) == [
        "In a fragmented heap new-delete takes 125 % (125 to 125) of its time in a fresh one.",
        (
            "With everything freed (D = N), R of the local strategies is 1.00 (1.00 to 1.00): no difference "
            "from a fresh heap."
        ),
        "With part of it freed (D = N/2, N/4, N/8), R of the local strategies is 0.80 (0.80 to 0.80).",
    ]


def test_fragmentation_reports_measured_heaps_only() -> None:
    sentences = of_fragmentation(fragmentation_rows(freed=("none", "half")))
    assert "With part of it freed (D = N/2), R of the local strategies is 0.80 (0.80 to 0.80)." in sentences
    assert not any("D = N)" in text for text in sentences)


def test_fragmentation_reports_cached_chunks_first() -> None:
    natives = fragmentation_rows(buffer="warm") + fragmentation_rows(upstream="heap")
    sentences = of_fragmentation(natives)
    assert [("heap too" in text) for text in sentences[1:5]] == [False, False, True, True]


def test_fragmentation_compares_upstreams() -> None:
    sentences = of_fragmentation(fragmentation_rows() + fragmentation_rows(upstream="heap"))
    assert any(
        "their chunks being from that heap too, R of the local strategies is 0.88" in s for s in sentences
    )
    assert sentences[-1].startswith(
        "Chunks from the fragmented heap in place of cached ones make a strategy take"
    )
    assert "multipool 1.10 times (1.10 to 1.10)" in sentences[-1]


def test_does_not_compare_buffer_with_no_buffer() -> None:
    natives = fragmentation_rows(buffer="warm") + fragmentation_rows(upstream="heap")
    last = of_fragmentation(natives)[-1]
    assert "multipool 1.10" in last
    assert "monotonic" not in last
