"""Doxygen's filter: prints a file of the project with Doxygen's commands added. Doxygen runs it by its
path.

Comments are written to be read as plain text. Doxygen needs commands for their labels, and namespaces without
macros.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LABELS = {
    "Effects": r"\effects",
    "Requires": r"\pre",
    "Returns": r"\return",
    "Throws": r"\throws_",
    "Complexity": r"\complexity",
    "Source": r"\source",
}


def of_header(text: str, name: str) -> str:
    """Adds the commands to a header. The comment above `#pragma once` is the file's. It also describes the
    class that has the mechanism's name and derives from the mechanism.

    Keeps the number of lines, so that links to the source lead to the right line.
    """
    text = re.sub(r"\A((?:///.*\n)+)#pragma once$", r"\1/// \\file", text, flags=re.M)
    text = re.sub(r" \{ inline namespace MALLARD_(?:MODE|LIBRARY)(?= \{)", "", text)
    text = re.sub(r"^\}\}(?= // namespace mallard)", "}", text, flags=re.M)
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


def of_main_page(text: str) -> str:
    """The list of the headers, with a link back to the site."""
    return text.replace(
        "# Headers\n", '# Headers\n\n<a href="../index.html">Documentation of mallard</a>\n', 1
    )


def main() -> None:
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        result = of_main_page(text)
    elif path.suffix == ".cpp":
        result = of_example(text, path.name)
    else:
        result = of_header(text, path.name)
    sys.stdout.write(result)


if __name__ == "__main__":
    main()
