"""One Chromium for the tests in a browser, and a page that has to be quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Page, find
from synthetic_page import write_everything

from mallard.cli import main

PROGRAM = find()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no Chromium found: install the package 'chromium' or set $CHROMIUM to its program")
    with Browser(PROGRAM) as running:
        yield running


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A tab that stays open goes on to draw."""
    yield chromium
    chromium.close_tabs()


@pytest.fixture(scope="session")
def report_of_everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_everything(folder / "mallard.db")
    assert main(["show", "page", "-o", str(folder / "report.html"), "--db", str(folder / "mallard.db")]) == 0
    return folder / "report.html"


@pytest.fixture(scope="module")
def report(report_of_everything: Path) -> Path:
    """A module may have another one."""
    return report_of_everything


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The module's `report`, opened; it must not report errors or request other resources."""
    opened = Page(browser).open(report)
    yield opened
    assert opened.errors == []
    assert opened.requests == []
