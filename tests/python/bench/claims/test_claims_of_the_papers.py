"""The rules on the documents' own tables: they compute the figures of `claims_check.csv`, and every claim
agrees with its own document except for the known errors.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

import published
import pytest

from mallard.bench.claims.claim import Claim, claims
from mallard.bench.claims.figures import Cells
from mallard.bench.claims.judge import disagreements, evaluate, exact
from mallard.bench.claims.rules import RULES, make_figures
from mallard.bench.evidence import Evidence
from mallard.bench.papers.files import read_csv
from mallard.bench.papers.registry import table_named
from mallard.bench.papers.small_objects import PROCESS
from mallard.bench.strategy_names import PAPERS, of_papers

P0089 = published.p0089()
P0213 = published.p0213()
SMALL = published.small_documents()
# A claim of P0213 about P0089's data.
ABOUT_P0089 = ("P0089 Table 15", "P0089 anomaly")
# P0089 prints gcc's figures and one size of |G| below which there was no benefit, without a table.
NOT_PRINTED = {
    ("P0089R1", "7.8 / 7 general", "Clang only: abstract-base vs direct run time, DS5-DS8"),
    ("P0089R1", "7 general", "Clang: monotonic via abstract base vs default, DS5-DS8"),
    ("P0089R1", "8 B II", "log2 of total size |G| below which local allocators showed no benefit"),
}


def printed(*names: str) -> Evidence:
    return published.table_evidence(table_named(name) for name in names)


P0089_B1 = printed(*(f"p0089:{number}" for number in range(3, 15)))
STATIC = printed(*(f"p0213:{number}" for number in range(58, 65)))
NO_BUFFER = printed(*(f"p0213:{number}" for number in range(65, 72)))
POOLS = "multipool,multipool/base,multipool+monotonic,multipool+monotonic/base"
FIGURES = {rule.name: rule.figures for rule in RULES.values()}


def compared(evidence: Evidence, experiment: str, figure: str, strategies: str, cells: str = "") -> Cells:
    return make_figures(experiment, figure, strategies, cells)(evidence)


def average(strategy: str) -> Cells:
    return compared(P0213, "density", "as_percent", strategy, "ds=1..12")


def degradations(evidence: Evidence, strategy: str) -> Cells:
    return compared(evidence, "locality", "degradation", strategy, "links=2^21,2^25")


def changed(change: Callable[[float], float], cells: Cells) -> Cells:
    return [change(cell) for cell in cells]


def shuffled_local_by_global() -> Cells:
    return [
        time / P0213.locality[links, length, shuffled, factor, "new-delete"]
        for (links, length, shuffled, factor, strategy), time in P0213.locality.items()
        if strategy == "multipool" and shuffled == 5
    ]


def loki(order: str, figure: str) -> Cells:
    return compared(SMALL, "small-objects", "times_as_long", "loki", f"figure={figure} order={order}")


# (section, quantity) of claims_check.csv -> the rule that computes its cells.
RULED_CELLS = {
    ("9 DS1", "monotonic AS3-AS6 percent of AS1"): ("p0213_ds1_monotonic_range", P0213),
    ("9 DS1", "multipool AS7-AS10 percent of AS1"): ("p0213_ds1_multipool_average", P0213),
    ("9 DS1", "multi+mono AS11-AS14 percent of AS1"): ("p0213_ds1_both_range", P0213),
    ("9 DS2", "monotonic AS3-AS6 percent of AS1"): ("p0213_ds2_monotonic_average", P0213),
    ("9 DS2", "multipool AS7-AS10 percent of AS1"): ("p0213_ds2_multipool_range", P0213),
    ("9 DS2", "multi+mono AS11-AS14 percent of AS1"): ("p0213_ds2_both_average", P0213),
    ("9 Further", "monotonic AS3-AS6 percent of AS1, DS3-DS12"): ("further_monotonic_range", P0213),
    ("9 Further", "multi+mono AS11-AS14 percent of AS1, DS3-DS12"): ("further_both_average", P0213),
    ("9 Further", "multipool AS7-AS10 percent of AS1, DS3-DS12"): ("further_multipool_range", P0213),
    ("9 Analysis", "virtual overhead percent, all pairs"): ("average_dispatch", P0213),
    ("9 Analysis", "wink-out reduction percent, all pairs"): ("average_wink_out", P0213),
    ("11", "AS2 overhead percent (all percent tables)"): ("utilization_global_dispatch", P0213),
    ("11", "AS3;AS5 times AS1 at T=2^30"): ("monotonic_at_low_utilization", P0213),
    ("11", "multipool AS7;AS9 percent of AS1 for S<=2^12, all T"): ("utilization_multipool", P0213),
    ("12 Table 14", "monotonic AS3;AS5 percent of AS1"): ("contention_monotonic", P0213),
    ("12 Table 14", "multipool AS7;AS9 percent of AS1"): ("contention_multipool", P0213),
    ("12 Table 14", "multi+mono AS11;AS13 percent of AS1"): ("contention_both", P0213),
    ("12 Table 15 (P0089)", "monotonic AS3;AS5 percent of AS1"): ("contention_monotonic_of_p0089", P0089),
    ("12 Table 15 (P0089)", "multipool AS7;AS9 percent of AS1"): ("contention_multipool_of_p0089", P0089),
    ("12 Table 15 (P0089)", "multi+mono AS11;AS13 percent of AS1"): ("contention_both_of_p0089", P0089),
    ("12", "AS1 / local, all static-buffer absolute tables"): ("contention_best", STATIC),
    ("13 Table 17", "ratio deviation from 1, percent (D=N)"): ("whole_heap_freed", P0213),
    ("7 general", "AS1 / monotonic, DS2-DS12 (DS1 excluded)"): ("monotonic_speedup", P0089_B1),
    ("7 general", "virtual overhead percent, all pairs DS1-DS12"): ("dispatch_overhead", P0089_B1),
    ("7 general", "AS1 / multipool, DS7 and DS11"): ("multipool_gain_of_sets_of_int", P0089_B1),
    ("7 general", "multipool gain percent, all but DS7;DS11"): ("multipool_gain", P0089_B1),
    ("7.7 DS7", "AS1 / monotonic"): ("ds7_monotonic", P0089),
    ("7.11 DS11", "AS1 / best of AS3-AS6;AS11-AS14"): ("ds11_best", P0089),
    ("8", "improvement ratio for 2^12 <= |S| < |G| (Tables 20;21)"): ("usual_improvement", P0089),
    ("time", "shuffled deallocation Loki/system"): ("loki_shuffled_deallocation", SMALL),
    ("memory", "system/Loki kB, N=1"): ("loki_memory_of_one_byte", SMALL),
    ("class_new_allocate_1M_instances", "time ratio minus 1"): ("fixed_blocks", SMALL),
    ("random_replace_in_100_pointers_1M_instances", "time ratio minus 1"): ("random_replacement", SMALL),
    ("list_1000_ints_create_destroy", "time ratio minus 1"): ("list_of_ints", SMALL),
    ("remove_ctrl_string", "time ratio minus 1"): ("remove_ctrl", SMALL),
}
# Cells that no rule computes, or in another unit.
OTHER_CELLS: dict[tuple[str, str], Callable[[], Cells]] = {
    **{
        ("Table 8", f"{number} average percent of AS1 over DS1-DS12"): lambda name=name: average(name)
        for number, name in PAPERS.items()
        if number != "AS1"
    },
    ("12 Table 14", "AS2 percent of AS1"): lambda: changed(
        lambda overhead: 100 + overhead, FIGURES["contention_global_dispatch"](P0213)
    ),
    ("12", "AS1 / multipool-based, all absolute tables"): lambda: (
        compared(STATIC, "contention", "times_faster", POOLS)
        + compared(NO_BUFFER, "contention", "times_faster", POOLS)
    ),
    ("13 Table 20", "local AS3-AS14 improvement percent"): lambda: FIGURES["fragmented_heap"](
        printed("p0213:20")
    ),
    ("7 general", "wink-out reduction percent, all pairs DS2-DS12"): lambda: compared(
        P0089_B1, "density", "percent_saved", "wink-out", "ds=2..12"
    ),
    ("8", "degradation with multipool (Tables 18;19)"): lambda: degradations(P0089, "multipool"),
    ("8", "degradation with global (Tables 16;17)"): lambda: degradations(P0089, "new-delete"),
    ("10", "degradation with global (Table 9)"): lambda: degradations(printed("p0213:9"), "new-delete"),
    ("10", "degradation with multipool (Table 10)"): lambda: degradations(printed("p0213:10"), "multipool"),
    ("10", "multipool/global after shuffle (Table 11)"): shuffled_local_by_global,
    ("time", "in-order deallocation Loki/system"): lambda: loki("in-order", "free_ns"),
    ("time", "allocation Loki/system, both orders"): lambda: (
        loki("in-order", "allocate_ns") + loki("shuffled", "allocate_ns")
    ),
    ("memory", "system/Loki kB, N=20"): lambda: changed(
        lambda saved: 1 / (1 - saved / 100), FIGURES["loki_memory_of_twenty_bytes"](SMALL)
    ),
    ("memory", "system/Loki kB, N=40"): lambda: changed(
        lambda ratio: 1 / ratio,
        compared(SMALL, "small-objects", "times_as_long", "loki", f"figure={PROCESS} object_bytes=40"),
    ),
    ("map_1000_int_keys_create_destroy", "time ratio minus 1"): lambda: changed(
        lambda percent: percent / 100, FIGURES["map_of_ints"](SMALL)
    ),
}
CHECKED = read_csv("claims_check.csv")
# Formed from other printed figures than the check's: ratios of rounded ratios, of seconds in place of ratios.
LOOSE = {
    "improvement ratio for 2^12 <= |S| < |G| (Tables 20;21)",
    "multipool/global after shuffle (Table 11)",
}


@pytest.mark.parametrize("row", CHECKED, ids=lambda row: f"{row['section']}: {row['quantity']}")
def test_rules_compute_the_checked_figures(row: dict[str, str]) -> None:
    key = row["section"], row["quantity"]
    if key in RULED_CELLS:
        rule, evidence = RULED_CELLS[key]
        cells = FIGURES[rule](evidence)
    else:
        cells = OTHER_CELLS[key]()
    assert len(cells) == int(row["n"])
    for text, computed in (
        (row["computed_low"], min(cells)),
        (row["computed_high"], max(cells)),
        (row["computed_mean"], fmean(cells)),
    ):
        # Four significant digits are printed.
        tolerance = 0.03 if row["quantity"] in LOOSE else 6e-4
        assert computed == pytest.approx(float(text), rel=tolerance, abs=1e-9)


def own_evidence(claim: Claim) -> Evidence:
    if claim.source == "P0089R1" or claim.text.startswith(ABOUT_P0089):
        return P0089
    if claim.text.startswith("local strategies improve"):
        return printed("p0213:20")
    return P0213 if claim.source == "P0213R0" else SMALL


# Claims about lost graphs and findings of this project are judged here, and have no table.
WITHOUT_TABLES = ("allocplus_v0.1", "mallard")
RULED = [
    claim
    for claim in claims()
    if claim.key in RULES and claim.key not in NOT_PRINTED and claim.source not in WITHOUT_TABLES
]


@pytest.mark.parametrize("claim", RULED, ids=lambda claim: f"{claim.number} {claim.section}")
def test_claims_agree_with_their_documents_except_known_errors(claim: Claim) -> None:
    rule = RULES[claim.key]
    evaluation = evaluate(rule.statement, [rule.figures(own_evidence(claim))])
    differences = disagreements(claim, rule.statement, exact(evaluation.judged))
    assert bool(differences) == bool(claim.known_error), differences


def test_claims_are_distinct() -> None:
    assert len({claim.key for claim in claims()}) == len(claims()) == 173


def test_every_claim_has_a_rule_or_reason() -> None:
    assert [claim.key for claim in claims() if claim.key not in RULES and not claim.not_applicable] == []


def test_rules_have_distinct_names() -> None:
    assert len(FIGURES) == len(RULES) > 100


def test_missing_structure_leaves_general_claim_open() -> None:
    some = published.table_evidence([table_named("p0213:4"), table_named("p0213:6")])
    assert FIGURES["average_dispatch"](some) == []
    assert FIGURES["p0213_ds2_both_range"](some)


def test_mean_needs_all_structures() -> None:
    evidence = Evidence()
    for number in range(1, 13):
        assert FIGURES["fragmented_heap"](evidence) == []
        evidence.ratios[f"DS{number}", 6, "half", "monotonic"] = 0.8
    assert FIGURES["fragmented_heap"](evidence) == pytest.approx([20.0] * 12)


def test_missing_strategy_leaves_a_claim_open() -> None:
    evidence = Evidence()
    for size in (6, 7):
        for name in (*of_papers(1, 2), *of_papers(7, 13)):
            evidence.density["DS2", size, name] = 1.0
    assert FIGURES["p0213_ds2_both_range"](evidence) == []
    assert len(FIGURES["p0213_ds2_multipool_range"](evidence)) == 8
    assert len(compared(evidence, "density", "percent_longer", "new-delete/base", "ds=2")) == 2
