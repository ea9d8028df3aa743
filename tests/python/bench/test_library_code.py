"""Figures know whether the library has changed since they were measured."""

from __future__ import annotations

from pathlib import Path

from mallard.bench.library_code import fingerprint, hash_sources, measured_files
from mallard.shared.version import source_root


def tree(root: Path, code: str, name: str = "pool.hpp", *, measured: bool = True) -> str:
    headers = root / "include" / "mallard"
    bench = root / "bench"
    headers.mkdir(parents=True, exist_ok=True)
    bench.mkdir(exist_ok=True)
    (headers / name).write_text(code)
    if measured:
        (bench / f"{name}.cpp").write_text(f"#include <mallard/{name}>\n")
    return hash_sources(root)


def test_code_counts_and_comments_do_not(tmp_path: Path) -> None:
    first = tree(tmp_path, "int f() { return 1; } // one\n")
    assert len(first) == 12
    assert tree(tmp_path, "// Returns: one.\nint f() {\n    return 1;\n}\n") == first
    assert tree(tmp_path, "int f() { return 2; }\n") != first


def test_a_header_that_the_runner_includes_counts(tmp_path: Path) -> None:
    first = tree(tmp_path, "int a;\n")
    assert tree(tmp_path, "int a;\n", "another.hpp", measured=False) == first
    second = tree(tmp_path, '#include "mallard/another.hpp"\n')
    assert second != first
    tree(tmp_path, "int b;\n", "another.hpp", measured=False)
    assert hash_sources(tmp_path) not in (first, second)


def test_the_umbrella_does_not_count(tmp_path: Path) -> None:
    tree(tmp_path, "#include <mallard/other.hpp>\n", "mallard.hpp")
    assert tree(tmp_path, "int a;\n", "other.hpp", measured=False) == ""


def test_fingerprint_is_empty_without_source_tree(tmp_path: Path) -> None:
    assert hash_sources(tmp_path) == ""


def test_source_tree_has_a_fingerprint() -> None:
    names = {file.name for file in measured_files(source_root())}
    assert len(fingerprint()) == 12
    assert {"multipool.hpp", "counted.hpp", "chunk_cache.cpp", "pool_front.hpp"} <= names
    assert "failing.hpp" not in names
