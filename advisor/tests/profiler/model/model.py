"""The figures of a profile, from their definitions: slow and plain, one block and activation after another.

Usage: model.py PROFILE_EVENTS [EVENTS [SEED ...]]    random programs
       model.py PROFILE_EVENTS --file TEXT            what mallard-profile --events printed

Each is profiled by PROFILE_EVENTS as well, and all figures are compared.
"""

import json
import subprocess
import sys
from pathlib import Path

from compare import compare
from model_program import Program
from random_events import lines


def check(program: str, text: list[str], title: str) -> None:
    done = subprocess.run(
        [program], input="\n".join(text) + "\n", capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{title}: {program} failed: {done.stderr}")
    compared = compare(Program(text), json.loads(done.stdout))
    print(f"{title}: {compared} figures agree")


def main(words: list[str]) -> None:
    program = words[0]
    if words[1:2] == ["--file"]:
        check(program, Path(words[2]).read_text().splitlines(), words[2])
        return
    events = int(words[1]) if len(words) > 1 else 3000
    for seed in [int(word) for word in words[2:]] or range(6):
        text = list(lines(seed, events, threads=1 + seed % 4, marked=seed % 2 == 0))
        check(program, text, f"seed {seed}")


if __name__ == "__main__":
    main(sys.argv[1:])
