"""The browsable reference, built by Doxygen: links, pages, and their contents."""

import re
import subprocess
import sys
from html import unescape

import pytest
from html_links import dead_links
from source_tree import ROOT, files

WORDS = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Built into a folder with a blank in its name, as a home folder may have one."""
    folder = tmp_path_factory.mktemp("a reference") / "docs"
    command = [sys.executable, "-m", "mallard", "docs", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "python")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{folder}/index.html: ")
    # Doxygen takes a union with an initialiser for a macro, but shows it.
    warnings = [line for line in done.stderr.splitlines() if "parsing initializer list" not in line]
    assert warnings == []
    return folder


def page_words(page):
    return " ".join(unescape(WORDS.sub(" ", page.read_text(encoding="utf-8"))).split())


def test_no_link_is_dead(reference):
    assert dead_links(reference) == []


def test_every_document_is_a_page_with_tables(reference):
    for document in files("*.md", under="docs"):
        page = reference / f"page_{document.stem}.html"
        lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
        assert lines[0].removeprefix("# ").replace("`", "") in page_words(page)
        tables = sum(line.startswith(("|---", "| ---")) for line in lines)
        assert page.read_text(encoding="utf-8").count('<table class="markdownTable">') == tables, document


def test_a_mechanism_shows_picture_members_and_labels(reference):
    words = page_words(reference / "classmallard_1_1multipool.html")
    for expected in ("Data model:", "Invariants:", "front_", "largest_pooled_bytes", "Effects", "Returns"):
        assert expected in words
    assert "by_default" not in words
    assert "MALLARD_MODE" not in words


def test_lists_every_header_and_example(reference):
    pages = {path.name for path in reference.iterdir()}
    encoded = {
        file: file.name.replace("_", "__").replace(".", "_8") for file in files("*.hpp", under="include")
    }
    assert [str(file) for file, name in encoded.items() if not any(name in page for page in pages)] == []
    shown = page_words(reference / "examples.html")
    assert [str(file) for file in files("*.cpp", under="examples") if file.name not in shown] == []
