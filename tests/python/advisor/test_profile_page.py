"""The page of a profile: one file, its pictures, its escapes, its size."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from page_reader import Reader, page_data, read, words
from profile_rows import amount, scope
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.profile import profile_report
from mallard.shared.errors import UsageError
from mallard.shared.report.model import Call, nested
from mallard.shared.report.page import MOST_BYTES, report_page
from mallard.shared.report.page_pictures import nice_top

DOCUMENTS = {
    "all": document,
    "empty": empty,
    "withheld": withheld,
    "hostile": hostile,
    "in depth": lambda: document(scope=in_depth()),
}


def render_page(profile: dict[str, Any]) -> str:
    return report_page(profile_report(read_profile(json.dumps(profile))))


def texts(page: str) -> dict[str, str]:
    return {name: words(text) for name, text in read(page).texts.items()}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_page_nests_and_asks_for_nothing(kind: str) -> None:
    page = render_page(DOCUMENTS[kind]())
    parsed = read(page)
    assert len(parsed.ids) == len(set(parsed.ids))
    for tag, attributes in parsed.tags:
        assert tag not in ("img", "iframe", "object", "embed")
        assert not {"src", "onclick", "onload", "onerror"} & set(attributes)
        assert str(attributes.get("href", "#")).startswith(("#", "data:,"))
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page), "only what is on the page"
    links = {str(attributes["href"])[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links <= set(parsed.ids)


def test_a_page_has_what_has_no_room_elsewhere() -> None:
    sections = texts(render_page(document()))
    assert "412 smaller scopes not listed." in sections["scopes"]
    assert "The peak is 91.6 MiB after 2.10 s." in sections["timeline"]
    assert "Bytes allocated meanwhile" in sections["lifetimes"]
    assert "V variation 0.71" in sections["summary"]
    assert all(dimension.text in sections["definitions"] for dimension in DIMENSIONS)
    assert "No lines of scopes: scopes are withheld." in texts(render_page(withheld()))["timeline"]


def test_requested_scope_precedes_the_process() -> None:
    ids = read(render_page(document(scope=in_depth()))).ids
    assert ids.index("clang-parseast-in-depth") < ids.index("summary") < ids.index("scopes")


def test_hostile_names_stay_text() -> None:
    page = render_page(hostile() | {"scope": in_depth()})
    assert page.count("</script>") == 2
    assert page.count("</style>") == 1
    assert "<b onclick" not in page
    page.encode()
    names = page_data(page)["names"]
    assert names
    assert all(len(full) <= 600 for _, full, _ in names)


def test_data_has_complete_flame_graph_and_stacks() -> None:
    profile = document(stacks=[[4, 3, None, *[2] * 9, 1, 0], [5, 7, 1, 0], [6, 0]])
    data = page_data(render_page(profile))
    assert data["flame"]["bytes"] == [node["bytes"] for node in profile["flame"]["nodes"]]
    long = max(data["stacks"], key=len)
    assert [data["names"][number][0] for number in long][-2:] == ["clang::ParseAST", "main"]
    assert len(long) == 13
    assert data["timeline"]["lines"][0][0] == "the whole process"
    assert len(data["timeline"]["seconds"]) == 120


def test_page_stays_below_size_limit() -> None:
    draw = random.Random(1)

    def long_name() -> str:
        return f"<{draw.randbytes(749).hex()}>"

    many = [scope(number, number, 1000, 9000, 0.5) for number in range(700)]
    profile = document(
        functions=[{"name": long_name(), "object": None, "file": long_name(), "line": 1}] * 1000
        + [{"name": long_name(), "object": None, "file": long_name(), "line": 1} for _ in range(500)],
        places=[{"function": at, "file": long_name(), "line": 1, "inlined": False} for at in range(1500)],
        stacks=[[draw.randrange(1500) for _ in range(60)] for _ in range(200)],
        scopes=many,
        pairs=[
            {"allocated": at % 200, "freed": at % 200, **amount(5, 9), "container": at, "thread": "same",
             "mean_lifetime_seconds": None, "mean_lifetime_bytes": None}
            for at in range(400)
        ],
    )  # fmt: skip
    page = render_page(profile)
    assert len(page.encode()) <= MOST_BYTES
    assert "scopes" in read(page).ids


def test_refuses_page_above_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each figure of a document is bounded; the limit of the page is lowered instead."""
    monkeypatch.setattr("mallard.shared.report.page.MOST_BYTES", 20_000)
    with pytest.raises(UsageError, match=r"The page would have .* and at most 19.5 KiB are allowed"):
        render_page(document())


# ---- the flame graph --------------------------------------------------------------------------------------


def call(parent: int, bytes_: int, contained: int = 0) -> Call:
    return Call(parent, None, 1, bytes_, contained, bytes_)


def test_call_is_at_least_as_wide_as_children() -> None:
    """A call with an invalid parent is below the root."""
    calls = [call(-1, 0), call(0, 10), call(1, 8), call(1, 8), call(0, 4), call(9, 1)]
    assert nested(calls, [call.bytes for call in calls]) == [21, 16, 8, 8, 4, 1]


@pytest.mark.parametrize(("field", "mode"), [("contained_bytes", "peak"), ("peak_bytes", "bytes")])
def test_graph_shows_the_peak_or_all_bytes(field: str, mode: str) -> None:
    profile = document()
    for node in profile["flame"]["nodes"]:
        node[field] = 0
    flame = page_data(render_page(profile))["flame"]
    assert flame["mode"] == mode
    assert [name for name, *_ in flame["modes"]] == ["peak", "bytes", "alive", "contained", "operations"]
    assert flame["alive"] == [node["alive_bytes"] for node in profile["flame"]["nodes"]]


def test_sites_have_histograms_of_their_sizes() -> None:
    profile = document()
    page = render_page(profile)
    first = profile["sites"][0]["figures"]["sizes"]
    assert len(first) > 1
    sites = page[page.index('id="sites"') :]
    assert sites.count("<figcaption>Sizes") == len(profile["sites"])
    profile["sites"][0]["figures"]["sizes"] = first[:1]
    assert render_page(profile).count("<figcaption>Sizes") == len(profile["sites"]) - 1


@pytest.mark.parametrize(
    ("most", "top"),
    [(0, 0), (1, 1), (1023, 1024), (96e6, 100 * 2**20), (2**20, 2**20), (5 * 2**30, 6 * 2**30)],
)
def test_the_axis_ends_at_a_round_number(most: float, top: float) -> None:
    assert nice_top(most) == top


def test_the_reader_of_pages_is_strict() -> None:
    with pytest.raises(AssertionError):
        Reader().feed("<p></b>")
