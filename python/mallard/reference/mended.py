"""Mends Doxygen's own dead links: those to a source page's line without an anchor, and those to a list of
classes that it leaves out.

All other links are left alone, so that a dead link of a page or of a comment is found.
"""

from __future__ import annotations

import re
from pathlib import Path

LINE = re.compile(r'href="(\w+_source\.html)#(l\d+)"')
LEFT_OUT = re.compile(r'<a href="#nested-classes">(\w+)</a>')


def mend(folder: Path) -> int:
    """Makes such links lead to the page, or be text. Returns the number of pages."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    lines = {name: set(re.findall(r'name="(l\d+)"', page)) for name, page in pages.items()}

    def to_line_or_page(found: re.Match[str]) -> str:
        return found[0] if found[2] in lines.get(found[1], ()) else f'href="{found[1]}"'

    for name, page in pages.items():
        mended = LINE.sub(to_line_or_page, page)
        if 'name="nested-classes"' not in mended:
            mended = LEFT_OUT.sub(r"\1", mended)
        if mended != page:
            (folder / name).write_text(mended, encoding="utf-8")
    return len(pages)
