"""The writers of reports: each value is in each medium once, and no text is markup."""

from __future__ import annotations

import re
from html import unescape

import pytest

from mallard.shared.report.figures import cell_text
from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import (
    Cell,
    Column,
    Figure,
    Interval,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
    Verdict,
)
from mallard.shared.report.page import report_page
from mallard.shared.report.terminal import show_report
from mallard.shared.view.terminal.console import PlainConsole

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


def screen(width: int = 100) -> str:
    console = PlainConsole(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    show_report(console, REPORT)
    return console.export_text()


def page_text(page: str) -> str:
    """What a reader sees."""
    body = page[page.index("<body") :]
    return unescape(re.sub(r"<[^>]+>", " ", body))


@pytest.mark.parametrize("medium", ["terminal", "page", "markdown"])
def test_each_medium_shows_each_value_once(medium: str) -> None:
    text = {"terminal": screen, "page": lambda: page_text(report_page(REPORT, COMMAND))}.get(
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


def test_numbers_are_aligned_to_the_right() -> None:
    lines = screen().splitlines()
    head = next(line for line in lines if "CPU ms" in line)
    row = next(line for line in lines if "12.3" in line)
    assert head.index("CPU ms") + len("CPU ms") == row.index("12.3") + len("12.3")
    assert "| --- | --: | --- |" in markdown_report(REPORT, COMMAND)
    assert re.search(r'<td class="n" data-label="CPU ms">12.3', report_page(REPORT, COMMAND))


def test_a_page_has_no_markup_of_names() -> None:
    page = report_page(REPORT, COMMAND)
    assert "<code>mallard age -- './a b'</code>" in page
    assert "<title>mallard: A &lt;title&gt;</title>" in page
    assert "glibc &lt;b&gt;|" in page
    assert "one<br>two" in page


def test_a_narrow_terminal_keeps_the_figures() -> None:
    text = screen(30)
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
    ],
)
def test_words_a_cell(cell: Cell, text: str) -> None:
    assert cell_text(cell) == text
