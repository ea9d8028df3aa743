"""What must be known to compare with the papers: each note once, with the structures that it concerns."""

from __future__ import annotations

from mallard.papers.notes import Note, notes_for
from mallard.papers.tables import AVERAGES, P0089, P0213, own_table, printed_table
from mallard.view.html.figures import with_raised_exponents
from mallard.view.html.markup import Markup, element, joined

TITLES = {
    "reading": "How to read them",
    "error": "Known errors of the papers",
    "departure": "Where the authors' programs depart",
}


def paper_notes(structures: list[str]) -> Markup:
    concerned: dict[Note, list[str]] = {}
    for name in structures:
        for paper in (P0089, P0213):
            for note in notes_for(own_table(paper, name)):
                concerned.setdefault(note, []).append(name)
    for note in notes_for(printed_table(AVERAGES)):
        concerned.setdefault(note, [])
    blocks = []
    for kind, title in TITLES.items():
        items = [_item(note, names, structures) for note, names in concerned.items() if note.kind == kind]
        if items:
            blocks.append(joined(element("h3", title), element("ul", *items, class_="notes")))
    return joined(*blocks)


def _item(note: Note, names: list[str], all_names: list[str]) -> Markup:
    of = sorted(set(names), key=all_names.index)
    where = f"{', '.join(of)}; " if of and len(of) < len(all_names) else ""
    return element("li", with_raised_exponents(note.text), " ", element("small", where + note.source))
