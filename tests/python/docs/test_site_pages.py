"""The site: pages and links for Sphinx, input for Doxygen, mended links, and the folders that it replaces."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dev import site
from dev.site import build
from dev.site.doxygen_input import of_example, of_header
from dev.site.mended import mend
from dev.site.pages import with_mapped_links, with_navigation, write_pages
from mallard.shared.errors import UsageError


def test_header_comment_becomes_file_comment() -> None:
    opened = "namespace mallard { inline namespace MALLARD_MODE {"
    closed = "}} // namespace mallard::MALLARD_MODE"
    header = f"/// A pool.\n#pragma once\n\n{opened}\n/// Returns: a block.\n{closed}\n"
    text = of_header(header, "pool.hpp")
    assert text == (
        "/// A pool.\n/// \\file\n\nnamespace mallard {\n/// \\return a block.\n"
        "} // namespace mallard::MALLARD_MODE\n"
    )


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
    ("link", "expected"),
    [
        ("pools.md#sizes-in-waves", "pools.md#sizes-in-waves"),
        ("#limits", "#limits"),
        ("../library/heap.md", "../library/heap.md"),
        ("../../README.md", "../readme.md"),
        ("../../include/mallard/README.md#headers", "../library/headers.md#headers"),
        ("../../examples/vector.cpp", "../source/examples/vector.cpp.md"),
        ("../../examples/", "../source/examples.md"),
        ("../images/density.svg", "../images/density.svg"),
        ("https://a.example/p.md", "https://a.example/p.md"),
    ],
)
def test_maps_links(link: str, expected: str) -> None:
    path = Path("docs/benchmark/pools.md")
    assert with_mapped_links(f"[a]({link})\n", path) == f"[a]({expected})\n"
    assert with_mapped_links(f"![a]({link})\n", path) == f"![a]({expected})\n"


@pytest.mark.parametrize(
    "code", ["`[a](../../README.md)`", "    [a](../../README.md)", "```\n[a](../../b.md)\n```"]
)
def test_code_in_pages_is_unchanged(code: str) -> None:
    assert with_mapped_links(f"A\n\n{code}\n", Path("docs/benchmark/pools.md")) == f"A\n\n{code}\n"


def test_sections_of_the_index_are_the_navigation() -> None:
    index = (
        "# All\n\n## First\n\n[a](a.md), [b](b.md#c), [code](a.cpp)\n\n## Second\n\n[b](b.md) [d](d/d.md)\n"
    )
    assert with_navigation(index) == (
        f"{index}\n```{{toctree}}\n:hidden:\n:caption: First\n\nA <a.md>\nB <b.md>\nlive.md\n```\n"
        "\n```{toctree}\n:hidden:\n:caption: Second\n\nD <d/d.md>\n```\n"
    )


def test_linked_files_and_folders_become_pages(tmp_path: Path) -> None:
    root, folder = tmp_path / "tree", tmp_path / "pages"
    for name, text in {
        "docs/images/a.svg": "<svg/>",
        "docs/index.md": "## Start\n\n[code](../examples/), [rules](../LICENSE)\n[page](a.md)",
        "docs/a.md": "# A",
        "examples/b.cpp": "int main() {}\n",
        "examples/unlisted.txt": "",
        "LICENSE": "As is.",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    write_pages(root, folder)
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    assert pages == {
        *("a.md", "index.md", "live.md"),
        *("source/LICENSE.md", "source/examples.md", "source/examples/b.cpp.md"),
    }
    assert "- [b.cpp](examples/b.cpp.md)\n" in (folder / "source/examples.md").read_text()
    assert "\n````cpp\nint main() {}\n````\n" in (folder / "source/examples/b.cpp.md").read_text()


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """A tree with the requirements of Sphinx alone."""
    (tmp_path / "docs/site").mkdir(parents=True)
    (tmp_path / "docs/site/requirements.txt").write_text("sphinx==0\n")
    return tmp_path


def test_makes_the_environment_once_for_a_python(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], remedy: str = "") -> None:
        commands.append(command)
        (settings / "build/site-venv").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(site, "run", run)
    python = site.environment(settings)
    assert python == settings / "build/site-venv/bin/python"
    assert [command[2] for command in commands] == ["venv", "pip"]
    site.environment(settings)
    assert len(commands) == 2
    (settings / "docs/site/requirements.txt").write_text("sphinx==1\n")
    site.environment(settings)
    assert len(commands) == 4
    monkeypatch.setattr("sys.version", "4.0")
    site.environment(settings)
    assert len(commands) == 6
    site.environment(settings.rename(settings.with_name("moved")))
    assert len(commands) == 8


def test_pip_that_fails_leaves_no_stamp(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = subprocess.CompletedProcess([], 1, "", "no network\n")
    works = subprocess.CompletedProcess([], 0, "", "")
    (settings / "build/site-venv").mkdir(parents=True)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: fails if "pip" in command else works)
    with pytest.raises(
        UsageError, match=r"pip ended with exit status 1; check the network(.|\n)*no network$"
    ):
        site.environment(settings)
    assert list((settings / "build/site-venv").iterdir()) == []


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
    (tmp_path / "searchindex.js").touch()
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match=r"holds other files, without a \.mallard-site; name a new folder"):
        build(tmp_path, tmp_path, "0.1.0")
    assert {path.name for path in tmp_path.iterdir()} == {"letter.txt", "searchindex.js"}


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
