"""Tables of a report that are too wide for a terminal, and rows that a page selects."""

from __future__ import annotations

import json
import re

from page_reader import read
from report_lines import screen

from mallard.shared.report.markdown import markdown_report
from mallard.shared.report.model import (
    Code,
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
    report_json,
)
from mallard.shared.report.page import report_page


def report(*blocks: Table | Code) -> Report:
    return Report("A title", Paragraph("An answer."), (Section("A section", blocks),))


def figures(count: int) -> Table:
    columns = (Column("name", numeric=False), *(Column(f"column {place}") for place in range(count)))
    cells = [Figure(1000.0 * place, Unit.COUNT) for place in range(count)]
    return Table("Figures", columns, (Row(("first", *cells)), Row(("second", *cells))))


def test_heads_are_broken_above_narrow_figures() -> None:
    assert "column 0  column 1" in "".join(screen(report(figures(2)), 40))
    lines = screen(report(figures(2)), 22)
    head = next(place for place, line in enumerate(lines) if "column" in line)
    assert lines[head].split() == ["column", "column"]
    assert lines[head + 1].split() == ["name", "0", "1"]
    assert lines[head + 2].split() == ["first", "0", "1,000"]


def test_figures_that_do_not_fit_are_a_second_table() -> None:
    lines = screen(report(figures(12)), 60)
    firsts = [line.split()[1:] for line in lines if line.startswith("first")]
    assert len(firsts) == 2
    assert [word for first in firsts for word in first] == [f"{1000 * place:,}" for place in range(12)]
    assert max(map(len, lines)) <= 60


def test_extra_columns_are_left_out_first() -> None:
    columns = (
        *(Column("name", numeric=False), Column("value")),
        *(Column("source", numeric=False, is_extra=True), Column("use", numeric=False)),
    )
    table = Table("Rows", columns, (Row(("a name", Figure(5, Unit.COUNT), "a source of it", "the use")),))
    assert "a source of it" in "".join(screen(report(table), 80))
    narrow = "".join(screen(report(table), 24))
    assert "a source" not in narrow
    assert re.search(r"a name +5 +the use", narrow)


def test_long_texts_are_lines_below_their_rows() -> None:
    columns = (Column("no."), *(Column(title, numeric=False) for title in ("claim", "printed", "verdict")))
    long = "a text of a claim which is longer than the terminal is wide"
    verdict = Verdict("not reproduced", Mood.BAD, "the figure is less than the printed one by a factor")
    table = Table("Claims", columns, (Row(("7", long, long, verdict)), Row(("8", long, "", verdict))))
    lines = screen(report(table), 50)
    first, second = (next(n for n, line in enumerate(lines) if line.strip() == number) for number in "78")
    entry = " ".join(" ".join(lines[first:second]).split())
    assert entry == f"7 claim: {long} printed: {long} verdict: not reproduced: {verdict.note}"
    assert "printed:" not in " ".join(lines[second:]), "an empty cell has no line"
    assert max(map(len, lines)) <= 50


def test_a_terminal_shows_the_first_rows_of_a_long_table() -> None:
    rows = tuple(Row((f"row {place}",)) for place in range(9))
    table = Table("Rows", (Column("", numeric=False),), rows, most=4, noun="further row", remedy="--html")
    lines = screen(report(table))
    assert [line.strip() for line in lines if line.startswith("row")] == [f"row {n}" for n in range(4)]
    assert "and 5 further rows: --html" in " ".join(lines).replace("more ", "")
    assert "row 8" in report_page(report(table), "mallard")


# ---- every medium -------------------------------------------------------------------------------------


CLAIMS = Table(
    "Every claim",
    (Column("claim", numeric=False), Column("document", numeric=False), Column("verdict", numeric=False)),
    (
        Row(("2^10 elements", "P0089", Verdict("reproduced", Mood.GOOD))),
        Row(("two", "P0213", Verdict("not measured", Mood.OPEN, "mallard bench locality"))),
    ),
    filters=("verdict", "document"),
)


def test_a_page_selects_rows_by_radio_buttons() -> None:
    page = report_page(report(CLAIMS), "mallard show claims")
    reader = read(page)
    buttons = [attributes for tag, attributes in reader.tags if attributes.get("type") == "radio"]
    assert [attributes["id"] for attributes in buttons] == [
        "every-claim-verdict-all",
        "every-claim-verdict-reproduced",
        "every-claim-verdict-not-measured",
        "every-claim-document-all",
        "every-claim-document-p0089",
        "every-claim-document-p0213",
    ]
    rows = [attributes for tag, attributes in reader.tags if "data-verdict" in attributes]
    assert [row["data-document"] for row in rows] == ["p0089", "p0213"]
    assert (
        "body:has(#every-claim-verdict-not-measured:checked) #every-claim tbody "
        "tr:not([data-verdict=not-measured])" in page
    )
    assert len(reader.ids) == len(set(reader.ids))
    assert "with the words" not in report_page(report(figures(1)), "mallard")


def test_a_page_raises_exponents() -> None:
    assert "2¹⁰ elements" in report_page(report(CLAIMS), "mallard show claims")


def test_commands_can_be_copied_from_every_medium() -> None:
    commands = report(Code("mallard bench a --b\nmallard bench c", "sh"))
    assert "  mallard bench a --b" in screen(commands)
    assert "```sh\nmallard bench a --b\nmallard bench c\n```" in markdown_report(commands, "mallard choose")
    assert "<code>mallard bench a --b\nmallard bench c</code></pre>" in report_page(commands, "mallard")


def test_json_has_the_values_of_cells() -> None:
    cells = (Figure(0.5, Unit.RATIO, mood=Mood.BAD, is_equal=True), Interval(0.4, 0.6, Unit.RATIO), None)
    table = Table("Rows", tuple(map(Column, "abc")), (Row(cells),))
    data = json.loads(report_json(report(table)))
    assert data["format"] == 1
    figure, interval, nothing = data["sections"][0]["blocks"][0]["rows"][0]["cells"]
    assert figure["value"] == 0.5
    assert (figure["unit"], figure["mood"], figure["is_equal"]) == ("ratio", "bad", True)
    assert (interval["low"], interval["high"]) == (0.4, 0.6)
    assert nothing is None


def test_json_has_null_in_place_of_infinity() -> None:
    table = Table("Rows", (Column("a"),), (Row((Interval(0.0, float("inf"), Unit.RATIO),)),))
    data = json.loads(report_json(report(table)))
    (interval,) = data["sections"][0]["blocks"][0]["rows"][0]["cells"]
    assert (interval["low"], interval["high"]) == (0.0, None)
