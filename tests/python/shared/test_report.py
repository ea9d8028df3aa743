"""The writers of reports: each value is in each medium once, and no text is markup."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_reader import page_data
from report_lines import screen

from mallard.shared.report.figures import cell_text
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import (
    Aside,
    Call,
    Cell,
    Change,
    Code,
    Column,
    Duck,
    Fact,
    Facts,
    Figure,
    Flame,
    Histogram,
    Histograms,
    Interval,
    Meter,
    Meters,
    Mood,
    Name,
    Paragraph,
    Points,
    Ranking,
    Report,
    Row,
    Section,
    Stack,
    Table,
    Timeline,
    Unit,
    Verdict,
    row_from,
)
from mallard.shared.report.page import report_page
from mallard.shared.report.terminal_grid import bar

COLUMNS = (Column("malloc", numeric=False), Column("CPU ms", "of a run"), Column("", numeric=False))
ROWS = (
    Row(("glibc <b>|", Figure(0.01234, Unit.MILLISECONDS), Verdict("EXCEEDED", Mood.BAD))),
    Row(("a[/red]b", None, "one\ntwo"), Mood.GOOD),
)
COMMAND = "mallard age -- './a b'"
REPORT = Report(
    title="A <title>",
    answer=Paragraph("The answer & more.", Mood.GOOD),
    sections=(Section("A section", (Paragraph("Some text."), Table("Rows", COLUMNS, ROWS)), is_headed=True),),
    notes=("A note.",),
)


def shown(report: Report = REPORT, width: int = 100) -> str:
    return "\n".join([*screen(report, width, is_terminal=False), ""])


def page_text(page: str) -> str:
    """What a reader sees."""
    body = page[page.index("<body") :]
    return unescape(re.sub(r"<[^>]+>", " ", body))


@pytest.mark.parametrize("medium", ["terminal", "page", "markdown"])
def test_each_medium_shows_each_value_once(medium: str) -> None:
    text = {"terminal": shown, "page": lambda: page_text(report_page(REPORT, COMMAND))}.get(
        medium, lambda: markdown_report(REPORT, COMMAND).replace("&lt;", "<").replace("\\|", "|")
    )()
    for value in (
        "The answer & more.",
        "glibc <b>|",
        "12.3",
        "EXCEEDED",
        "a[/red]b",
        "Some text.",
        "A note.",
    ):
        assert text.count(value) == 1, value
    for value in ("A section", "malloc", "CPU ms", "one", "two"):
        assert value in text


def test_every_medium_escapes_control_characters() -> None:
    hostile = "x\x1b]0;y\x9b\u202ez"
    table = Table(
        hostile, COLUMNS, (Row((Name(hostile, source=hostile), Figure(1.0, Unit.SECONDS), hostile)),)
    )
    calls = (Call(-1, None, 1, 9, 0, 1), Call(0, Name(hostile, full=hostile), 1, 9, 0, 1))
    flame = Flame(calls, (("bytes", "bytes", hostile),), (0.0, 0.0), hostile, hostile)
    blocks = (Paragraph(hostile), Points((hostile,)), Facts((Fact(hostile, hostile),)), Code(hostile), table)
    report = Report(
        hostile, Paragraph(hostile), (Section(hostile, (*blocks, flame), True, hostile),), (hostile,), hostile
    )
    page = report_page(report, hostile)
    for text in (shown(report), markdown_report(report, f"mallard {hostile}\n"), page, str(page_data(page))):
        assert not {"\x1b", "\x9b", "\u202e"} & {*text}
        assert "\\x1b]0;y\\x9b\\u202ez" in text.replace("\\\\", "\\")


def test_markdown_shows_the_marks_of_names() -> None:
    report = Report("f<int>", Paragraph("a<b>, (*)(c*)"), notes=("`d` [e](f)",))
    lines = markdown_report(report, "mallard profile 'x\ny'").splitlines()
    assert lines[0] == "# f&lt;int>"
    assert lines[2] == "    mallard profile 'x\\ny'"
    assert lines[4] == r"a&lt;b>, (\*)(c\*)"
    assert lines[6] == r"- \`d\` [e]\(f)"


def test_numbers_are_aligned_to_the_right() -> None:
    lines = shown().splitlines()
    head = next(line for line in lines if "CPU ms" in line)
    row = next(line for line in lines if "12.3" in line)
    assert head.index("CPU ms") + len("CPU ms") == row.index("12.3") + len("12.3")
    assert "| --- | ---: | --- |" in markdown_report(REPORT, COMMAND)
    assert re.search(r'<td class="n" data-label="CPU ms" data-v="0.01234">12.3', report_page(REPORT, COMMAND))


def test_a_page_has_no_markup_of_names() -> None:
    page = report_page(REPORT, COMMAND)
    assert "<code>mallard age -- './a b'</code>" in page
    assert "<title>mallard: A &lt;title&gt;</title>" in page
    assert "glibc &lt;b&gt;|" in page
    assert "one<br>two" in page


def test_a_page_keeps_options_on_a_line() -> None:
    """Browsers break behind a hyphen."""
    report = Report("x", Paragraph("x"), notes=("Give --rounds 5 (-x, a--b).",))
    page = report_page(report, "mallard age --html a-b -- x")
    assert '<code>mallard age <span class="option">--html</span> a-b -- x</code>' in page
    assert '<li>Give <span class="option">--rounds</span> 5 (-x, a--b).</li>' in page


def test_a_narrow_terminal_keeps_the_figures() -> None:
    text = shown(width=30)
    assert "12.3" in text
    assert max(map(len, text.splitlines())) <= 30


def test_a_row_has_as_many_cells_as_columns() -> None:
    with pytest.raises(AssertionError):
        Table("Rows", COLUMNS, (Row(("one",)),))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        ("name", "name"),
        (Figure(1.5, Unit.MILLISECONDS), "1,500.0"),
        (Figure(-0.0015, Unit.MILLISECONDS_MORE), "-1.50"),
        (Figure(2048, Unit.KIBIBYTES), "2"),
        (Figure(-100, Unit.KIBIBYTES_MORE), "+0"),
        (Figure(-2048, Unit.BYTES_MORE), "-2.00 KiB"),
        (Figure(1500, Unit.COUNT_MORE), "+1,500"),
        (Figure(0.123, Unit.PERCENT), "12 %"),
        (Figure(-0.123, Unit.PERCENT_MORE), "-12.3 %"),
        (Figure(2048, Unit.BYTES), "2.00 KiB"),
        (Figure(123456, Unit.COUNT), "123 k"),
        (Figure(1.234, Unit.RATIO), "1.23"),
        (Figure(1.25, Unit.FACTOR), "1.2 x"),
        (Interval(0.9, 1.1, Unit.RATIO), "0.90 to 1.10"),
        (Verdict("holds", Mood.GOOD), "holds"),
        (Figure(0.999, Unit.SHARE, is_bound=True), "\u2264 99.9 %"),
        (Figure(0.9999, Unit.SHARE, is_bound=True), "\u2264 100 %"),
        (Figure(None, Unit.SHARE, is_bound=True), "-"),
        (Figure(1_100_000, Unit.COUNT, 0.004), "1.10 M  <1 %"),
        (Figure(0.0123, Unit.SECONDS), "12.3 ms"),
        (Change(1000, 1500, Unit.COUNT), "+500 \u2192 1,500"),
        (Change(2048, 1024, Unit.BYTES), "-1.00 KiB \u2192 1.00 KiB"),
        (Change(7, 7, Unit.COUNT), "7"),
        (Meters((("D", "density", 0.125), ("V", "variation", None))), "D .12 V -"),
        (Stack(()), "no stack"),
        (Ranking(()), "-"),
    ],
)
def test_words_a_cell(cell: Cell, text: str) -> None:
    assert cell_text(cell) == text


NAME = Name("ns::f<>", "ns::f<int>", "ns::f<int>(int)", "folder/file.cpp:12")
INNER = Name("vector<>::insert", source="vector.tcc:7")
ENTRIES = (
    Column("function", numeric=False),
    Column("blocks", unit=Unit.COUNT),
    Column("bytes", unit=Unit.BYTES),
    Column("drawn", numeric=False),
    Column("called from", numeric=False),
    Column("sites", numeric=False, is_detail=True),
)


def entries(number: int, most: int | None = None) -> Report:

    rows = tuple(
        row_from(
            ENTRIES,
            NAME,
            Figure(1000 + at, Unit.COUNT, 0.25),
            None,
            Meter(0.5, 4),
            Stack((INNER, NAME), "by another thread"),
            Ranking(((INNER, "7 blocks"), (NAME, "3 blocks"))),
            note="a note",
            details=(Aside("Unfolded", (Paragraph("Only on a page."),)),),
        )
        for at in range(number)
    )
    table = Table("Entries", ENTRIES, rows, most, unlisted=2, noun="smaller site")
    return Report("Entries", Paragraph("An answer."), (Section("Sites", (table,), True, "of code"),))


def test_entries_stand_below_their_names() -> None:
    assert shown(entries(3), 70).splitlines()[3:8] == [
        "Sites  3 of 5 (--all): of code",
        " function       blocks  bytes  drawn",
        " 1 ns::f<int>                                       folder/file.cpp:12",
        "           1,000  25 %      -  \u2588\u2588\u2591\u2591",
        "   called from vector<>::insert < ns::f<>, by another thread",
    ]


def test_few_entries_have_titles_instead_of_heads() -> None:
    text = shown(entries(3, most=1), 70)
    assert "   blocks 1,000  25 %, drawn \u2588\u2588\u2591\u2591\n" in text
    assert "sites" not in text, "a detail"
    assert "   a note\n" in text
    assert "Only on a page." not in text


def test_markdown_has_entries_as_a_table() -> None:
    lines = markdown_report(entries(1), COMMAND).splitlines()
    assert "| function | blocks | bytes | called from | sites |" in lines
    assert lines[-3].startswith("| ns::f&lt;><br>folder/file.cpp:12<br>a note | 1,000  25 % | - | ")
    assert "vector&lt;>::insert (vector.tcc:7) 7 blocks and 1 more" in lines[-3]
    assert lines[-1] == "and 2 smaller sites: --all"


def test_a_page_sorts_and_unfolds_entries() -> None:
    page = report_page(entries(2), COMMAND)
    assert 'data-v="1000"' in page
    assert 'title="ns::f&lt;int&gt;(int)"' in page
    assert "<details><summary>" in page
    assert "Only on a page." in page_text(page)
    assert "2 smaller sites not listed." in page_text(page)


def test_facts_have_labels_in_each_medium() -> None:
    facts = Facts((Fact("peak", Figure(2048, Unit.BYTES), "after 1 s", Mood.BAD),), is_large=True)
    report = Report("Facts", Paragraph("An answer."), (Section("Summary", (facts,)),), subject="./program")
    assert "peak  2.00 KiB after 1 s\n" in shown(report, 60)
    assert "- peak: 2.00 KiB after 1 s" in markdown_report(report, COMMAND)
    assert '<li class="alarm"><span class="label">peak</span><b>2.00 KiB</b>' in report_page(report, COMMAND)


def test_only_a_page_draws_pictures() -> None:
    calls = (Call(-1, None, 0, 0, 0, 0), Call(0, NAME, 1, 64, 32, 2))
    pictures = (
        Flame(calls, (("bytes", "bytes", "Width: bytes."),), (0.0, 0.5), "share", "nothing"),
        Timeline("Live bytes", (0.0, 1.0, 2.0), (("all", (1.0, 5.0, 2.0)), ("f", (0.0, 1.0, 0.0)))),
        Histograms(
            ("of the blocks", "of the bytes"), (Histogram("Time", Unit.SECONDS, 1e-9, ((10, 1.0, 1.0),)),)
        ),
        Duck(Meters((*((letter, letter, 0.5) for letter in "DVLUC"), ("F", "F", None)))),
    )
    report = Report("Pictures", Paragraph("An answer."), (Section("Drawn", pictures, True),))
    page = report_page(report, COMMAND)
    for mark in ('class="flame"', 'class="timeline"', 'class="histogram"', 'class="duck"'):
        assert page.count(mark) == 1, mark
    assert "Drawn" not in shown(report, 80)
    assert "Drawn" not in markdown_report(report, COMMAND)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((None, "\u00b7\u00b7\u00b7"), (0, "\u2591\u2591\u2591"), (1e-9, "\u258f\u2591\u2591")),
        *((1, "\u2588\u2588\u2588"), (7, "\u2588\u2588\u2588")),
    ],
)
def test_bar_shows_tiny_share(value: float | None, expected: str) -> None:
    assert bar(value, 3) == expected
