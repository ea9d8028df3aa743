"""Doxygen's filter: prints a file of the project with Doxygen's commands added. Doxygen runs it by its
path.

Comments and pages are written to be read as plain text. Doxygen needs names of headings, links by
those names, commands for the labels of comments, and namespaces without macros.
"""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path

LABELS = {
    "Effects": r"\effects",
    "Requires": r"\pre",
    "Returns": r"\return",
    "Throws": r"\throws_",
    "Complexity": r"\complexity",
    "Source": r"\source",
}
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`|^ {4}[^\n]*$)", re.MULTILINE | re.DOTALL)


def of_header(text: str, name: str) -> str:
    """Adds the commands to a header. The comment above `#pragma once` is the file's. It also describes the
    class that has the mechanism's name and derives from the mechanism.

    Keeps the number of lines, so that links to the source lead to the right line.
    """
    text = re.sub(r"\A((?:///.*\n)+)#pragma once$", r"\1/// \\file", text, flags=re.M)
    text = re.sub(r"(?:::)?inline MALLARD_(?:MODE|LIBRARY)(?= \{)", "", text)
    text = re.sub(r"checking::by_default<(unchecked::\w+(?:<[^<>]*>)?)>", r"\1", text)
    named = r"^$(?=\n(?:template <[^;{]*?>\n)?class (\w+) : public unchecked::\1\b)"
    text = re.sub(named, f"/// \\\\copydoc {name}", text, flags=re.M)
    return re.sub(
        rf"^( *///) ({'|'.join(LABELS)}): ", lambda match: f"{match[1]} {LABELS[match[2]]} ", text, flags=re.M
    )


def of_example(text: str, name: str) -> str:
    """The first comment of the example. Doxygen reads the program from the folder of examples."""
    comment = re.match(r"(?://.*\n)+", text)
    words = re.sub(r"^///? ?", "", comment[0], flags=re.M) if comment else ""
    return f"/** \\example {name}\n{words}*/\n"


def of_page(text: str, path: Path) -> str:
    """The page with heading names that are unique in the reference, and links that use them."""
    parts = CODE.split(text)
    seen: dict[str, int] = {}
    for place in range(0, len(parts), 2):
        part = re.sub(r"([@\\])", r"\\\1", parts[place])
        parts[place] = re.sub(r"\]\(([^)\s]+)\)", lambda match: f"]({target(match[1], path)})", part)
    parts[1::2] = (_without_bars(code) for code in parts[1::2])
    fence = False
    lines = []
    for line in "".join(parts).splitlines():
        fence ^= line.startswith("```")
        heading = None if fence else re.fullmatch(r"(#+) (.+)", line)
        if heading:
            line = f"{line} {{#{_heading_name(heading, path, seen)}}}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _without_bars(code: str) -> str:
    """Removes backslashes before bars in code. Markdown tables need them, but Doxygen would show them."""
    if "\\|" not in code or code[0] != "`" or code.startswith("```"):
        return code
    words = escape(code[1:-1]).replace("\\|", "&#124;")
    return f"<code>{words}</code>"


def _heading_name(heading: re.Match[str], path: Path, seen: dict[str, int]) -> str:
    if len(heading[1]) == 1:
        return page_name(path)
    words = re.sub(r"[^\w\- ]", "", heading[2].lower()).strip().replace(" ", "-")
    seen[words] = seen.get(words, -1) + 1
    return f"{page_name(path)}-{words}" + (f"-{seen[words]}" if seen[words] else "")


def page_name(path: Path) -> str:
    return f"page_{path.stem.lower()}"


def target(link: str, path: Path) -> str:
    """The target of a page's link, in the reference."""
    if re.match(r"[a-z]+:", link):
        return link
    name, _, anchor = link.partition("#")
    file = Path(name) if name else path
    if file.suffix == ".md":
        if file.name == "README.md" and not anchor:
            return "index.html"
        return f"@ref {page_name(file)}" + (f"-{anchor}" if anchor else "")
    if file.suffix == ".cpp":
        return f"@ref {file.name}"
    return "examples.html" if name.rstrip("/") == "examples" else file.name


def main() -> None:
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        result = of_page(text, path)
    elif path.suffix == ".cpp":
        result = of_example(text, path.name)
    else:
        result = of_header(text, path.name)
    sys.stdout.write(result)


if __name__ == "__main__":
    main()
