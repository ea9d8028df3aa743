"""Exports of blocks by their stacks: those of the example, and what other tools read of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT

from mallard.advisor.profile.dhat import dhat
from mallard.advisor.profile.pprof import KINDS, pprof
from mallard.advisor.profile.stacks import DEEPEST, FOLDED, MOST, Stacks, folded, units
from mallard.shared.errors import UsageError

EXAMPLE = ROOT / "advisor/tests/profiler/export/example.json"
TICKLESS = [1, "", None, 0, 0, 0, 1]
INLINED = [
    [0, 0x1000, 1, "a.so", "inner()", "inner", "a;b.hpp", 7, True],
    [0, 0x1000, 1, "a.so", "middle()", "middle;1", "a;b.hpp", 8, True],
    [0, 0x1000, 1, "a.so", "outer()", "outer", "a.cpp", 9, False],
]
COUNTS = [1, 100, 1, 100, 0, 0, 1, 100, 5]


def stacks(**tables: Any) -> Stacks:
    """The example with other rows."""
    return Stacks(json.dumps(json.loads(EXAMPLE.read_text(encoding="utf-8")) | tables))


def decoded(message: bytes) -> dict[int, list[Any]]:
    """The numbers and bytes of a message of protocol buffers by their fields."""
    fields: defaultdict[int, list[Any]] = defaultdict(list)
    numbers = iter(message)
    for key in iter(lambda: number(numbers), None):
        value = number(numbers)
        assert value is not None
        fields[key >> 3].append(bytes(next(numbers) for _ in range(value)) if key & 7 == 2 else value)
    return fields


def number(numbers: Any) -> int | None:
    """None at the end."""
    result = shift = 0
    for byte in numbers:
        result |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return result
    return None


def packed(message: bytes) -> list[int]:
    numbers = iter(message)
    return list(iter(lambda: number(numbers), None))


def profile(of: Stacks) -> tuple[dict[int, list[Any]], list[str]]:
    """The fields of pprof's profile, and its strings."""
    fields = decoded(zlib.decompress(b"".join(pprof(of)), 31))
    return fields, [text.decode() for text in fields[6]]


@pytest.mark.parametrize("name", [*FOLDED, "dhat"])
def test_text_is_that_of_the_example(name: str) -> None:
    text = dhat(stacks()) if name == "dhat" else folded([stacks()], FOLDED[name])
    assert "".join(text) == EXAMPLE.with_suffix(f".{name}").read_text(encoding="utf-8")


def test_pprof_has_the_sums_and_files_of_the_example() -> None:
    fields, strings = profile(stacks())
    kinds = [decoded(kind) for kind in fields[1]]
    assert [strings[kind[1][0]] for kind in kinds] == list(KINDS)
    samples = [packed(decoded(sample)[2][0]) for sample in fields[2]]
    assert [sum(values) for values in zip(*samples, strict=True)] == [6, 1270, 4, 1060, 2, 70]
    mappings = [decoded(mapping) for mapping in fields[3]]
    assert [strings[mapping[5][0]] for mapping in mappings] == [
        *("/nowhere/app", "/nowhere/libgone.so", "linux-vdso.so.1")
    ]
    assert (mappings[0][2], mappings[0][3]) == ([0x400000], [0x500000])
    assert [strings[comment] for comment in fields[13]] == [
        "Recorded by mallard: process 4242 made-up --fast"
    ]
    functions = {decoded(function)[1][0]: strings[decoded(function)[2][0]] for function in fields[5]}
    places = {}
    for location in map(decoded, fields[4]):
        places[location[1][0]] = [functions[decoded(line)[1][0]] for line in location[4]]
    names = [[places[at] for at in packed(decoded(sample)[1][0])] for sample in fields[2]]
    assert [["libgone.so+0x1fff"], ["libgone.so+0xfff"], ["app+0x400fff"]] in names
    assert names[0] == [["[no stack]"]]


def test_pprof_reads_its_file(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed; Debian's package golang-go has its pprof")
    file = tmp_path / "example.pprof"
    file.write_bytes(b"".join(pprof(stacks())))

    def shown(*options: str) -> str:
        words = ["go", "tool", "pprof", *options, str(file)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    top = shown("-top", "-sample_index=alloc_space")
    assert "of 1270B total" in top
    assert "libgone.so+0x1fff" in top
    assert "of 4 total" in shown("-top", "-sample_index=peak_objects")
    assert "alloc_objects/count alloc_space/bytes[dflt]" in shown("-raw")


def test_folded_stacks_have_the_innermost_frames() -> None:
    """A recursion of that many levels, and one more."""
    names = ["main", "f"]
    frames = [[at, 0x1000 + at, 1, "a.so", name, name, "", 0, False] for at, name in enumerate(names)]
    silent = [0] * len(COUNTS)

    def text(levels: int) -> str:
        calls = [[0, None, "0", *silent]]
        calls += [[at, at - 1, "1", *(COUNTS if at == levels else silent)] for at in range(1, levels + 1)]
        return "".join(folded([stacks(frames=frames, calls=calls)], "allocated_bytes"))

    assert text(DEEPEST - 1) == f"main{';f' * (DEEPEST - 1)} 100\n"
    assert text(DEEPEST) == text(DEEPEST + 9) == f"...{';f' * DEEPEST} 100\n"


def test_inlined_functions_are_frames_of_their_own() -> None:
    inlined = stacks(frames=INLINED, calls=[[0, None, "0", *COUNTS]])
    assert "".join(folded([inlined], "allocated_bytes")) == "outer;middle:1_[i];inner_[i] 100\n"
    document = json.loads("".join(dhat(inlined)))
    assert document["pps"][0]["fs"] == [1, 2, 3]
    assert document["ftbl"][1:3] == ["0x1000: inner (a;b.hpp:7)", "0x1000: middle;1 (a;b.hpp:8)"]
    fields, strings = profile(inlined)
    (location,) = map(decoded, fields[4])
    assert [decoded(line)[2] for line in location[4]] == [[7], [8], [9]]
    assert {"inner()", "inner", "a;b.hpp", "outer()"} <= set(strings)


def test_stacks_with_the_same_frames_are_one() -> None:
    """As after two returns to one line, from which tools see one call."""
    frames = [[0, 0, None, "", "f", "f", "", 0, False], [1, 0, None, "", "f", "f", "", 0, False]]
    two = stacks(frames=frames, calls=[[0, None, "0", *COUNTS], [1, None, "1", *COUNTS]])
    (point,) = json.loads("".join(dhat(two)))["pps"]
    assert (point["tb"], point["tl"], point["fs"]) == (200, 10, [1])
    assert list(folded([two, two], "allocated_blocks")) == ["f 4\n"]


def test_exports_can_be_empty() -> None:
    empty = stacks(exports=[TICKLESS], calls=[], loaded_files=[], frames=[])
    assert list(folded([empty], "allocated_bytes")) == []
    document = json.loads("".join(dhat(empty)))
    assert (document["pps"], document["ftbl"], document["tu"], document["te"]) == ([], ["[root]"], "ticks", 1)
    assert document["cmd"] == "(left out of the trace)"
    fields, strings = profile(empty)
    assert fields[2] == fields[10] == []
    assert strings[fields[13][0]] == "Recorded by mallard: process 1"


def test_pprof_says_that_a_sample_is_not_scaled_up() -> None:
    fields, strings = profile(stacks(exports=[[*TICKLESS[:-1], 8]]))
    assert strings[fields[13][1]] == "One activation in 8 was recorded; no figure is scaled up."


@pytest.mark.parametrize(
    ("ticks", "per_unit", "whole"), [(5, 2.0, 2), (2**63 - 1, 1e-300, MOST), (1, 0.0, MOST), (0, 1e3, 0)]
)
def test_times_are_of_64_bits(ticks: int, per_unit: float, whole: int) -> None:
    assert units(ticks, per_unit) == whole


@pytest.mark.parametrize(
    "tables",
    [
        {"calls": [[0, 0, "0", *COUNTS]]},
        {"calls": [[0]]},
        {"exports": []},
        {"frames": [["0x1", *INLINED[0][1:]]]},
        {"version": 9},
    ],
    ids=["own caller", "short row", "no process", "text", "version"],
)
def test_wrong_stacks_are_refused(tables: Any) -> None:
    with pytest.raises(UsageError, match=r"mallard-profile printed wrong stacks: .*two versions"):
        stacks(**tables)
