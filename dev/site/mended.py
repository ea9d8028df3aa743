"""Repairs dead links that Doxygen generates: to lines of a source page without an anchor, and to a list of
classes that it omits.

Other links stay unchanged, so that tests find dead links of pages and comments.
"""

from __future__ import annotations

import re
from pathlib import Path

LINE = re.compile(r'href="(\w+_source\.html)#(l\d+)"')
DEAD_LIST_LINK = re.compile(r'<a href="#nested-classes">(\w+)</a>')


def mend(folder: Path) -> int:
    """Points these links to the page, or replaces them by text. Returns the number of pages."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    lines = {name: set(re.findall(r'name="(l\d+)"', page)) for name, page in pages.items()}

    def to_line_or_page(match: re.Match[str]) -> str:
        return match[0] if match[2] in lines.get(match[1], ()) else f'href="{match[1]}"'

    for name, page in pages.items():
        mended = LINE.sub(to_line_or_page, page)
        if 'name="nested-classes"' not in mended:
            mended = DEAD_LIST_LINK.sub(r"\1", mended)
        if mended != page:
            (folder / name).write_text(mended, encoding="utf-8")
    return len(pages)
