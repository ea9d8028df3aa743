#!/usr/bin/env python3
"""Measures the rows behind the figures of README.md and docs/ again.

    docs/measure.py                    into build/measured.db; an interrupted call goes on where it stopped
    docs/measure.py --minutes 60       begins no command after an hour
    docs/measure.py --list             the commands, and the seconds that each took

bench/results/commands.txt has the commands. Leave the machine alone meanwhile. Then
`build/venv/bin/python docs/refresh.py --from build/measured.db` writes the documents.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sqlite3
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INTERRUPTED = 130
COMMANDS = ROOT / "bench/results/commands.txt"


def commands() -> list[str]:
    """As they are typed behind `./mallard`, without comments."""
    lines = (line.partition("#")[0].strip() for line in COMMANDS.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def seconds_taken(database: Path) -> dict[str, float]:
    """Of the finished runs, by command."""
    if not database.exists():
        return {}
    with sqlite3.connect(database) as connection:
        runs = connection.execute("SELECT command, started, finished FROM run WHERE finished IS NOT NULL")
        return {
            plain(command): (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
            for command, begin, end in runs.fetchall()
        }


def plain(command: str) -> str:
    """The words of a command without its program, its database and --yes, whatever their quotes."""
    words = [word for word in shlex.split(command) if word != "--yes"]
    if "--db" in words:
        place = words.index("--db")
        del words[place : place + 2]
    return shlex.join(words[1:] if words[0].endswith("mallard") else words)


def measure(command: str, database: Path) -> int:
    words = [str(ROOT / "mallard"), *shlex.split(command), "--db", str(database)]
    return subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the documents' figures again.")
    parser.add_argument("--db", type=Path, default=ROOT / "build" / "measured.db", metavar="FILE")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="begin no later command")
    parser.add_argument("--list", action="store_true", help="show the commands, and their seconds")
    arguments = parser.parse_args()
    taken = seconds_taken(arguments.db)
    if arguments.list:
        for command in commands():
            print(f"{taken[plain(command)]:6.0f} s" if plain(command) in taken else "       -", command)
        return 0
    end = time.monotonic() + 60 * arguments.minutes
    failed = []
    for command in commands():
        if plain(command) in taken:
            continue
        if time.monotonic() > end:
            print(f"not begun: {command}", file=sys.stderr)
        elif measure(command, arguments.db) == INTERRUPTED:
            return INTERRUPTED
        elif plain(command) not in seconds_taken(arguments.db):  # a failed process is a finding, and kept
            failed.append(command)
    for command in failed:
        print(f"failed: {command}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
