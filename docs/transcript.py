#!/usr/bin/env python3
"""Runs the commands of a page again, and writes what they print below them.

    docs/transcript.py docs/advisor/tutorial.md

A block begins with an indented `$ COMMAND`, which a bash runs in the project's folder. The lines below it,
down to the next command or the end of the indentation, are replaced by its output. A command that fails ends
the call, and the page stays.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INDENT = "    "
COMMAND = re.compile(r"(?m)^    \$ (.*)\n((?:(?!    \$ )(?:    .*)?\n)*)")
COLUMNS = "100"


class FailedCommandError(Exception):
    pass


def output(command: str) -> str:
    """What a command prints; progress, which goes to the standard error, is left out."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"},
        check=False,
    )
    if done.returncode != 0:
        raise FailedCommandError(
            f"'{command}' ends with status {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def indented(text: str) -> str:
    return "".join(f"{INDENT}{line}".rstrip() + "\n" for line in text.rstrip().splitlines())


def rerun(page: str) -> str:
    """The empty lines at the end of a block are the page's."""

    def again(block: re.Match[str]) -> str:
        command, old = block.groups()
        print(f"$ {command}", file=sys.stderr)
        kept = len(old) - len(old.rstrip("\n")) - (1 if old.strip() else 0)
        return f"{INDENT}$ {command}\n{indented(output(command))}" + "\n" * kept

    return COMMAND.sub(again, page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the commands of a page again.")
    parser.add_argument("page", type=Path, nargs="+", metavar="PAGE")
    try:
        for page in parser.parse_args().page:
            page.write_text(rerun(page.read_text(encoding="utf-8")), encoding="utf-8")
    except (FailedCommandError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
