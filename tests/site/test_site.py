"""The documentation as a site: links, pages, what a browser requests, and the reference by Doxygen."""

import re
import subprocess
import sys
from html import unescape

import pytest
from browser import Browser, Page, find
from html_links import dead_links
from looks import contrast, overflow
from source_tree import ROOT, files

from dev.site.pages import place

WORDS = re.compile(r"<[^>]*>")
# Elements that load a file by themselves; a link that a reader follows is none.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|link(?! rel=\"(?:canonical|search|index|next|prev)\"))\b[^>]*", re.I
)
FOREIGN = re.compile(r"(?:src|href)=\"(?:https?:)?//|@import|url\((?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built into a folder with a blank in its name, as a home folder may have one."""
    folder = tmp_path_factory.mktemp("a site") / "docs"
    command = [sys.executable, "-m", "mallard", "docs", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "python")
    if "check the network" in done.stderr:
        pytest.skip("pip cannot install the packages of docs/site/requirements.txt")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{folder}/index.html: ")
    # Doxygen takes a union with an initialiser for a macro, but shows it.
    expected = ("parsing initializer list", "installing Sphinx")
    warnings = [line for line in done.stderr.splitlines() if not any(text in line for text in expected)]
    assert warnings == []
    return folder


@pytest.fixture(scope="module")
def chromium():
    program = find()
    if program is None:
        pytest.skip("no Chromium found: install the package 'chromium' or set $CHROMIUM to its program")
    with Browser(program) as running:
        yield running


def page_words(page):
    return " ".join(unescape(WORDS.sub(" ", page.read_text(encoding="utf-8"))).split())


def test_no_link_is_dead(site):
    assert dead_links(site) == []


def test_every_document_is_a_page_with_tables(site):
    for document in files("*.md", under="docs"):
        page = site / place(document).with_suffix(".html")
        lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
        assert lines[0].removeprefix("# ").replace("`", "") in page_words(page)
        tables = sum(line.lstrip().startswith(("|---", "| ---")) for line in lines)
        assert page.read_text(encoding="utf-8").count('<table class="docutils') == tables, document


def test_loads_nothing_from_other_hosts(site):
    for page in site.rglob("*.html"):
        tags = LOADED.findall(page.read_text(encoding="utf-8"))
        assert [tag for tag in tags if FOREIGN.search(tag)] == [], page
    styles = [path for path in site.rglob("*.css") if FOREIGN.search(path.read_text(encoding="utf-8"))]
    assert styles == []


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "library/allocators.html", "benchmark/losses.html", "search.html?q=rewind"),
        *("source/examples/numa_node.cpp.html", "reference/index.html"),
        *("live/report.html", "live/advice.html"),
    ],
)
def test_browser_requests_only_files(chromium, site, name):
    file, mark, query = name.partition("?")
    opened = Page(chromium).open(site / file, mark + query)
    opened.wait_until_drawn()
    assert [url for url in opened.requests if not url.startswith("file://")] == []
    assert opened.errors == []
    chromium.close_tabs()


def test_search_finds_a_page_offline(chromium, site):
    opened = Page(chromium).open(site / "search.html", "?q=fragmentation")
    opened.wait_until("document.querySelectorAll('#search-results li a').length > 0")
    targets = opened.evaluate("[...document.querySelectorAll('#search-results li a')].map(a => a.href)")
    assert any(target.split("?")[0].endswith("benchmark/fragmentation.html") for target in targets)
    assert not any("/source/" in target for target in targets)
    chromium.close_tabs()


@pytest.mark.parametrize("name", ["index.html", "benchmark/contenders.html", "library/other_libraries.html"])
@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_the_screen(chromium, site, name, width):
    opened = Page(chromium, width=width, height=800).open(site / name)
    opened.wait_until_drawn()
    assert overflow(opened) <= 0
    chromium.close_tabs()


@pytest.mark.parametrize("width", [400, 1280])
def test_a_figure_is_not_broken_into_lines(chromium, site, width):
    opened = Page(chromium, width=width, height=800).open(site / "benchmark/contenders.html")
    opened.wait_until_drawn()
    paragraphs = "[...document.querySelectorAll('td.text-right p:not(:empty)')]"
    heights = opened.evaluate(f"{paragraphs}.map(paragraph => paragraph.offsetHeight)")
    assert len(set(heights)) == 1
    chromium.close_tabs()


def test_code_can_be_read(chromium, site):
    """By the contrast that WCAG 2 requires of text."""
    opened = Page(chromium).open(site / "readme.html")
    opened.wait_until_drawn()
    background = opened.evaluate("getComputedStyle(document.querySelector('.highlight')).backgroundColor")
    words = "[...document.querySelectorAll('.highlight pre, .highlight pre span')]"
    colours = opened.evaluate(f"{words}.map(word => getComputedStyle(word).color)")
    assert min(contrast(colour, background) for colour in set(colours)) >= 4.5
    chromium.close_tabs()


def test_the_live_report_has_all_experiments(site):
    words = page_words(site / "live/report.html")
    assert "adaptive-pool" in words
    assert "heap-churn" in words


def test_a_mechanism_shows_picture_members_and_labels(site):
    words = page_words(site / "reference/classmallard_1_1multipool.html")
    for expected in ("Data model:", "Invariants:", "front_", "largest_pooled_bytes", "Effects", "Returns"):
        assert expected in words
    assert "by_default" not in words
    assert "MALLARD_MODE" not in words


def test_lists_every_header_and_example(site):
    pages = {path.name for path in (site / "reference").iterdir()}
    encoded = {
        file: file.name.replace("_", "__").replace(".", "_8") for file in files("*.hpp", under="include")
    }
    assert [str(file) for file, name in encoded.items() if not any(name in page for page in pages)] == []
    shown = page_words(site / "reference/examples.html")
    assert [str(file) for file in files("*.cpp", under="examples") if file.name not in shown] == []
