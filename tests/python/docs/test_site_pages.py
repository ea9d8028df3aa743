"""The reference: Doxygen's input for a file, the mended links, the folders that it may be built in."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev.reference import build
from dev.reference.doxygen_input import of_example, of_header, of_page
from dev.reference.mended import mend
from mallard.shared.errors import UsageError

PAGE = Path("docs/library/heap.md")


def test_header_comment_becomes_file_comment() -> None:
    header = "/// A pool.\n#pragma once\n\nnamespace mallard::inline MALLARD_MODE {\n/// Returns: a block.\n"
    text = of_header(header, "pool.hpp")
    assert text == "/// A pool.\n/// \\file\n\nnamespace mallard {\n/// \\return a block.\n"


def test_mechanism_alias_copies_file_comment() -> None:
    header = "{\n\ntemplate <upstream U>\nclass pool : public checking::by_default<unchecked::pool<U>> {\n"
    text = of_header(header, "pool.hpp")
    assert (
        text == "{\n/// \\copydoc pool.hpp\ntemplate <upstream U>\nclass pool : public unchecked::pool<U> {\n"
    )


def test_example_page_has_first_comment() -> None:
    assert of_example("// A vector.\n//\n// More.\nint main() {}\n", "a.cpp") == (
        "/** \\example a.cpp\nA vector.\n\nMore.\n*/\n"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# The heap", "# The heap {#page_heap}"),
        ("## A block", "## A block {#page_heap-a-block}"),
        ("[pools](pools.md)", "[pools](@ref page_pools)"),
        ("[waves](pools.md#sizes-in-waves)", "[waves](@ref page_pools-sizes-in-waves)"),
        ("[below](#limits)", "[below](@ref page_heap-limits)"),
        ("[start](../README.md)", "[start](index.html)"),
        ("[vector](../examples/vector.cpp)", "[vector](@ref vector.cpp)"),
        ("[all](examples/)", "[all](examples.html)"),
        ("[licence](LICENSE)", "[licence](LICENSE)"),
        ("[paper](https://a.example/p.md)", "[paper](https://a.example/p.md)"),
        ("new-delete@jemalloc", "new-delete\\@jemalloc"),
        ("`new-delete@jemalloc`", "`new-delete@jemalloc`"),
        ("| `a<b> yes\\|no` |", "| <code>a&lt;b&gt; yes&#124;no</code> |"),
        ("    [code](a.md)", "    [code](a.md)"),
    ],
)
def test_a_page_has_names_and_links_by_them(line: str, expected: str) -> None:
    assert of_page(line + "\n", PAGE) == expected + "\n"


def test_code_in_pages_is_unchanged() -> None:
    program = "```sh\n# [a](b.md) @c\n```\n"
    assert of_page(program, PAGE) == program


def test_equal_headings_get_unique_names() -> None:
    assert of_page("## A\n## A\n", PAGE) == "## A {#page_heap-a}\n## A {#page_heap-a-1}\n"


def test_links_to_missing_lines_lead_to_page(tmp_path: Path) -> None:
    (tmp_path / "a_source.html").write_text('<a name="l00001"></a>')
    resolved, dangling = '<a href="a_source.html#l00001">1</a>', '<a href="a_source.html#l00002">2</a>'
    (tmp_path / "b.html").write_text(
        resolved + dangling + '<a href="#nested-classes">Classes</a><a href="#no">no</a>'
    )
    assert mend(tmp_path) == 2
    assert (tmp_path / "b.html").read_text() == (
        resolved + '<a href="a_source.html">2</a>' + "Classes" + '<a href="#no">no</a>'
    )


def test_refuses_folder_with_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="holds other files; name a new folder"):
        build(tmp_path, tmp_path, "0.1.0")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("dear")
    with pytest.raises(UsageError, match="is a file; name a new folder"):
        build(tmp_path, letter, "0.1.0")
    assert letter.read_text() == "dear"


def test_doxygen_is_named_if_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    root = Path(__file__).resolve().parents[3]
    with pytest.raises(UsageError, match="doxygen is not installed: apt-get install doxygen"):
        build(root, tmp_path / "docs", "0.1.0")
    assert list(tmp_path.iterdir()) == []
