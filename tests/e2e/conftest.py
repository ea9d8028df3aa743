"""One Chromium for the tests in a browser, the pages, and one of them that has to be quiet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, find
from looks_of_runs import write_page, write_runs
from synthetic_page import write_everything
from synthetic_peers import block_rows, object_rows
from synthetic_profile import document, empty, hostile, in_depth, withheld
from synthetic_run import density_rows, failed
from synthetic_study import study

from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.view.advice import advice_report
from mallard.advisor.view.profile import profile_report
from mallard.shared.report.model import Report
from mallard.shared.report.page import report_page

PROGRAM = find()
CRASHED = "multipool+monotonic/base"
STUDY = study(changes=(TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000),))
PROFILES: Mapping[str, dict[str, Any]] = {
    "profile": document(scope=in_depth()),
    "empty profile": empty(),
    "profile without scopes": withheld(),
    "hostile profile": hostile() | {"scope": in_depth()},
}
ADVICE = {"advice": document(), "hostile advice": hostile()}


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
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """By name, which is not that of a file."""
    folder = tmp_path_factory.mktemp("pages")
    write_everything(folder / "everything.db")
    density = [
        row
        for row in density_rows(names=("DS1", "DS2", "DS12"), sizes=(6, 10))
        if (row["parameters"]["ds"], row["strategy"]) != ("DS12", CRASHED)
    ]
    density.append(failed("DS12", 10, CRASHED, 0, "crashed", "signal 11"))
    peers = {"utilization": block_rows(), "small-objects": object_rows(sizes=(1, 4, 16, 64))}
    texts = {
        "report": write_page(folder / "everything.db"),
        "density": write_page(write_runs(folder / "density.db", {"density": density})),
        "peers": write_page(write_runs(folder / "peers.db", peers)),
        **{name: report_page(profile_report(_profile(rows))) for name, rows in PROFILES.items()},
        **{name: report_page(_advice(_profile(rows))) for name, rows in ADVICE.items()},
    }
    files = {name: folder / f"{place}.html" for place, name in enumerate(texts)}
    for name, file in files.items():
        file.write_text(texts[name], encoding="utf-8")
    return files


def _profile(rows: dict[str, Any]) -> Profile:
    return read_profile(json.dumps(rows))


def _advice(profile: Profile) -> Report:
    return advice_report(STUDY, decide(STUDY), profile)


@pytest.fixture
def report(pages: Mapping[str, Path], request: pytest.FixtureRequest) -> Path:
    """The page that the module names."""
    return pages[request.module.PAGE]


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The module's page, opened; it must not report errors or request other resources."""
    opened = Page(browser).open(report)
    opened.wait_until_drawn()
    yield opened
    assert opened.errors == []
    assert opened.requests == []
