"""Names of functions made short, figures as text, and JSON made into a profile."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from profile_rows import flame_node
from synthetic_profile import HOSTILE, document, hostile

from mallard.advisor.profile.document import read_profile
from mallard.advisor.profile.names import Names, short_name
from mallard.shared.errors import UsageError
from mallard.shared.report import figures as formats
from mallard.shared.report.names import fitted, fitted_source

STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<>::push_back"),
        ("void std::vector<int>::_M_realloc_insert<int>(int*, int&&)", "std::vector<>::_M_realloc_insert<>"),
        (f"{STRING}::_M_create(unsigned long&, unsigned long)", "std::string::_M_create"),
        ("(anonymous namespace)::f(int) const", "(anonymous)::f"),
        ("f(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda#1}::operator()"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*)", "operator delete[]"),
        ("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&)", "std::operator<<<>"),
        ("bool operator< <int>(A<int> const&)", "operator<<>"),
        ("A::operator->() const", "A::operator->"),
        ("A::operator unsigned long() const", "A::operator unsigned long"),
        ("decltype(auto) f<int>(int)", "f<>"),
        ("std::enable_if<(3)>(4), int>::type f<int>()", "f<>"),
        ("f(int) [clone .isra.0]", "f"),
        ("f[abi:cxx11](int)", "f"),
        ("non-virtual thunk to A::f()", "A::f"),
        ("main", "main"),
        ("libLLVM-16.so.1+0x1234", "libLLVM-16.so.1+0x1234"),
        ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place<>"),
        ("a<b", "a<b"),
        ("", "?"),
    ],
)
def test_a_short_name_has_neither_types_nor_parameters(name: str, expected: str) -> None:
    assert short_name(name) == expected


@pytest.mark.parametrize("name", ["<" * 10**6, "(" * 10**6, "a<b>(" * 10**5, "operator<" * 10**5, HOSTILE])
def test_names_that_nest_take_no_time(name: str) -> None:
    begin = time.process_time()
    assert short_name(name)
    assert time.process_time() - begin < 5


def test_long_name_drops_outer_namespaces_first() -> None:
    assert fitted("a::b::c", 7) == "a::b::c"
    assert fitted("outer::inner::f", 10) == "\u2026inner::f"
    assert fitted("a_very_long_function", 10) == "a_very_lo\u2026"
    assert [len(fitted("outer::inner::f", width)) <= width for width in range(20)] == [True] * 20


def test_long_source_drops_outer_folders_first() -> None:
    assert fitted_source("lib/Parse/Parser.cpp:12", 30) == "lib/Parse/Parser.cpp:12"
    assert fitted_source("lib/Parse/Parser.cpp:12", 16) == "\u2026/Parser.cpp:12"
    assert fitted_source("lib/Parse/Parser.cpp:12", 6) == "\u2026pp:12"
    assert fitted_source("x", 0) == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0"), (1.5, "1.50"), (99_999, "99,999"), (100_000, "100 k"), (999_960, "1.00 M"), (None, "-")],
)
def test_counts(value: float | None, expected: str) -> None:
    assert formats.count(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (1024**2 - 1, "1.00 MiB"),
        (2.0**90, "1073741824 EiB"),
    ],
)
def test_sizes(value: float, expected: str) -> None:
    assert formats.size(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0, "0 %"), (1e-6, "<0.1 %"), (0.0251, "2.5 %"), (0.5, "50 %")),
        *((0.9951, "99.5 %"), (0.99999, ">99.9 %"), (1, "100 %")),
    ],
)
def test_shares_never_round_to_0_or_100(value: float, expected: str) -> None:
    assert formats.share(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0 s"), (1e-12, "0.00 ns"), (2.5e-6, "2.50 us"), (0.012, "12.0 ms"), (90, "90.0 s")],
)
def test_times(value: float, expected: str) -> None:
    assert formats.seconds(value) == expected


def test_missing_numbers_are_dashes() -> None:
    every = (
        formats.count,
        formats.size,
        formats.share,
        formats.seconds,
        formats.ratio,
        formats.precise_share,
    )
    assert (
        {formatter(None) for formatter in every} == {formatter(float("nan")) for formatter in every} == {"-"}
    )


# ---- the document -----------------------------------------------------------------------------------------


def test_names_that_would_steer_a_terminal_are_escaped() -> None:
    profile = read_profile(json.dumps(hostile()))
    names = Names(profile)
    shown_names = [names.full(number) for number in range(len(profile.functions))]
    assert all(name.isprintable() for name in shown_names)
    assert "\\x1b[31mred[/]" in shown_names
    assert names.short(2) == "?"


def test_numbers_outside_of_the_tables_are_unknown_names() -> None:
    names = Names(read_profile(json.dumps(document())))
    assert [names.short(number) for number in (-1, 10**9, None)] == ["?"] * 3
    assert names.stack(10**9) == ()
    assert names.place_function(-5) == "?"
    assert names.scope_name(10**9) == "?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no profile"),
        ("{}", "no profile"),
        (json.dumps(document(version=7)), "version 7 of its format, this mallard reads 1"),
        (json.dumps(document(scopes=[{}])), "NOT NULL constraint failed: scopes.activations_seen"),
        (json.dumps(document(scopes=3)), "must be an iterable, not int"),
        (json.dumps(document(scopes=[3])), "wrong profile: 'int' object has no attribute"),
        (json.dumps(document(process=None)), "NOT NULL constraint failed: recordings.process_number"),
        (json.dumps(document(stacks=[["x"]])), "cannot store TEXT value in INTEGER column stacks.place"),
        (json.dumps(document(figures=None)), "wrong profile: 'NoneType' object"),
        (
            json.dumps(document(flame={"nodes": [flame_node(0, 0, 1)]})),
            "CHECK constraint failed: parent < id",
        ),
        (json.dumps(document(warnings=[{}])), "(table warnings)"),
        (json.dumps(document(scope=3)), "wrong profile: 'int' object is not"),
        (json.dumps(document(foreign={"frees": 2**63})), "a number of table recordings is too large"),
        (json.dumps(document(foreign={"frees": float("nan")})), "nan is not a finite number"),
        (json.dumps(document()).replace("2.31", "1e999", 1), "inf is not a finite number"),
    ],
)
def test_wrong_profile_names_the_faulty_column(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_profile(text)
    assert message in str(refused.value)
    assert "build it again" in str(refused.value)


def test_fields_of_a_later_version_are_ignored() -> None:
    changed: dict[str, Any] = document(news={"a": 1})
    changed["process"]["news"] = 1
    assert read_profile(json.dumps(changed)).process.number == 4242
