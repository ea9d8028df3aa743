"""The report of an advice: its answer, bars, duck plot, and the calls that save time."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from page_reader import read
from profile_rows import scope
from report_lines import texts
from synthetic_profile import document, empty, hostile
from synthetic_study import aged, baseline, ceiling, effect, mallocs, pattern, result, study

from mallard.advisor.advice.candidates import line_candidate
from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.patch import Edit, Patch, Patches
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.profile.records import Amount
from mallard.advisor.view.advice import advice_json, advice_report, make_bars
from mallard.advisor.view.sarif import advice_sarif
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import Code, Report
from mallard.shared.report.page import MOST_BYTES, report_page

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)
NOTHING: dict[str, Any] = {"ceiling": ceiling(2.0), "trial": None, "chosen": None, "on_top": None}
KINDS: dict[str, dict[str, Any]] = {
    "local": {"changes": (CHANGE,)},
    "global": {"globals": mallocs(("mimalloc", 36.0, 1.0))},
    "unresolved": {
        "trial": result(baseline(effect("monotonic", 0.2))),
        "globals": mallocs(("mimalloc", 0.1, 1.0)),
        "on_top": None,
    },
    "unmeasured": {
        "trial": result(baseline(failed={"monotonic": "ended by SIGABRT"})),
        "globals": mallocs(failed={"mimalloc": "ended by SIGABRT"}),
        "on_top": None,
    },
    "nothing": {**NOTHING, "globals": mallocs()},
}


def profile(document_rows: dict[str, Any]) -> Profile:
    return read_profile(json.dumps(document_rows))


def render_report(case: Study, profile_document: dict[str, Any] | None = None) -> Report:
    return advice_report(case, decide(case), profile(profile_document or document()))


def render_page(case: Study, profile_document: dict[str, Any] | None = None) -> str:
    return report_page(render_report(case, profile_document))


@pytest.mark.parametrize("kind", KINDS)
def test_page_begins_with_answer_and_loads_nothing(kind: str) -> None:
    case = study(**KINDS[kind])
    page = render_page(case)
    parsed = read(page)
    assert decide(case).kind == kind
    assert render_report(case).answer.text == decide(case).headline
    assert len(parsed.ids) == len(set(parsed.ids))
    for tag, attributes in parsed.tags:
        assert tag not in ("img", "iframe", "object", "embed", "link") or attributes.get("href") == "data:,"
        assert not {"src", "onclick", "onload", "onerror"} & set(attributes)
    links = {str(attributes["href"])[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links <= set(parsed.ids)


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_begins_with_answer(kind: str) -> None:
    case = study(**KINDS[kind])
    text = markdown_report(render_report(case), "mallard advise -- ./server")
    title, command, process, answer, *sections = text.split("\n\n")
    assert title.startswith("# ")
    assert command == "    mallard advise -- ./server"
    assert process.startswith("./server, process 4242")
    assert answer == decide(case).headline
    assert sections[0].startswith("## ")


@pytest.mark.parametrize("kind", KINDS)
def test_sarif_has_measured_findings_first(kind: str) -> None:
    case = study(**KINDS[kind])
    (run,) = json.loads(advice_sarif(case, decide(case)))["runs"]
    results = run["results"]
    assert len(results) == (1 if kind in ("local", "global") else 0) + len(case.patterns)
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {found["ruleId"] for found in results}
    for found in results:
        assert found["level"] == ("warning" if found["properties"]["measured"] else "note")
    if kind == "local":
        assert results[0]["message"]["text"] == decide(case).headline
        place = results[0]["locations"][0]["physicalLocation"]
        assert place["region"] == {"startLine": 88}
        assert place["artifactLocation"]["uri"].endswith("server.cpp")
        properties = results[0]["properties"]
        assert properties["at_least"] <= properties["saved_seconds"] <= properties["at_most"]


def test_page_has_the_figures_before_and_after() -> None:
    text = texts(render_report(study()))["Before and after"]
    assert "as it is" in text
    assert "70.3 ms 38.7 ms saved (37.4 to 40.0 ms) 1.2 x" in text
    assert "Dashed: 63.0 ms" in text


def test_page_has_no_negative_saving() -> None:
    case = study(trial=result(baseline(effect("monotonic", 38.7), effect("heap", -0.4, 0.1))), on_top=None)
    text = texts(render_report(case))
    assert "109 ms costs 0.40 ms (0.30 to 0.50 ms) 1.2 x" in text["Before and after"]
    assert "heap costs 0.40 ms (0.30 to 0.50 ms) 0.37 %" in text["Tried"]


def test_page_without_estimate_draws_no_floor() -> None:
    case = study(ceiling=ceiling(109.0))
    assert not case.ceiling.known
    text = texts(render_report(case))
    assert "Dashed" not in text["Before and after"]
    assert "reaches to the whole run of 109 ms" in text["Figures"]


def test_density_agrees_with_estimate() -> None:
    """A recording by which the allocator takes 98 % of the time, and half of that without the recorder."""
    density = {"raw": 0.98, "scaled": 0.98, "interval": [0.95, 1.05], "ns_per_operation": 100.0}
    handle = scope(1, 1, 250_000, 9000, 1.0)
    handle["figures"] |= {"frees": 250_000, "D": density}
    shown = texts(render_report(study(), document(scopes=[handle])))
    assert "46 % of the time (44 to 49 %)" in shown["Scope"]
    handle["figures"]["D"]["ns_per_operation"] = 280.0
    shown = texts(render_report(study(), document(scopes=[handle])))
    assert "not known: the machine was busy" in shown["Scope"]


def test_bar_ends_at_the_time_minus_saving() -> None:
    bars = {bar.label: bar for bar in make_bars(study(), decide(study()))}
    assert list(bars) == ["as it is", "monotonic", "multipool", "mimalloc", "tcmalloc"]
    assert bars["monotonic"].seconds == pytest.approx(0.109 - 0.0387)
    assert (bars["as it is"].kind, bars["monotonic"].kind, bars["multipool"].kind) == (
        "before",
        "best",
        "local",
    )


def test_a_saving_within_its_interval_is_a_lower_row() -> None:
    wide = study(globals=mallocs(("mimalloc", 50.0, 60.0), ("tcmalloc", 2.0, 1.0)), on_top=None)
    labels = [bar.label for bar in make_bars(wide, decide(wide))]
    assert labels == ["as it is", "monotonic", "multipool", "tcmalloc", "mimalloc"]


def test_unchanged_program_has_the_time_of_the_headline() -> None:
    case = study(globals=mallocs(("mimalloc", 60.0, 1.0), seconds=0.2), on_top=None)
    verdict = decide(case)
    assert "60.0 ms of 200 ms" in verdict.headline
    assert make_bars(case, verdict)[0].seconds == 0.2
    local = study(globals=mallocs(("mimalloc", 2.0, 1.0), seconds=0.2), on_top=None)
    assert make_bars(local, decide(local))[0].seconds == 0.109
    aged_case = study(**NOTHING, globals=mallocs(), aged=(aged(malloc=("mimalloc", 30.0, 1.0)),))
    assert decide(aged_case).answer.age == "old"
    assert make_bars(aged_case, decide(aged_case))[0].seconds == 0.109


def test_page_draws_bars_as_long_as_times() -> None:
    page = render_page(study())
    widths = [float(width) for width in re.findall(r'class="time-bar"><i style="width:([\d.]+)%', page)]
    assert len(widths) == len(re.findall(r'<u style="left:', page)) == 5
    assert widths[1] / widths[0] == pytest.approx(70.3 / 109, abs=0.01)


def test_strategy_that_changes_output_has_no_bar() -> None:
    case = study(trial=result(baseline(effect("monotonic", 38.7), effect("heap", 5.0), differing=("heap",))))
    assert "heap" not in {bar.label for bar in make_bars(case, decide(case))}
    assert "heap (another output)" in texts(render_report(case))["Tried"]


def test_duck_plot_labels_the_dimensions() -> None:
    page = render_page(study())
    (label,) = re.findall(r'aria-label="(The duck of [^"]*)"', page)
    for name in ("density", "variation", "locality", "utilization", "contention"):
        assert name in label
    assert len(re.findall(r'<g class="\w+"><title>\w+: [\d.-]+</title><path d="M', page)) == 6


def test_page_contains_the_code() -> None:
    case = study(changes=(CHANGE,))
    assert render_report(case).sections[-1].blocks == (Code(decide(case).code),)
    assert escape(decide(case).code, quote=False) in render_page(case)


@pytest.mark.parametrize("make_document", [empty, hostile], ids=["empty", "hostile"])
def test_renders_empty_and_hostile_profiles(make_document: Any) -> None:
    page = render_page(study(), make_document())
    assert len(page.encode()) <= MOST_BYTES
    assert "<script>alert" not in page


def test_program_without_allocations_has_no_pictures() -> None:
    case = study(**NOTHING, allocations=0, globals=mallocs())
    shown = advice_report(case, decide(case), None)
    assert [section.title for section in shown.sections] == ["Figures"]
    assert "allocates 0 blocks" in shown.answer.text


def test_page_of_a_kept_block_names_its_line() -> None:
    frame = line_candidate("frame", "src/render.cpp:41", [":1f-20"], Amount(40, 1 << 30))
    case = study(
        chosen=frame, trial=result(baseline(effect("kept-block", 38.7))), on_top=None, globals=mallocs()
    )
    text = texts(render_report(case))
    assert "kept-block in frame()" in text["Before and after"]
    assert "trials in frame() (render.cpp:41)" in text["Tried"]
    (run,) = json.loads(advice_sarif(case, decide(case)))["runs"]
    (found,) = run["results"]
    assert (found["ruleId"], found["level"]) == ("reuse", "warning")
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 41}


@pytest.mark.parametrize(
    ("source", "location"),
    [
        ("src/a b.cpp", {"uri": "src/a%20b.cpp", "uriBaseId": "%SRCROOT%"}),
        ("{root}/lib/../src/b.cpp", {"uri": "src/b.cpp", "uriBaseId": "%SRCROOT%"}),
        ("/usr/include/c++/12/bits/a b.h", {"uri": "file:///usr/include/c%2B%2B/12/bits/a%20b.h"}),
    ],
)
def test_editors_find_the_files_of_sarif(source: str, location: dict[str, str]) -> None:
    file = source.format(root=Path.cwd())
    case = study(patterns=(pattern("reuse", source=f"{file}:9"),))
    (run,) = json.loads(advice_sarif(case, decide(case)))["runs"]
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"file://{quote(str(Path.cwd()))}/"
    place = run["results"][-1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": location, "region": {"startLine": 9}}


def test_every_writer_names_a_patch() -> None:
    edit = Edit(38, 1, 38, 1, "    list.reserve(64);\n", 900, 900)
    patch = Patch("reserve", "src/list.cpp:40", "list.reserve(64);", "src/my list.cpp", (edit,))
    refused = pattern("reuse", source="src/b.cpp:9")
    patches = Patches((patch,), (("src/b.cpp:9", "b is moved or returned"),), "--- a/src/list.cpp\n")
    case = study(patterns=(pattern(), refused), patches=patches)
    verdict = decide(case)
    facts = dict(verdict.facts)
    assert facts["patch"].startswith("'list.reserve(64);' (list.cpp:40): --patch FILE writes it")
    assert facts["reuse"].endswith(" No patch: b is moved or returned.")
    assert "No patch" not in facts["reserve"]
    assert json.loads(advice_json(case, verdict))["study"]["patches"]["diff"] == patches.diff
    (run,) = json.loads(advice_sarif(case, verdict))["runs"]
    (fix,) = [fix for found in run["results"] for fix in found.get("fixes", [])]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "src/my%20list.cpp", "uriBaseId": "%SRCROOT%"}
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"] == {"text": "    list.reserve(64);\n"}
    assert replacement["deletedRegion"]["startLine"] == replacement["deletedRegion"]["endLine"] == 38
