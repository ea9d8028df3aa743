"""One Chromium for each module of tests in a browser, and a page that has to be quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Page, find

PROGRAM = find()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no Chromium found: install the package 'chromium' or set $CHROMIUM to its program")
    with Browser(PROGRAM) as running:
        yield running


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The module's `report`, opened; it may neither fail nor ask for anything from elsewhere."""
    opened = Page(browser).open(report)
    yield opened
    assert opened.errors == []
    assert opened.requests == []
