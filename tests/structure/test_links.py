"""README and docs: links resolve, named files exist, and every page is reachable from README."""

from pathlib import Path

import pytest
from markdown_pages import anchors, dead_links, links, missing_files, reached
from source_tree import ROOT, files, text

README = Path("README.md")
MOST_README_LINES = 120
PAGES = {file: text(file) for file in files("*.md")}


def exists(file: Path) -> bool:
    return (ROOT / file).exists()


def test_finds_pages_and_links():
    assert len(PAGES) > 15
    assert sum(len(list(links(page))) for page in PAGES.values()) > 50


def test_links_lead_to_files_and_headings():
    assert dead_links(PAGES, exists) == []


def test_pages_name_existing_files():
    assert missing_files(PAGES, exists) == []


def test_every_page_is_reachable_from_the_readme():
    assert set(PAGES) - reached(PAGES, README) == set()


def test_pages_link_every_example():
    linked = {(page.parent / target).name for page, source in PAGES.items() for target in links(source)}
    examples = {file.name for file in files("*.cpp", under="examples")}
    assert len(examples) > 20
    assert examples - linked == set()


def test_the_readme_is_short():
    assert len(PAGES[README].splitlines()) <= MOST_README_LINES


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("# A page\n\n## What it `gains`, and why\n", {"a-page", "what-it-gains-and-why"}),
        ("## Limits\n\n## Limits\n", {"limits", "limits-1"}),
        ("# A\n\n```sh\n# a comment\n```\n", {"a"}),
    ],
)
def test_headings_have_anchors(page: str, expected: set[str]):
    assert anchors(page) == expected


@pytest.mark.parametrize("target", ["docs/no.md", "docs/a.md#no", "#no", "docs/a.md#b-1"])
def test_detects_a_dead_link(target: str):
    pages = {
        README: f"[there]({target}), [a](docs/a.md#b), [host](https://a.example/b)",
        Path("docs/a.md"): "# B\n",
    }
    assert dead_links(pages, pages.__contains__) == [f"README.md: {target}"]


def test_detects_a_missing_file():
    pages = {Path("docs/a.md"): "`b/there.hpp`, `b/gone.hpp` and `*/any.hpp`"}
    assert missing_files(pages, {Path("include/mallard/b/there.hpp")}.__contains__) == [
        "docs/a.md: b/gone.hpp"
    ]


def test_detects_an_unreachable_page():
    pages = {README: "[a](a.md)", Path("a.md"): "[back](README.md)", Path("b.md"): ""}
    assert reached(pages, README) == {README, Path("a.md")}
