"""Figures know whether the library has changed since they were measured."""

from __future__ import annotations

from pathlib import Path

from mallard.library_code import fingerprint, fingerprint_of


def tree(root: Path, code: str, name: str = "pool.hpp") -> str:
    folder = root / "include" / "mallard"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(code)
    return fingerprint_of(root)


def test_code_counts_and_comments_do_not(tmp_path: Path) -> None:
    first = tree(tmp_path, "int f() { return 1; } // one\n")
    assert len(first) == 12
    assert tree(tmp_path, "// Returns: one.\nint f() {\n    return 1;\n}\n") == first
    assert tree(tmp_path, "int f() { return 2; }\n") != first


def test_a_new_file_counts(tmp_path: Path) -> None:
    first = tree(tmp_path, "int a;\n")
    assert tree(tmp_path, "int a;\n", "another.hpp") != first


def test_beside_an_installed_package_there_is_none(tmp_path: Path) -> None:
    assert fingerprint_of(tmp_path) == ""


def test_the_source_tree_has_one() -> None:
    assert len(fingerprint()) == 12
