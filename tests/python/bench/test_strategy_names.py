"""Names of strategies: the papers' table and numbers."""

from __future__ import annotations

import csv
import re
from importlib import resources

import pytest

from mallard.bench import described
from mallard.bench.analysis import names
from mallard.bench.analysis.labels import column_words, family
from mallard.bench.contenders import CONTENDERS, own_strategies
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.library import LIBRARY, LOCK, LOCKED
from mallard.bench.papers.catalogue import offered
from mallard.bench.result import Row
from mallard.bench.strategy_names import (
    PAPERS,
    WITHDRAWN,
    aliases_for,
    current,
    is_base,
    is_winked,
    mechanism_name,
    of_papers,
    paper_number,
    without_variants,
)
from mallard.cli import main

# Their names in P0089R1, table 1.
MECHANISMS = {
    "global default": "new-delete",
    "new/delete": "new-delete",
    "monotonic": "monotonic",
    "multipool": "multipool",
    "multipool backed by monotonic": "multipool+monotonic",
}
TODAY = {*LIBRARY, *CONTENDERS, *(name for experiment in EXPERIMENTS for name in own_strategies(experiment))}


def test_names_match_the_papers_table() -> None:
    table = resources.files("mallard.bench.papers") / "data" / "strategies.csv"
    composed = {
        row["strategy"]: MECHANISMS[row["allocator"]]
        + ("/base" if row["binding"] == "abstract base" else "")
        + ("/wink" if row["destruction"] == "winked out" else "")
        for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    }
    assert composed == PAPERS


def test_aliases_map_to_current_names() -> None:
    assert set(PAPERS.values()) <= {*TODAY, *WITHDRAWN}
    assert not TODAY & set(WITHDRAWN)
    assert not TODAY & set(PAPERS)
    assert set(aliases_for([*TODAY, *WITHDRAWN])) == set(PAPERS)
    assert aliases_for(["multipool"]) == {"AS7": "multipool"}


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("AS1", "new-delete"),
        ("AS14", "multipool+monotonic/base/wink"),
        ("AS1@jemalloc", "new-delete@jemalloc"),
        ("AS2@tcmalloc", "new-delete/base@tcmalloc"),
        ("multipool/base", "multipool/base"),
        ("AS15", "AS15"),
    ],
)
def test_a_number_becomes_a_name(number: str, name: str) -> None:
    assert current(number) == name
    assert current(name) == name


def test_parses_parts_of_a_name() -> None:
    name = "multipool+monotonic/base/wink"
    assert (mechanism_name(name), is_base(name), is_winked(name), paper_number(name)) == (
        *("multipool+monotonic", True, True, "AS14"),
    )
    plain = "new-delete@jemalloc"
    assert (mechanism_name(plain), is_base(plain), is_winked(plain), paper_number(plain)) == (
        *("new-delete", False, False, ""),
    )
    assert of_papers(3, 6) == ("monotonic", "monotonic/wink", "monotonic/base", "monotonic/base/wink")
    assert len(of_papers()) == 14


def test_locked_multipools_are_variants_of_the_papers() -> None:
    assert [names.plain(name) for name in LOCKED] == list(of_papers(7))
    assert {names.variant(name) for name in LOCKED} == {LOCK}
    assert not names.ranked_strategies(LOCKED)
    assert len({(family(name), column_words(name)) for name in LOCKED}) == len(LOCKED)
    assert set(LOCKED) <= set(described.names_in("density"))
    locality = described.names_in("locality")
    assert [name for name in locality if name in LOCKED] == [name for name in LOCKED if not is_winked(name)]


def test_a_row_of_another_alias_is_equal() -> None:
    assert Row(1, "density", {}, "AS4", 0, 1, "ok") == Row(1, "density", {}, "monotonic/wink", 0, 1, "ok")


@pytest.mark.parametrize("words", [(), ("--all",)])
def test_list_offers_only_measurable_strategies(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main(["show", "strategies", *words]) == 0
    output = capsys.readouterr().out
    assert not any(name in output for name in WITHDRAWN)
    counted = re.search(r"Not here: (\d+) variants", " ".join(output.split()))
    assert counted is None or int(counted[1]) == len(set(offered()) - set(without_variants(offered())))
    assert set(offered()) <= TODAY
