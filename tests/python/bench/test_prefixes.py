"""--with: libraries without a package, by the prefix that each was installed to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT

from mallard.bench.contenders import GROUPS, LIBRARIES
from mallard.bench.described import EXPERIMENTS
from mallard.bench.expected_runner import expected_runner
from mallard.bench.plan import Host, Plan, Request, check_request, make_plan
from mallard.bench.prefixes import for_cmake, selected_prefixes
from mallard.bench.runner import WITH, Missing, Runner, load_builds
from mallard.bench.strategy_names import of_papers
from mallard.cli.measuring import needs_for
from mallard.shared.errors import UsageError

STAND_IN = ROOT / "bench/tests/stand_in/bde"
HEADER = "include/bdlma_multipoolallocator.h"
LIBRARY = "lib/libbdl.a"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A prefix as an installation leaves it."""
    return install(tmp_path / "bde")


def install(prefix: Path, *files: str) -> Path:
    for file in files or (HEADER, LIBRARY):
        (prefix / file).parent.mkdir(parents=True, exist_ok=True)
        (prefix / file).write_text("")
    return prefix


def plan(request: Request, *missing: Missing) -> Plan:
    return make_plan(request, without(*missing), Host(None, 2))


def without(*missing: Missing) -> Runner:
    runner = expected_runner()
    lacking = {name for part in missing for name in GROUPS["bde"] if part.name == "BDE"}
    experiments = {
        name: type(each)(
            tuple(s for s in each.strategies if s.name not in lacking),
            each.limits,
            each.variants,
            each.freed_by_other,
        )
        for name, each in runner.experiments.items()
    }
    return type(runner)(
        runner.path, runner.about, runner.structures, runner.sizes_log2, experiments, tuple(missing)
    )


NO_BDE = Missing("BDE", "", "MALLARD_WITH does not name it")


def test_prefixes_are_absolute(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(prefix.parent)
    monkeypatch.setenv("HOME", str(prefix.parent))
    for item in (f"bde={prefix}", "bde=bde", " bde=~/bde "):
        assert selected_prefixes(item) == {"bde": prefix}
    assert selected_prefixes(None) == {}
    assert for_cmake({"bde": prefix}) == f"bde={prefix}"


@pytest.mark.parametrize("folder", ["lib", "lib64", "lib/x86_64-linux-gnu"])
@pytest.mark.parametrize("ending", ["a", "so"])
def test_libraries_lie_where_installers_put_them(tmp_path: Path, folder: str, ending: str) -> None:
    prefix = install(tmp_path, HEADER, f"{folder}/libbdl.{ending}")
    assert selected_prefixes(f"bde={prefix}") == {"bde": prefix}


@pytest.mark.parametrize("item", ["", "bde", "bde=", "=/opt/bde", "boost=/usr", "BDE=/opt/bde", "/opt/bde"])
def test_unknown_libraries_are_refused(item: str) -> None:
    with pytest.raises(UsageError) as error:
        selected_prefixes(item)
    message = f"--with '{item}' does not name a library and its prefix; allowed are bde=PREFIX"
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ((LIBRARY,), "include has no bdlma_multipoolallocator.h; "),
        ((HEADER,), "lib has no libbdl.a or libbdl.so; "),
        ((HEADER, "lib/libbdlold.a"), "lib has no libbdl.a or libbdl.so; "),
    ],
)
def test_prefixes_without_the_library_are_refused(
    tmp_path: Path, files: tuple[str, ...], reason: str
) -> None:
    prefix = install(tmp_path / "bde", *files)
    with pytest.raises(UsageError) as error:
        selected_prefixes(f"bde={prefix}")
    remedy = "give the prefix that BDE was installed to, with the folders include and lib"
    assert str(error.value) == f"--with 'bde={prefix}': {prefix}/{reason}{remedy}"


def test_missing_prefixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"there is no directory {tmp_path}/none; give the prefix that BDE"):
        selected_prefixes(f"bde={tmp_path}/none")


def test_a_library_has_one_prefix_for_cmake(prefix: Path) -> None:
    with pytest.raises(UsageError, match="bde has two prefixes; give one"):
        selected_prefixes(f"bde={prefix},bde={prefix}")
    semicolon = install(prefix.parent / "b;de")
    with pytest.raises(UsageError, match="CMake takes no path with a semicolon"):
        selected_prefixes(f"bde={semicolon}")


def test_strategies_join_the_defaults(prefix: Path) -> None:
    """The papers' AS3 to AS14 by BDE, in the rows of the papers' own."""
    request = Request("density", options={"ds": "1", "size": "6"}, prefixes=f"bde={prefix}")
    (row,) = plan(request).rows
    alone = plan(Request("density", options={"ds": "1", "size": "6"})).rows[0]
    assert row.parameters == alone.parameters
    assert set(row.strategies) - set(alone.strategies) == set(GROUPS["bde"])
    assert set(GROUPS["bde"]) == {f"bde-{name}" for name in of_papers(3, 14)}


def test_strategies_join_a_selection(prefix: Path) -> None:
    request = Request("utilization", strategies="multipool", prefixes=f"bde={prefix}")
    for row in plan(request).rows:
        assert [name for name in row.strategies if not name.startswith("bde-")] == ["new-delete", "multipool"]
        assert "bde-multipool/base" in row.strategies


def test_named_strategies_are_the_only_ones_of_their_library(prefix: Path) -> None:
    request = Request("locality", strategies="bde-multipool", prefixes=f"bde={prefix}")
    assert {row.strategies for row in plan(request).rows} == {("new-delete", "bde-multipool")}
    with_peers = plan(
        Request("locality", strategies="bde-multipool", prefixes=f"bde={prefix}", contenders=True)
    )
    assert set(GROUPS["bde"]) & set(with_peers.rows[0].strategies) > {"bde-multipool"}


def test_runners_without_the_library_are_refused(prefix: Path) -> None:
    with pytest.raises(UsageError, match="was built without BDE; unset MALLARD_BENCH"):
        plan(Request("density", prefixes=f"bde={prefix}"), NO_BDE)


def test_strategies_without_prefix_name_the_option() -> None:
    with pytest.raises(UsageError) as error:
        plan(Request("density", strategies="bde-multipool"), NO_BDE)
    assert str(error.value).endswith(
        "bde-multipool left out: MALLARD_WITH does not name it; --with bde=PREFIX builds it in"
    )
    planned = plan(Request("density", contenders=True), NO_BDE)
    assert not [message for message in planned.messages if "bde" in message], "nobody has asked for it"


def test_experiments_without_strategies_are_refused(prefix: Path) -> None:
    lacking = [name for name in EXPERIMENTS if not set(EXPERIMENTS[name]["strategies"]) & set(GROUPS["bde"])]
    assert "expansion-forward" in lacking
    with pytest.raises(UsageError) as error:
        check_request(Request("expansion-forward", prefixes=f"bde={prefix}"))
    assert "expansion-forward has no strategy of BDE; leave it out, or run one of programs, density" in str(
        error.value
    )


def test_prefixes_exclude_compilers(prefix: Path) -> None:
    with pytest.raises(UsageError, match="leave one of the two out"):
        check_request(Request("density", compilers="g++", prefixes=f"bde={prefix}"))


def test_runner_with_a_library_is_a_build_of_its_own(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    lines = needs_for(Request("density", prefixes=f"bde={prefix}")).lines()
    assert f"runner {WITH}" in lines
    assert f"with bde={prefix}" in lines
    assert not [line for line in needs_for(Request("density")).lines() if WITH in line or "with" in line]
    monkeypatch.setenv("MALLARD_ROOT", str(prefix))
    with pytest.raises(UsageError, match=f"build/{WITH}/bench/mallard-bench is missing; .*--with"):
        load_builds([], with_prefixes=True)


def test_stand_in_of_the_tests_is_a_prefix() -> None:
    """The runner's tests are compiled with it."""
    assert selected_prefixes(f"bde={STAND_IN}") == {"bde": STAND_IN}


def test_libraries_by_prefix_have_no_package() -> None:
    assert [library.name for library in LIBRARIES.values() if library.by_prefix] == ["BDE"]


def test_survey_takes_no_prefix(fake: Any, capsys: Any, prefix: Path) -> None:
    assert fake.run("bench", "--with", f"bde={prefix}") == 2
    assert "--with: the survey takes only" in capsys.readouterr().err
