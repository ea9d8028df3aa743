"""The page of a profile: one file, its figures, its escapes, its size."""

from __future__ import annotations

import base64
import json
import random
import re
import zlib
from typing import Any

import pytest
from page_reader import Reader, read, words
from profile_rows import amount, scope
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.document import Node, read_profile
from mallard.advisor.view.html.profile import MOST_BYTES, profile_page
from mallard.advisor.view.html.profile.charts import nice_top
from mallard.advisor.view.html.profile.flame import layout, widths
from mallard.shared.errors import UsageError

DOCUMENTS = {
    "all": document,
    "empty": empty,
    "withheld": withheld,
    "hostile": hostile,
    "in depth": lambda: document(scope=in_depth()),
}


def render_page(profile: dict[str, Any]) -> str:
    return profile_page(read_profile(json.dumps(profile)))


def page_data(page: str) -> dict[str, Any]:
    packed = re.search(r'id="profile-data"[^>]*>([^<]*)<', page)
    assert packed
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return data


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
    assert "url(" not in page
    links = {str(attributes["href"])[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links <= set(parsed.ids)


def test_the_summary_has_the_figures_of_the_terminal() -> None:
    summary = texts(render_page(document()))["summary"]
    for part in (
        "stacks complete 99.98 % 2.40 M events; 500 end in code without a description",
        "time in the allocator 8.4 % 7.9 to 8.9 % at 95 %; 4,096 operations timed",
        "allocations 1.20 M",
        "peak 91.6 MiB",
        "alive at the end 60,000",
        "V variation 0.71",
    ):
        assert part in summary


def test_every_part_has_a_section() -> None:
    sections = texts(render_page(document()))
    assert "clang::ParseAST" in sections["scopes"]
    assert "\u2264 98 %" in sections["scopes"]
    assert "412 smaller scopes not listed." in sections["scopes"]
    assert "loop in" in sections["unowned"]
    assert "clang::ASTContext" in sections["unowned"]
    assert "by another thread" in sections["pairs"]
    assert "alive at the end" in sections["pairs"]
    assert "The peak is 91.6 MiB after 2.10 s." in sections["timeline"]
    assert "Bytes allocated meanwhile" in sections["lifetimes"]
    assert "Stacks cannot tell apart two calls" in sections["definitions"]
    assert "scope" not in sections


def test_requested_scope_comes_first() -> None:
    page = render_page(document(scope=in_depth()))
    parsed = read(page)
    assert parsed.ids.index("scope") < parsed.ids.index("scopes")
    assert "clang::ParseAST in depth" in texts(page)["scope"]


def test_withheld_scopes_are_reported_first() -> None:
    page = render_page(withheld())
    assert "Scopes are withheld: 61 % of the stacks are complete; scopes need 95 %." in page
    assert "scopes" not in read(page).ids
    assert "No lines of scopes: scopes are withheld." in texts(page)["timeline"]


def test_an_empty_process_has_a_summary_and_definitions() -> None:
    parts = [name for name in read(render_page(empty())).ids if name not in ("main", "panel", "profile-data")]
    assert parts == ["summary", "definitions"]


def test_the_header_has_the_answer() -> None:
    header = words(render_page(document()).partition("<nav")[0])
    assert "In the allocator: 8.4 % of the time (7.9 to 8.9 %), 71 ns an operation." in header
    assert (
        "Most blocks live and die in clang::ParseAST: 1.10 M allocations; of the freed blocks, "
        "\u2264 98 % are freed before it returns."
    ) in header
    assert "In the allocator" not in words(render_page(empty()).partition("<nav")[0])


def test_each_dimension_has_its_definition() -> None:
    summary = texts(render_page(document()))["summary"]
    assert all(dimension.text in summary for dimension in DIMENSIONS)


def test_marked_scopes_have_a_section() -> None:
    marked = scope(0, 0, 500, 9000, 1.0) | {"name": "<parse>", "kind": "marker", "function": None}
    markers = {
        "scopes": [marked],
        "instances": [],
        "progress": [{"name": "request", "count": 4, "per_second": None, "allocations_between": None}],
        "unmatched_ends": 0,
        "names_lost": 1,
    }
    page = render_page(document(markers=markers))
    assert "<parse>" in texts(page)["marked"]
    assert "request: 4 marks" in texts(page)["marked"]
    assert "1 marker lost the name." in page


def test_hostile_names_stay_text() -> None:
    page = render_page(hostile() | {"scope": in_depth()})
    assert page.count("</script>") == 2
    assert page.count("</style>") == 1
    assert "<b onclick" not in page
    page.encode()
    functions = page_data(page)["functions"]
    assert all(len(full) <= 600 for _, full, _ in functions)


def test_data_has_complete_flame_graph_and_stacks() -> None:
    profile = document()
    data = page_data(render_page(profile))
    assert data["flame"]["bytes"] == [node["bytes"] for node in profile["flame"]["nodes"]]
    assert data["stacks"] == profile["stacks"]
    assert data["timeline"]["lines"][0][0] == "the whole process"
    assert len(data["timeline"]["seconds"]) == 120


def test_page_stays_below_size_limit() -> None:
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz_0123456789<>"

    def long_name() -> str:
        return "".join(draw.choices(letters, k=1500))

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
    monkeypatch.setattr("mallard.advisor.view.html.profile.MOST_BYTES", 20_000)
    with pytest.raises(UsageError, match=r"The page would have .* and at most 19.5 KiB are allowed"):
        render_page(document())


# ---- the flame graph --------------------------------------------------------------------------------------


def node(parent: int | None, bytes_: int, contained: int = 0) -> Node:
    return Node(parent, 0, 1, bytes_, 1, contained, bytes_)


def test_node_is_at_least_as_wide_as_children() -> None:
    nodes = [node(None, 0), node(0, 10), node(1, 8), node(1, 8), node(0, 4)]
    assert widths(nodes, "bytes") == [20, 16, 8, 8, 4]
    assert widths(nodes, "contained") == [0] * 5


def test_children_lie_side_by_side_below_parent() -> None:
    nodes = [node(None, 0), node(0, 4), node(0, 12), node(2, 6)]
    boxes = {box.node: box for box in layout(nodes, widths(nodes, "bytes"))}
    assert (boxes[2].left, boxes[2].width, boxes[2].depth) == (0.0, 0.75, 1)
    assert (boxes[1].left, boxes[1].width) == (0.75, 0.25)
    assert (boxes[3].left, boxes[3].width, boxes[3].depth) == (0.0, 0.375, 2)


def test_invalid_parent_means_root() -> None:
    nodes = [node(None, 0), node(7, 4), node(2, 4), node(-3, 2)]
    boxes = layout(nodes, widths(nodes, "bytes"))
    assert [box.depth for box in boxes] == [0, 1, 1, 1]


def test_without_contained_bytes_the_graph_shows_all_bytes() -> None:
    profile = document()
    for node in profile["flame"]["nodes"]:
        node["contained_bytes"] = 0
    assert page_data(render_page(profile))["flame"]["mode"] == "bytes"


@pytest.mark.parametrize(
    ("most", "top"),
    [(0, 0), (1, 1), (1023, 1024), (96e6, 100 * 2**20), (2**20, 2**20), (5 * 2**30, 6 * 2**30)],
)
def test_the_axis_ends_at_a_round_number(most: float, top: float) -> None:
    assert nice_top(most) == top


def test_the_reader_of_pages_is_strict() -> None:
    with pytest.raises(AssertionError):
        Reader().feed("<p></b>")
