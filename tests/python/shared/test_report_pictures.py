"""Heat maps, charts, estimates and terms in the three writers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from page_reader import page_data
from report_lines import screen

from mallard.shared.report.figures import cell_text, digits, relative, rough
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import (
    Column,
    Estimate,
    Paragraph,
    Points,
    Report,
    Row,
    Section,
    Table,
    Term,
    Unit,
)
from mallard.shared.report.page import Part, parts_page, report_page
from mallard.shared.report.picture import Chart, Head, HeatMap, Layer, Series, Spot, Tile
from mallard.shared.stats import Difference, Ratio

FASTER, EVEN = Ratio(0.4, 0.39, 0.41, 3), Ratio(1.01, 0.98, 1.03, 3)
LAYERS = (
    Layer("percent", "In percent.", title="{}: times"),
    Layer("interval", "Its interval.", missing="none"),
)
MAP = HeatMap(
    "a <map>",
    "A map",
    ("size", "W"),
    (Head(("base",)), Head(("type", "/wink"), "pool/wink", ("a long family", "family")), Head(("slow",))),
    (
        (
            ("2^10", "1"),
            (
                Spot((Tile("61.2"), Tile()), ("one",)),
                Spot((Tile("40\n30 / 64", FASTER, is_best=True), Tile("39\u201341", FASTER)), ("two",)),
                Spot((Tile("101", EVEN), Tile("98\u2013103", EVEN)), ("",)),
            ),
        ),
        (("2^11", "16"), (Spot(), Spot(failure=("mem", "out of memory: none left")), Spot())),
    ),
    LAYERS,
    ("a term",),
)
CHART = Chart("a chart", "threads", "ns", (Series("pool", ((1.0, 2.0), (2.0, 3.5)), "multipool"),))
TABLE = Table(
    "Estimates",
    (Column("strategy", numeric=False), Column("%", less_is_better=True)),
    (
        Row((Term("pool", "of blocks", "there"), Estimate(FASTER, Unit.RELATIVE, ((0.5, "p0213"),)))),
        Row((Term("heap"), None)),
    ),
)
REPORT = Report(
    "Pictures",
    Paragraph("The answer."),
    (
        Section("first", (MAP, CHART), about="of two"),
        Section("there", (Points(("One 2^6.", "Two.")), TABLE), anchor="there", is_inner=True),
    ),
)


def sections_page() -> str:
    part = Part("part", "a part", "A part of the page", REPORT.sections, notes=("A note.",), answer="Yes.")
    further = Part("other", "another", "Another part", answer="10^6.")
    missing = Part("third", "a third", "A third part", command="mallard bench third")
    header = Report(REPORT.title, REPORT.answer, doubts=("A doubt.",))
    return parts_page(header, (part, further, missing), {"pool/wink": "a pool"})


def test_a_terminal_shows_titled_layers_with_marks() -> None:
    lines = screen(REPORT, 100, is_terminal=False)
    at = lines.index("a <map>: times")
    assert lines[at + 1].split() == ["family"]
    assert [line.split() for line in lines[at + 2 : at + 6]] == [
        ["size", "W", "base", "type", "slow"],
        ["/wink"],
        ["2^10", "1", "61.2", "40*", "101="],
        ["2^11", "16", "-", "mem", "-"],
    ]
    assert not any("interval" in line for line in lines), "only pages have it"


def test_columns_fold_at_the_width() -> None:
    lines = [line.split() for line in screen(REPORT, 16, is_terminal=False)]
    assert [line for line in lines if line[:2] == ["size", "W"]] == [
        ["size", "W", word] for word in ("base", "type", "slow")
    ]


def test_markdown_has_a_table_for_each_titled_layer() -> None:
    text = markdown_report(REPORT, "mallard show")
    assert "**a &lt;map>: times**" in text
    assert "| size | W | base | pool/wink | slow |" in text
    assert "| 2^10 | 1 | 61.2 | 40 | 101 |" in text
    assert "| 2^11 | 16 |  | mem |  |" in text
    assert "- One 2^6.\n- Two." in text
    assert "| pool | 40 (39 to 41) |" in text
    assert "### there" in text


def test_a_page_shows_the_first_layer() -> None:
    page = sections_page()
    assert '<td class="f3 best">40<small>30 / 64</small><td class=eq>101' in page
    assert "<td class=broken>mem" in page
    assert "<th>2\u00b9\u2070, 1" in page
    (table,) = page_data(page)["maps"]["tables"]
    assert (table["title"], table["labels"]) == ("a <map>", ["2\u00b9\u2070, 1", "2\u00b9\u00b9, 16"])
    letters, first, interval, terms = table["columns"]
    assert letters.split("\n")[3:] == ["", "!", ""]
    assert first is None, "the table shows it"
    assert interval.split("\n")[1:5] == ["39\u201341", "98\u2013103", "", "out of memory: none left"]
    assert terms.split("\n")[:2] == ["one", "two"]
    assert page_data(page)["maps"]["forms"][0]["terms"] == ["a term"]
    assert page_data(page)["texts"] == {"pool/wink": "a pool"}
    assert page.count('class="controls"') == 1, "there are layers to choose from"


def test_a_page_of_a_report_has_the_same_maps() -> None:
    page = report_page(REPORT)
    assert page_data(page)["maps"] == page_data(sections_page())["maps"]
    assert page.count('class="controls"') == 1
    assert re.findall(r'<section id="([\w-]+)" class="part"><h2>(\w+)', page) == [("first", "first")]
    assert '<section id="there" class="structure"><h4>there' in page, "below the section in front of it"


def test_a_page_has_the_scripts_of_its_pictures() -> None:
    plain = report_page(Report("Plain", Paragraph("The answer."), (Section("Table", (TABLE,)),)))
    assert "mallard.maps =" in sections_page()
    assert "mallard.maps =" not in plain
    assert {"maps", "plots"} <= set(page_data(sections_page())) > set(page_data(plain))


def test_a_page_of_parts_names_their_answers_and_commands() -> None:
    page = sections_page()
    lead, caution, glance, part = (
        page.index(text) for text in ('class="lead"', 'class="caution"', 'class="glance"', 'id="part"')
    )
    assert lead < caution < glance < part
    assert '<a href="#other">another</a><p>10\u2076.</p>' in page[glance:part]
    assert "Yes." not in page[glance:part], "the answer of the first part leads"
    assert '<a href="#third" class="absent" title="not measured yet">a third</a>' in page
    assert "Not measured yet. This does it: <code>mallard bench third</code>" in page
    assert '<ul class="notes"><li>A note.</li></ul>' in page


def test_a_folded_section_has_the_choice_of_its_maps() -> None:
    folded = replace(MAP, is_folded=True)
    section = Section("every cell", (folded, folded), anchor="all", is_inner=True, is_folded=True)
    page = report_page(Report("Folded", Paragraph("The answer."), (REPORT.sections[0], section)))
    details = page[page.index("<details") : page.index("</details>")]
    assert details.startswith('<details id="all"><summary>every cell</summary><noscript>')
    assert 'data-name="all-cells"' in details
    assert details.count("<h4>a &lt;map&gt;</h4>") == details.count("<tbody></tbody>") == 2
    assert [table["columns"][1] is None for table in page_data(page)["maps"]["tables"]] == [
        True,
        False,
        False,
    ]


def test_a_page_draws_charts_and_estimates() -> None:
    page = sections_page()
    assert page_data(page)["plots"] == [[[["1", "2.00"], ["2", "3.50"]]]]
    assert '<a href="#there">pool</a><small>of blocks</small>' in page
    assert '<span class="chip f3">40</span><small>39 to 41</small>' in page
    assert 'class="mark p0213"' in page
    assert page.count('class="drawn"') == 2


def test_a_table_describes_names_where_there_is_room() -> None:
    lines = screen(REPORT, 100)
    assert any(line.split() == ["pool", "40", "39", "to", "41", "of", "blocks"] for line in lines)
    assert not any("of blocks" in line for line in screen(REPORT, 30))


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(FASTER, Unit.RELATIVE), "40 (39 to 41)"),
        (Estimate(Ratio(0.4, 0.0, float("inf"), 1), Unit.RELATIVE), "40 (one repetition: no interval)"),
        (Estimate(Difference(10.0, 9.5, 10.5, 3), Unit.POINTS_MORE), "+10.0 (+9.5 to +10.5)"),
        (
            Estimate(Difference(10.0, float("-inf"), 100.0, 1), Unit.POINTS_MORE),
            "+10.0 (one repetition: no interval)",
        ),
        (Estimate(Ratio(0.766, 0.7, 0.8, 3), Unit.RELATIVE_MEAN), "76.6 (70.0 to 80.0)"),
    ],
)
def test_words_an_estimate(estimate: Estimate, text: str) -> None:
    assert cell_text(estimate) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (digits(1.634), "1.63"),
        (digits(99.96), "100"),
        (digits(20400), "20,400"),
        (relative(0.0504), "5.0"),
        (relative(40.0), "4,000"),
        (rough(0.04), "<0.1"),
        (rough(0.0), "0"),
        (rough(5.24), "5.2"),
    ],
)
def test_words_numbers(text: str, expected: str) -> None:
    assert text == expected
