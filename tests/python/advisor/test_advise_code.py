"""The code to paste: it compiles for each strategy, with the sizes of the recording."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from advisor_programs import LONGEST
from compiler_flags import WERROR
from profile_rows import amount, figures
from source_tree import ROOT
from synthetic_profile import document
from synthetic_study import candidate, escaping

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.code import (
    BOOST_JSON,
    CONTAINERS,
    NLOHMANN_JSON,
    REMEDIES,
    TypeChange,
    buffer_bytes,
    code_for,
    type_changes,
)
from mallard.advisor.profile.document import read_profile
from mallard.advisor.trial.program import STRATEGIES

EVERY_CHANGE = [
    TypeChange(name, parameters, "handle", "src/s.cpp:9", 100) for _, name, parameters in CONTAINERS
]


UNKNOWN = {"returns": 0, "peak_p50": None, "peak_p99": None, "peak_max": None, "region_bytes": None}
FORMS: dict[str, tuple[Candidate, list[TypeChange]]] = {
    "small": (escaping(), EVERY_CHANGE),
    "large": (candidate(region_bytes=1 << 30), EVERY_CHANGE),
    "without_types": (candidate(), []),
    "without_sizes": (candidate(**UNKNOWN), []),
    "merged": (candidate(exact=False, returns=0, bytes_p50=5e7, bytes_p99=5e7), EVERY_CHANGE[:1]),
}


def test_code_of_every_strategy_compiles(tmp_path: Path):
    """All strategies in one file, each in a namespace, in every form."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("no C++ compiler")
    includes: list[str] = []
    parts: list[str] = []
    for number, strategy in enumerate(STRATEGIES):
        for form, (scope, changes) in FORMS.items():
            lines = code_for(strategy, scope, changes, threads=form == "large").splitlines()
            includes += [line for line in lines if line.startswith("#include")]
            body = [line for line in lines if not line.startswith("#include")]
            parts += [f"namespace of_{number}_{form} {{", *body, "}"]
    file = tmp_path / "pasted.cpp"
    file.write_text("\n".join([*dict.fromkeys(includes), *parts]) + "\n")
    words = [compiler, "-std=c++20", "-Wall", "-Wextra", *WERROR, "-fsyntax-only", f"-I{ROOT / 'include'}"]
    done = subprocess.run([*words, str(file)], capture_output=True, text=True, check=False, timeout=LONGEST)
    assert done.returncode == 0, done.stderr[:3000]


def test_a_library_has_its_own_remedy() -> None:
    """tests/tutorial compiles the code for Boost.JSON, of which most systems have no headers."""
    json_change, other = (TypeChange(name, "", "parse", "s.cpp:9", 9) for name in (BOOST_JSON, NLOHMANN_JSON))
    code = code_for("monotonic", candidate(), [json_change])
    assert code.startswith("#include <boost/json.hpp>\n")
    assert "wink_out<boost::json::value>(\n        mallard::assume_winkable, memory," in code
    assert "boost::json::value document(" in code_for("multipool", candidate(), [json_change])
    assert "std::pmr" not in code
    code = code_for("monotonic", candidate(), [other])
    assert "nlohmann::json becomes a nlohmann::basic_json with a mallard::static_allocator: parse" in code
    assert "std::pmr" not in code


def test_buffer_fits_a_call():
    assert buffer_bytes(candidate(region_bytes=5_900)) == 8192
    assert buffer_bytes(candidate(region_bytes=10)) == 256
    assert buffer_bytes(candidate(region_bytes=1 << 20)) == 0
    assert buffer_bytes(candidate(returns=0, peak_p99=4096.0)) == 4096
    assert buffer_bytes(candidate(returns=0, peak_p99=None)) == 0


def test_merged_calls_do_not_size_the_buffer() -> None:
    """The merged calls look like one call that makes all blocks of the run."""
    scope = candidate(region_bytes=9_708, bytes_p50=56e6, bytes_p99=56e6)
    assert buffer_bytes(scope) == 16384
    code = code_for("monotonic", scope, [])
    assert "// As recorded, a call needs at most 9.48 KiB." in code
    never_empty = candidate(exact=False, returns=0, bytes_p50=5.6e6, bytes_p99=5.6e6)
    assert buffer_bytes(never_empty) == 8192
    code = code_for("monotonic", never_empty, [])
    assert "// As recorded, a call needs at most 5.00 KiB, the most that lived together:\n" in code


def test_buffer_serves_the_99th_percentile():
    scope = candidate(region_bytes=40_000, bytes_p50=900.0, bytes_p99=3_000.0)
    assert buffer_bytes(scope) == 4096
    text = code_for("monotonic", scope, [])
    assert (
        "// As recorded, half of the calls need at most 900 B, 99 of 100 at most 2.93 KiB, the largest"
        in text
    )
    assert "which are kept from call to call: up to 35.1 KiB a thread." in text
    large = code_for("monotonic", candidate(bytes_p50=100_000.0, bytes_p99=1e6, region_bytes=1 << 21), [])
    assert "memory{mallard::monotonic_options{.growth = {.first_chunk_bytes = 131072}}};" in large
    pool = code_for("multipool", candidate(), [])
    assert (
        "half of the calls need at most 1.00 KiB, 99 of 100 at most 4.00 KiB, the largest at most 5" in pool
    )


def test_code_uses_the_types_of_the_profile():
    string = TypeChange("string", "", "handle", "src/s.cpp:9", 100)
    assert "auto& c0 = mallard::wink_out<std::pmr::string>(memory);" in code_for(
        "monotonic", candidate(), [string]
    )
    assert "static_assert(std::uses_allocator_v<decltype(c0)" in code_for("heap", candidate(), [string])


def test_rejects_wink_out_of_owning_types(tmp_path: Path):
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("no C++ compiler")
    vector = TypeChange("vector", "T", "handle", "src/s.cpp:9", 100)
    owns = tmp_path / "owns.cpp"
    code = code_for("monotonic", candidate(), [vector])
    owns.write_text("#include <string>\n" + code.replace("vector<int>", "vector<std::string>"))
    words = [compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", str(owns)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONGEST)
    assert done.returncode != 0
    assert "wink_out_would_leak" in done.stderr or "wink_out: " in done.stderr


SCOPE_NAMES = (
    "handle(query)",
    "std::map<int, int>::emplace(int)",
    "std::__cxx11::string::_M_create()",
    "main",
)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (SCOPE_NAMES, ["std::string", "std::map<Key, T>"]),
        ((SCOPE_NAMES[0], "nlohmann::detail::parser::parse()", *SCOPE_NAMES[2:]), [NLOHMANN_JSON]),
        ((*SCOPE_NAMES[:2], "boost::json::object::insert()", "main"), [BOOST_JSON, "std::map<Key, T>"]),
        ((*SCOPE_NAMES[:3], "nlohmann::detail::calls_the_scope()"), ["std::string", "std::map<Key, T>"]),
    ],
)
def test_type_changes_come_from_stacks_in_scope(names: tuple[str, ...], expected: list[str]) -> None:
    site = {
        "place": 0,
        "figures": figures(500, 8000, 1.0),
        "stacks": [{"stack": 0, **amount(500, 8000)}],
        "contexts": 1,
        "owners": [],
        "peak_bytes": 10,
        "returns": 3,
    }
    profile_document = document(
        functions=[{"name": name, "object": "/srv/x", "file": "x.cpp", "line": 1} for name in names],
        places=[{"function": index, "file": "x.cpp", "line": 40, "inlined": False} for index in range(4)],
        stacks=[[2, 1, 0, 3], [1, 0, 3], [1, 3]],
        sites=[
            site,
            site | {"stacks": [{"stack": 1, **amount(9, 9)}]},
            site | {"stacks": [{"stack": 2, **amount(1, 1)}]},
        ],
    )
    changes = type_changes(
        read_profile(json.dumps(profile_document)), candidate(function=0, allocations=1000)
    )
    assert [
        change.container if change.container in REMEDIES else change.was for change in changes
    ] == expected
    assert changes[0].source == "x.cpp:40"
    assert TypeChange("map", "Key, T", "f", "", 1).becomes == "std::pmr::map<Key, T>"


def test_escaping_sites_stay_global():
    text = code_for("monotonic", escaping(), [])
    assert "//   remember (cache.cpp:12)" in text
    assert "mallard::wink_out<std::pmr::vector<int>>(memory)" in text
    assert "wink_out" not in code_for("heap", candidate(), [])


@pytest.mark.parametrize(
    ("changes", "wrapped"),
    [
        ({}, "the function"),
        ({"returns_each_time": False}, "the function, or of a round of its loop"),
        ({"returns_each_time": False, "rank": 4}, "a round of the loop"),
    ],
)
def test_code_has_a_place_for_what_ends(changes, wrapped):
    assert f"// ... the code of {wrapped}\n" in code_for("monotonic", candidate(**changes), [])
    assert "// ... the code of the function\n" in code_for("multipool", candidate(**changes), [])
