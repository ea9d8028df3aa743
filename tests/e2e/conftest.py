"""One Chromium for each module of tests in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser, find

PROGRAM = find()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no Chromium found: install the package 'chromium' or set $CHROMIUM to its program")
    with Browser(PROGRAM) as running:
        yield running
