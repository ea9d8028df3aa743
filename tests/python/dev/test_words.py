"""`mallard test WORD`: the files that mention a word, and what is run for it."""

import json
import subprocess

import pytest

from dev.check import Counts, WordStage, words

POOL_TEST = "TEST(pool, grows) {}\nTYPED_TEST(typed_pool, trims) {}\n"
HEAP_TEST = "TEST(heap, is_no_pool) {}\nTEST(heap, merges) { bytes_of_slot(); }\n"
CTEST = {
    "tests": [
        {"name": "unit.1", "properties": [{"name": "LABELS", "value": ["tests/unit/local/pool_test.cpp"]}]},
        {"name": "contract", "properties": [{"name": "LABELS", "value": ["tests/contract/basics.cpp"]}]},
    ]
}


@pytest.fixture
def tests(workplace):
    files = {
        "tests/unit/local/pool_test.cpp": POOL_TEST,
        "tests/unit/local/heap_test.cpp": HEAP_TEST,
        "advisor/tests/trace/reader_test.cpp": "TEST(reader, reads) {}",
        "tests/python/test_table.py": "def test_pool(): pass\ndef test_heap(): pass\n",
        "tests/wheel/test_pool.py": "def test_pool(): pass\n",
        "tests/equipment/pool.cpp": "void pool();",
    }
    for name, text in files.items():
        path = workplace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return workplace


def test_a_word_is_looked_for_in_names_first(tests):
    found = {str(each.file): each.entire_file for each in words.mentions(tests.root, "pool")}
    assert found == {
        "tests/python/test_table.py": False,
        "tests/unit/local/heap_test.cpp": False,
        "tests/unit/local/pool_test.cpp": True,
    }


def test_an_unmatched_word_searches_texts(tests):
    (found,) = words.mentions(tests.root, "bytes_of_slot")
    assert (str(found.file), found.suites, found.entire_file) == (
        "tests/unit/local/heap_test.cpp",
        {"heap"},
        True,
    )
    assert words.mentions(tests.root, "bytes_of") == []


def test_a_word_runs_its_programs_and_files(tests, monkeypatch):
    called = []
    listing = subprocess.CompletedProcess([], 0, json.dumps(CTEST), "")
    monkeypatch.setattr(words, "configure", lambda *_: True)
    monkeypatch.setattr(words.subprocess, "run", lambda *_, **__: listing)
    monkeypatch.setattr(words, "build_and_test", lambda *given: called.append(given[1:]) or Counts(passed=2))
    monkeypatch.setattr(words, "run_pytest", lambda *given: called.append(given[1:]) or Counts(passed=1))
    assert WordStage("pool", "").run(tests).passed == 3
    filters = "*pool*:pool[./]*:*/pool[./]*:typed_pool[./]*:*/typed_pool[./]*"
    assert called == [
        ("asan", ["unit"], r"^(unit)(\.|$)", {"GTEST_FILTER": filters}),
        ("pool", ["tests/python/test_table.py", "-k", "pool"], "load"),
    ]
