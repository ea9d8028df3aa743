"""The reference: Doxygen's input for a file, the mended links, the folders that it may be built in."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.errors import UsageError
from mallard.reference import build
from mallard.reference.doxygen_input import of_example, of_header, of_page
from mallard.reference.mended import mend

PAGE = Path("docs/library/heap.md")


def test_the_comment_of_a_header_is_its_files_and_each_line_stays_a_line() -> None:
    header = "/// A pool.\n#pragma once\n\nnamespace mallard::inline MALLARD_MODE {\n/// Returns: a block.\n"
    made = of_header(header, "pool.hpp")
    assert made == "/// A pool.\n/// \\file\n\nnamespace mallard {\n/// \\return a block.\n"


def test_the_name_of_a_mechanism_has_the_mechanism_as_its_base_and_the_files_comment() -> None:
    header = "{\n\ntemplate <upstream U>\nclass pool : public checking::by_default<unchecked::pool<U>> {\n"
    made = of_header(header, "pool.hpp")
    assert (
        made == "{\n/// \\copydoc pool.hpp\ntemplate <upstream U>\nclass pool : public unchecked::pool<U> {\n"
    )


def test_an_example_is_named_by_its_first_comment() -> None:
    assert of_example("// A vector.\n//\n// More.\nint main() {}\n", "a.cpp") == (
        "/** \\example a.cpp\nA vector.\n\nMore.\n*/\n"
    )


@pytest.mark.parametrize(
    ("line", "made"),
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
def test_a_page_has_names_and_links_by_them(line: str, made: str) -> None:
    assert of_page(line + "\n", PAGE) == made + "\n"


def test_programs_in_a_page_stay_as_they_are() -> None:
    program = "```sh\n# [a](b.md) @c\n```\n"
    assert of_page(program, PAGE) == program


def test_equal_headings_get_names_of_their_own() -> None:
    assert of_page("## A\n## A\n", PAGE) == "## A {#page_heap-a}\n## A {#page_heap-a-1}\n"


def test_links_to_lines_without_an_anchor_lead_to_their_page(tmp_path: Path) -> None:
    (tmp_path / "a_source.html").write_text('<a name="l00001"></a>')
    there, gone = '<a href="a_source.html#l00001">1</a>', '<a href="a_source.html#l00002">2</a>'
    (tmp_path / "b.html").write_text(
        there + gone + '<a href="#nested-classes">Classes</a><a href="#no">no</a>'
    )
    assert mend(tmp_path) == 2
    assert (tmp_path / "b.html").read_text() == (
        there + '<a href="a_source.html">2</a>' + "Classes" + '<a href="#no">no</a>'
    )


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
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
    with pytest.raises(UsageError, match="doxygen is not here; install it: apt-get install doxygen"):
        build(root, tmp_path / "docs", "0.1.0")
    assert list(tmp_path.iterdir()) == []
