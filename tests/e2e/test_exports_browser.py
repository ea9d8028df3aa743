"""DHAT's viewer, which Debian's valgrind brings, opens what mallard exports for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import Browser, Page
from source_tree import ROOT

VIEWERS = ("/usr/libexec/valgrind/dh_view.html", "/usr/lib/valgrind/dh_view.html")
EXAMPLE = ROOT / "advisor/tests/profiler/export/example.dhat"


@pytest.fixture(scope="module")
def viewer() -> Path:
    viewer = next((Path(name) for name in VIEWERS if Path(name).is_file()), None)
    if viewer is None:
        pytest.skip("no dh_view.html found: install the package 'valgrind'")
    return viewer


def load(page: Page, text: str) -> str:
    """Gives the text to the viewer as its button `Load` does. Returns: what it shows."""
    page.evaluate(
        "(() => { const files = new DataTransfer();"
        f"files.items.add(new File([{json.dumps(text)}], 'mallard.dhat'));"
        "gInput.files = files.files; gInput.onchange(); })()"
    )
    shown = page.evaluate(
        "new Promise(done => { const look = () => document.body.innerText.includes('PP 1')"
        " || document.body.innerText.includes('error') ? done(document.body.innerText)"
        " : setTimeout(look, 20); look(); })"
    )
    assert isinstance(shown, str)
    return shown


def test_the_viewer_shows_the_example(browser: Browser, viewer: Path) -> None:
    page = Page(browser).open(viewer)
    shown = load(page, EXAMPLE.read_text(encoding="utf-8"))
    assert "made-up --fast" in shown
    assert "4242" in shown
    assert "t-gmax: 3,000,000 µs (60% of program duration)" in shown
    assert "1,270 bytes" in shown
    assert "At t-gmax: 1,060 bytes (100%) in 4 blocks" in shown
    assert "At t-end:  70 bytes (100%) in 2 blocks" in shown
    assert "libgone.so+0x1fff (in libgone.so)" in shown
    assert "Reads: " not in shown
    assert page.errors == []
