"""Contenders: their table, their selection, and the messages about missing ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mallard import mallocs
from mallard.analysis.labels import family
from mallard.analysis.names import contestants, in_table_order, ours
from mallard.contenders import CONTENDERS, GROUPS, LIBRARIES, PEERS, peer_of
from mallard.errors import UsageError
from mallard.expected_runner import expected_runner
from mallard.experiments import EXPERIMENTS
from mallard.papers.catalogue import Strategy, strategy_text
from mallard.plan import Host, Plan, PlannedRow, Request, make_plan
from mallard.runner import Described, Limit, Missing, Runner

NO_BOOST = Missing("boost-pool", "libboost-dev", "no boost/pool/pool.hpp")
THEN = "then './mallard bench density' builds"
NO_LOKI = Missing("Loki", "libloki-dev", "no loki/SmallObj.h")


# ---- the table ----------------------------------------------------------------------------------------


def test_every_contender_is_of_a_library_and_in_known_experiments() -> None:
    for name, each in CONTENDERS.items():
        assert each.library in LIBRARIES, name
        assert each.experiments, name
        assert set(each.experiments) <= set(EXPERIMENTS), name
        assert each.label == each.label.strip(), name
        assert max(map(len, each.heads)) < 14, "a column of a terminal"
    assert {each.library for each in CONTENDERS.values()} == set(LIBRARIES)


def test_what_can_be_missing_names_its_package_and_header() -> None:
    for library in LIBRARIES.values():
        assert bool(library.package) == bool(library.header), library.name


def test_columns_of_a_library_can_be_told_apart() -> None:
    heads = [(each.library, each.heads) for each in CONTENDERS.values()]
    labels = [(each.library, each.label) for each in CONTENDERS.values()]
    assert len(set(heads)) == len(set(labels)) == len(CONTENDERS)


def test_words_select_whole_libraries() -> None:
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
    assert peer_of(strategy) == peer
    assert peer == "" or peer in PEERS


def test_what_is_mallards_own() -> None:
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
    assert contestants(names) == ["new-delete", "multipool", "concurrent-multipool"]
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
    gone = {name for each in missing for name in (each.name, each.name.lower())}
    offered = [name for name in ("boost-pool", "boost-pmr-unsynchronized", "loki") if name not in gone]
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


def row(found: Plan) -> PlannedRow:
    return found.rows[0]


def test_without_asking_no_contender_is_measured() -> None:
    assert row(plan(Request("utilization"))).strategies == ("null", "new-delete", "multipool")
    assert row(plan(Request("primitives"))).strategies == ("new-delete", "multipool")
    assert plan(Request("utilization"), NO_BOOST).messages == (), "nor is a missing one told of"


def test_contenders_come_beside_the_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mallocs, "find_library", lambda name: None if name == "tcmalloc" else Path("there"))
    found = plan(Request("utilization", contenders=True))
    assert row(found).strategies == (
        *("null", "new-delete", "multipool", "boost-pool", "boost-pmr-unsynchronized", "loki"),
        *("new-delete@jemalloc", "new-delete@mimalloc"),
    )
    assert found.messages == (
        "tcmalloc is left out: its library is not here; 'apt-get install libtcmalloc-minimal4' has it",
    )


def test_contenders_come_beside_a_selection() -> None:
    found = plan(Request("utilization", strategies="multipool", contenders=True, mallocs="glibc"))
    assert row(found).strategies == (
        "new-delete",
        "multipool",
        "boost-pool",
        "boost-pmr-unsynchronized",
        "loki",
    )


def test_contenders_come_beside_the_strategies_of_a_grid() -> None:
    found = plan(Request("locality", contenders=True, mallocs="glibc"))
    with_pools = ("new-delete", "multipool", "fixed-pool", "static-pool", "loki")
    assert {each.strategies for each in found.rows} == {with_pools}
    notation = ("-20", "18", "32", "-3", "8")
    found = plan(Request("locality", contenders=True, mallocs="glibc", notation=notation))
    assert row(found).strategies == with_pools
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


def test_what_is_missing_is_said_in_a_line_and_the_run_goes_on() -> None:
    found = plan(Request("utilization", strategies="multipool,peers"), NO_BOOST, NO_LOKI)
    assert row(found).strategies == ("new-delete", "multipool", "boost-pmr-unsynchronized")
    assert found.messages == (
        "new-delete is measured as well: every ratio is to it",
        f"boost-pool left out: no boost/pool/pool.hpp; 'apt-get install libboost-dev', {THEN} it in",
        f"loki left out: no loki/SmallObj.h; 'apt-get install libloki-dev', {THEN} it in",
    )


def test_one_package_is_one_line() -> None:
    missing = [
        Missing(name, "libfoonathan-memory-dev", "not found")
        for name in ("foonathan-node", "foonathan-array")
    ]
    found = plan(Request("utilization", contenders=True, mallocs="glibc"), *missing)
    install = "'apt-get install libfoonathan-memory-dev'"
    names = "foonathan-node, foonathan-array"
    assert found.messages == (f"{names} left out: not found; {install}, {THEN} them in",)


def test_what_could_take_no_part_is_not_told_of() -> None:
    gone = Missing("boost-allocator-burst", "libboost-container-dev", "not found")
    assert plan(Request("utilization", contenders=True, mallocs="glibc"), gone).messages == ()


def test_where_only_what_is_missing_was_selected_nothing_is_measured() -> None:
    with pytest.raises(UsageError) as error:
        plan(Request("utilization", strategies="loki,boost-pool"), NO_BOOST, NO_LOKI)
    text = str(error.value)
    assert text.startswith("--strategy loki,boost-pool: none of these is here: ")
    assert "apt-get install libloki-dev" in text
    assert "apt-get install libboost-dev" in text


@pytest.mark.parametrize(
    "text", ["boost-object-pool", "foonathan", "mystery-pool", "multipool,,loki", "peers,"]
)
def test_what_an_experiment_does_not_offer_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--strategy"):
        plan(Request("utilization", strategies=text))


def test_what_another_thread_frees_only_shared_contenders_serve() -> None:
    request = Request(
        "contention", given={"freed-by": "other", "threads": "2"}, contenders=True, mallocs="glibc"
    )
    assert row(plan(request)).strategies == ("new-delete", "concurrent-multipool", "pmr-synchronized")


def test_blocks_that_a_contender_is_not_compiled_for_are_not_asked_of_it() -> None:
    request = Request("contention", given={"threads": "1", "block": "6..7"}, contenders=True, mallocs="glibc")
    able = {each.parameters["block_log2"]: each.strategies for each in plan(request).rows}
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
    told = capsys.readouterr()
    assert "loki left out: no loki/SmallObj.h; 'apt-get install libloki-dev'" in told.err
    assert "_pmr_" in told.out, "a family of columns"
    assert "'mallard peers' compares with other libraries" in told.out


def test_a_run_without_them(fake: Any, capsys: Any) -> None:
    assert fake.run(*QUICK, "--strategy", "multipool") == 0
    told = capsys.readouterr()
    assert "loki" not in told.err
    assert "mallard peers" not in told.out


def test_the_list_of_contenders(fake: Any, capsys: Any) -> None:
    assert fake.run("list", "contenders", "--all") == 0
    told = " ".join(capsys.readouterr().out.split())
    unspaced = told.replace(" ", "")  # a name that is longer than its column is broken
    assert all(
        each.text.replace(" ", "") in unspaced
        for name, each in CONTENDERS.items()
        if not name.endswith("/wink")
    )
    assert " loki Loki::SmallObjAllocator" in told
    assert "libfoonathan-memory-dev" in told
