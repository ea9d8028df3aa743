"""The site's pages: copies of the project's Markdown, and a page for each other file that these link to.

    docs/x.md                   x.md
    README.md of other folders  with the pages of its subject (PLACES)
    another file, a folder      source/PATH.md: its text, or the list of its files

Links between pages become links between the copies. The sections of docs/index.md are the navigation, in
which a page stands once, where it comes first.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

INDEX = "index.md"
PLACES = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "advisor/README.md": "advisor/programs.md",
    "advisor/case_studies/README.md": "advisor/cases.md",
    "advisor/trace/README.md": "advisor/trace.md",
    "bench/README.md": "benchmark/runner.md",
    "bench/results/README.md": "benchmark/rows.md",
    "bench/runner/strategy/contender/README.md": "benchmark/contender_code.md",
    "bench/results/runs.md": "benchmark/runs.md",
    "include/mallard/README.md": "library/headers.md",
    "tests/README.md": "tests.md",
}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".def": "cpp", ".py": "python"}
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`|^ {4}[^\n]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+\.md)[^)]*\)")
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
NOT_SEARCHED = "---\nnosearch: true\norphan: true\n---\n"
LIVE = """\
# Reference and live pages

- <a href="reference/index.html">Reference</a>: every header, class and function, by Doxygen
- <a href="live/report.html">A report</a> as `mallard show page` writes it: the rows behind the figures here
- <a href="live/advice.html">Advice</a> as `mallard advise --html` writes it, of a made-up program
"""


def write_pages(root: Path, folder: Path) -> None:
    """Writes the Markdown of the site into `folder`, a new one."""
    shutil.copytree(root / "docs/images", folder / "images")
    written: set[Path] = set()
    waiting = [page.relative_to(root) for page in sorted((root / "docs").rglob("*.md"))]
    while waiting:
        path = waiting.pop()
        if path in written:
            continue
        written.add(path)
        page = folder / place(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        text = _text(root, path)
        page.write_text(with_mapped_links(text, path), encoding="utf-8")
        waiting += [target for target in targets(text, path) if (root / target).exists()]
    index = folder / INDEX
    index.write_text(with_navigation(index.read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "live.md").write_text(LIVE, encoding="utf-8")


def place(path: Path) -> Path:
    """The page of a file or folder of the project, as a path in the site."""
    if path.is_relative_to("docs/images"):
        return path.relative_to("docs")
    if str(path) in PLACES:
        return Path(PLACES[str(path)])
    if path.suffix == ".md" and path.is_relative_to("docs"):
        return path.relative_to("docs")
    return Path("source", f"{path}.md")


def with_mapped_links(text: str, path: Path) -> str:
    """The page with the links of its copy."""

    def mapped(match: re.Match[str]) -> str:
        file, mark, anchor = match[1].partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match[0]
        target = os.path.relpath(place(_linked_path(path, file)), place(path).parent)
        return f"]({target}{mark}{anchor})"

    parts = CODE.split(text)
    parts[::2] = (LINK.sub(mapped, part) for part in parts[::2])
    return "".join(parts)


def targets(text: str, path: Path) -> Iterator[Path]:
    """The files and folders of the project that the page links to, without images."""
    for part in CODE.split(text)[::2]:
        for link in LINK.findall(part):
            file = link.partition("#")[0]
            if file and not re.match(r"[a-z]+:", file) and not file.endswith(".svg"):
                yield _linked_path(path, file)


def with_navigation(index: str) -> str:
    """The page with the lists of pages from which Sphinx makes the navigation: one for each section."""
    parts = SECTION.split(index)
    lists, listed = [], {INDEX}
    for heading, section in zip(parts[1::2], parts[2::2], strict=True):
        entries = []
        for name, page in NAMED_LINK.findall(section):
            if page not in listed:
                entries.append(f"{name[0].upper()}{name[1:]} <{page}>")
                listed.add(page)
        if entries:
            lists.append([f"```{{toctree}}\n:hidden:\n:caption: {heading}\n", *entries, "```\n"])
    lists[0].insert(-1, "live.md")
    return "\n".join([index, *("\n".join(lines) for lines in lists)])


def _text(root: Path, path: Path) -> str:
    """The Markdown of a page, of a source file or of a folder."""
    file = root / path
    if file.is_dir():
        files = sorted(entry for entry in file.iterdir() if entry.suffix in LANGUAGES)
        folders = sorted(entry for entry in file.iterdir() if entry.is_dir() and entry.name[0] not in "._")
        lines = [f"- `{entry.name}/`" for entry in folders]
        lines += [f"- [{entry.name}]({path.name}/{entry.name})" for entry in files]
        text = "\n".join(lines)
        # A link in the page of a folder begins where the folder lies.
        return f"{NOT_SEARCHED}# {path}\n\n{text}\n"
    text = file.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    return f"{NOT_SEARCHED}# {path.name}\n\n````{LANGUAGES.get(path.suffix, '')}\n{text.rstrip()}\n````\n"


def _linked_path(path: Path, link: str) -> Path:
    return Path(os.path.normpath(path.parent / link))
