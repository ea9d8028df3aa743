"""Contenders: their table, their selection, and the messages about missing ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.analysis.labels import family
from mallard.bench.analysis.names import in_table_order, ours, ranked_strategies
from mallard.bench.contenders import CONTENDERS, GROUPS, LIBRARIES, PEERS, find_peer
from mallard.bench.expected_runner import expected_runner
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.catalogue import Strategy, strategy_text
from mallard.bench.plan import Host, Plan, PlannedRow, Request, make_plan
from mallard.bench.runner import Described, Limit, Missing, Runner
from mallard.shared import mallocs
from mallard.shared.errors import UsageError

NO_BOOST = Missing("boost-pool", "libboost-dev", "no boost/pool/pool.hpp")
THEN = "then './mallard bench density' builds"
NO_LOKI = Missing("Loki", "libloki-dev", "no loki/SmallObj.h")


# ---- the table ----------------------------------------------------------------------------------------


def test_contenders_have_a_library_and_known_experiments() -> None:
    for name, contender in CONTENDERS.items():
        assert contender.library in LIBRARIES, name
        assert contender.experiments, name
        assert set(contender.experiments) <= set(EXPERIMENTS), name
        assert contender.label == contender.label.strip(), name
        assert max(map(len, contender.heads)) < 14, "a column of a terminal"
    assert {contender.library for contender in CONTENDERS.values()} == set(LIBRARIES)


def test_optional_libraries_name_package_and_header() -> None:
    for library in LIBRARIES.values():
        assert bool(library.package) == bool(library.header) or library.by_prefix, library.name


def test_columns_of_a_library_are_distinct() -> None:
    heads = [(contender.library, contender.heads) for contender in CONTENDERS.values()]
    labels = [(contender.library, contender.label) for contender in CONTENDERS.values()]
    assert len(set(heads)) == len(set(labels)) == len(CONTENDERS)


def test_library_word_selects_all_its_contenders() -> None:
    assert set(GROUPS["peers"]) == set(CONTENDERS)
    boost = {name for name in LIBRARIES if name.startswith("Boost.")}
    assert {CONTENDERS[name].library for name in GROUPS["boost"]} == boost
    assert GROUPS["loki"] == ("loki",)
    assert not set(GROUPS) & set(CONTENDERS) - {"loki"}, "no word means two things"


@pytest.mark.parametrize(
    ("strategy", "peer"),
    [
        ("boost-pool", "Boost.Pool"),
        ("pmr-monotonic/wink", "std::pmr"),
        ("new-delete", "glibc"),
        ("new-delete-keep", "glibc"),
        ("new-delete/base", "glibc"),
        ("new-delete/base@tcmalloc", "tcmalloc"),
        ("new-delete@mimalloc", "mimalloc"),
        ("mimalloc-heap", "mimalloc"),
        ("boost-allocator-v2", "Boost.Container"),
        ("boost-interprocess", "Boost.Interprocess"),
        ("realloc", "glibc"),
        ("heap-v2", ""),
        ("heap/base/wink", ""),
        ("multipool", ""),
        ("multipool/base/wink", ""),
        ("multipool-lowest", ""),
        ("concurrent-multipool", ""),
        ("null", ""),
        ("mystery-pool", ""),
    ],
)
def test_whose_a_strategy_is(strategy: str, peer: str) -> None:
    assert find_peer(strategy) == peer
    assert peer == "" or peer in PEERS


def test_own_strategies_exclude_contenders() -> None:
    names = [
        "monotonic",
        "multipool",
        "multipool-lowest",
        "multipool+monotonic/base/wink",
        "concurrent-multipool",
        "fixed-pool",
        "multipool-burst",
        "heap-v2",
    ]
    assert [name for name in names if not ours(name)] == []
    others = [
        "null",
        "null/base",
        "new-delete",
        "new-delete-keep",
        "new-delete/base",
        "new-delete@jemalloc",
        "multipool-random",
        "loki",
        "mystery",
    ]
    assert [name for name in others if ours(name)] == []


def test_contenders_stand_last_and_are_no_verdict() -> None:
    names = ["loki", "multipool", "boost-pool", "concurrent-multipool", "pmr-monotonic", "new-delete"]
    ordered = ["new-delete", "multipool", "concurrent-multipool", "pmr-monotonic", "boost-pool", "loki"]
    assert in_table_order(names) == ordered
    assert ranked_strategies(names) == ["new-delete", "multipool", "concurrent-multipool"]
    assert [family(name) for name in ordered[3:]] == ["std::pmr", "Boost.Pool", "Loki"]
    assert strategy_text("boost-pool") == "boost::pool"


def test_peers_are_the_mallocs_and_the_libraries() -> None:
    assert set(PEERS) == {*mallocs.NAMES, *LIBRARIES}
    assert len(PEERS) == len(set(PEERS))


# ---- selecting ----------------------------------------------------------------------------------------


def strategies(*names: str) -> tuple[Strategy, ...]:
    return tuple(Strategy(name, "", "", "") for name in names)


def limits(experiment: str) -> Mapping[str, Limit]:
    return expected_runner().experiments[experiment].limits


def runner(*missing: Missing) -> Runner:
    """Without the contenders that are missing."""
    missing_names = {name for part in missing for name in (part.name, part.name.lower())}
    offered = [
        name for name in ("boost-pool", "boost-pmr-unsynchronized", "loki") if name not in missing_names
    ]
    threads = [
        "new-delete",
        "multipool",
        "concurrent-multipool",
        "pmr-synchronized",
        "boost-object-pool",
        *offered,
    ]
    return Runner(
        path=Path("mallard-bench"),
        about={"build_id": "b1"},
        structures=(),
        sizes_log2=(6,),
        experiments={
            "utilization": Described(
                strategies("null", "new-delete", "multipool", *offered), limits("utilization")
            ),
            "contention": Described(
                strategies(*threads),
                limits("contention"),
                freed_by_other=("new-delete", "concurrent-multipool", "pmr-synchronized"),
            ),
            "locality": Described(
                strategies(
                    "new-delete",
                    "new-delete/base",
                    "multipool",
                    "multipool/base",
                    "fixed-pool",
                    "static-pool",
                    "adaptive-pool",
                    "loki",
                ),
                limits("locality"),
            ),
            "primitives": Described(strategies("new-delete", "multipool", *offered), {}),
        },
        missing=missing,
    )


def plan(request: Request, *missing: Missing) -> Plan:
    return make_plan(request, runner(*missing), Host(None, 2))


def row(result: Plan) -> PlannedRow:
    return result.rows[0]


def test_without_asking_no_contender_is_measured() -> None:
    assert row(plan(Request("utilization"))).strategies == ("null", "new-delete", "multipool")
    assert row(plan(Request("primitives"))).strategies == ("new-delete", "multipool")
    assert plan(Request("utilization"), NO_BOOST).messages == (), "nor is a missing one told of"


def test_contenders_join_the_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mallocs, "find_library", lambda name: None if name == "tcmalloc" else Path("there"))
    planned = plan(Request("utilization", contenders=True))
    assert row(planned).strategies == (
        *("null", "new-delete", "multipool", "boost-pool", "boost-pmr-unsynchronized", "loki"),
        *("new-delete@jemalloc", "new-delete@mimalloc"),
    )
    assert planned.messages == (
        "tcmalloc is left out: its library is not installed; run 'apt-get install libtcmalloc-minimal4'",
    )


def test_contenders_join_a_selection() -> None:
    planned = plan(Request("utilization", strategies="multipool", contenders=True, mallocs="glibc"))
    assert row(planned).strategies == (
        "new-delete",
        "multipool",
        "boost-pool",
        "boost-pmr-unsynchronized",
        "loki",
    )


def test_contenders_join_the_strategies_of_a_grid() -> None:
    planned = plan(Request("locality", contenders=True, mallocs="glibc"))
    with_pools = ("new-delete", "multipool", "fixed-pool", "static-pool", "loki")
    assert {row.strategies for row in planned.rows} == {with_pools}
    notation = ("-20", "18", "32", "-3", "8")
    planned = plan(Request("locality", contenders=True, mallocs="glibc", notation=notation))
    assert row(planned).strategies == with_pools
    assert not {"fixed-pool", "static-pool"} & {*row(plan(Request("locality"))).strategies}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("boost-pool", ("new-delete", "boost-pool")),
        ("boost", ("new-delete", "boost-pool", "boost-pmr-unsynchronized")),
        ("peers", ("new-delete", "boost-pool", "boost-pmr-unsynchronized", "loki")),
        ("multipool,Loki", ("new-delete", "multipool", "loki")),
        ("multipool, BOOST", ("new-delete", "multipool", "boost-pool", "boost-pmr-unsynchronized")),
    ],
)
def test_names_and_words_select(text: str, expected: tuple[str, ...]) -> None:
    assert row(plan(Request("utilization", strategies=text))).strategies == expected


def test_missing_library_is_reported_and_skipped() -> None:
    planned = plan(Request("utilization", strategies="multipool,peers"), NO_BOOST, NO_LOKI)
    assert row(planned).strategies == ("new-delete", "multipool", "boost-pmr-unsynchronized")
    assert planned.messages == (
        "new-delete is measured as well: every ratio is to it",
        f"boost-pool left out: no boost/pool/pool.hpp; 'apt-get install libboost-dev', {THEN} it in",
        f"loki left out: no loki/SmallObj.h; 'apt-get install libloki-dev', {THEN} it in",
    )


def test_messages_group_strategies_by_package() -> None:
    missing = [
        Missing(name, "libfoonathan-memory-dev", "not found")
        for name in ("foonathan-node", "foonathan-array")
    ]
    planned = plan(Request("utilization", contenders=True, mallocs="glibc"), *missing)
    install = "'apt-get install libfoonathan-memory-dev'"
    names = "foonathan-node, foonathan-array"
    assert planned.messages == (f"{names} left out: not found; {install}, {THEN} them in",)


def test_messages_omit_strategies_of_other_experiments() -> None:
    absent = Missing("boost-allocator-burst", "libboost-container-dev", "not found")
    assert plan(Request("utilization", contenders=True, mallocs="glibc"), absent).messages == ()


def test_selecting_only_missing_contenders_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        plan(Request("utilization", strategies="loki,boost-pool"), NO_BOOST, NO_LOKI)
    text = str(error.value)
    assert text.startswith("--strategy loki,boost-pool: none of these is available: ")
    assert "apt-get install libloki-dev" in text
    assert "apt-get install libboost-dev" in text


@pytest.mark.parametrize(
    "text", ["boost-object-pool", "foonathan", "mystery-pool", "multipool,,loki", "peers,"]
)
def test_refuses_contender_of_another_experiment(text: str) -> None:
    with pytest.raises(UsageError, match="--strategy"):
        plan(Request("utilization", strategies=text))


def test_freed_by_other_needs_shared_contenders() -> None:
    request = Request(
        "contention", options={"freed-by": "other", "threads": "2"}, contenders=True, mallocs="glibc"
    )
    assert row(plan(request)).strategies == ("new-delete", "concurrent-multipool", "pmr-synchronized")


def test_skips_blocks_above_a_contenders_limit() -> None:
    request = Request(
        "contention", options={"threads": "1", "block": "6..7"}, contenders=True, mallocs="glibc"
    )
    able = {row.parameters["block_log2"]: row.strategies for row in plan(request).rows}
    assert "boost-object-pool" in able[6]
    assert "boost-object-pool" not in able[7]
    assert "boost-pool" in able[7]


# ---- from the command line ----------------------------------------------------------------------------

QUICK = ("bench", "utilization", "--total", "30", "--active", "15", "--block", "10", "--reps", "1")


def test_a_run_with_contenders(fake: Any, capsys: Any) -> None:
    assert fake.run(*QUICK, "--strategy", "multipool,peers") == 0
    assert [row.strategy for row in fake.rows()] != []
    assert {row.strategy for row in fake.rows()} == {
        "new-delete",
        "multipool",
        "pmr-unsynchronized",
        "boost-pool",
    }
    captured = capsys.readouterr()
    assert "loki left out: no loki/SmallObj.h; 'apt-get install libloki-dev'" in captured.err
    assert "_pmr_" in captured.out, "a family of columns"
    assert "'mallard show peers' compares with other libraries" in captured.out
