"""What a stranger types first, in bare Debians that are made anew, as root and as a user who has sudo.

MALLARD_FRESH=whole types all of README's commands in all of them, which takes hours. The times go to RESULTS,
which docs/refresh.py prints for docs/testing.md."""

import fcntl
import json
import os
import re
import sys
import time

import pytest
from bare_debian import BareDebian
from source_tree import ROOT, clone_tree

from mallard.bench.analysis.survey import QUESTIONS

RESULTS = ROOT / "build/fresh/times.json"
FORM = os.environ.get("MALLARD_FRESH", "short")
WHOLE = FORM == "whole"
SHORT_FORM = (("trixie", "root"), ("sid", "stranger"), ("bookworm", "stranger"))
OTHERS = (("trixie", "stranger"), ("sid", "root"), ("bookworm", "root"))

SURVEY = "./mallard bench | tee answer.txt"
ADVICE = "./mallard advise --quick -- apt-config dump"
CONFIGURATION = "./mallard test --until configure"
# Presets of the stages of --full that need no further package.
OTHER_CONFIGURATIONS = f"{CONFIGURATION} runner optimised no-exceptions"
BUILD = "./mallard test --until build"
TESTS = "./mallard test | tee counts.txt"


def commands(release):
    if WHOLE:
        return [SURVEY, ADVICE, TESTS if release == "trixie" else BUILD]
    # The others' native programs are built here; the stages of the machine itself build those of bookworm.
    program = {"trixie": [SURVEY], "sid": [ADVICE]}.get(release, [])
    return [CONFIGURATION, OTHER_CONFIGURATIONS, *program]


def check(command, output):
    """The words that the command prints whatever the machine's speed."""
    if command == SURVEY:
        for question in QUESTIONS:
            assert question.text in output
    elif command == ADVICE:
        assert "estimate:" in output
    else:
        counts = re.findall(r"^(\d+) passed, 0 failed, \d+ skipped$", output, re.MULTILINE)
        assert counts, output
        assert int(counts[-1]) > 0


def make_user(debian, user):
    """Returns the user's home. sudo is the only addition to a bare Debian."""
    if user == "root":
        return "root"
    done = debian.run(f"useradd --create-home --shell /bin/bash {user}")
    assert done.returncode == 0, done.stderr
    (debian.root / "etc/sudoers.d" / user).write_text(f"{user} ALL=(ALL) NOPASSWD: ALL\n")
    return f"home/{user}"


def store(release, user, command, seconds):
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = json.loads(file.read() or "{}")
        file.truncate(0)
        name = f"{release}, {'root' if user == 'root' else 'a user with sudo'}, {command.partition(' |')[0]}"
        entry = {"seconds": round(seconds), "date": time.strftime("%Y-%m-%d", time.gmtime())}
        file.write(json.dumps({**known, name: entry}, indent=1) + "\n")


def test_form_is_known():
    assert FORM in ("short", "whole"), f"MALLARD_FRESH={FORM}; allowed are short and whole"


@pytest.mark.parametrize(("release", "user"), [*SHORT_FORM, *(OTHERS if WHOLE else ())])
def test_first_commands_succeed(release, user, tmp_path, capsys):
    def show(line):
        with capsys.disabled():  # a stage that prints nothing for long is ended
            print(f"{release} {user}: {line}", file=sys.stderr, flush=True)

    debian = BareDebian(tmp_path / "root", release, () if user == "root" else ("sudo",))
    try:
        home = make_user(debian, user)
        clone_tree(debian.root / home / "mallard")
        assert debian.run(f"chown -R {user}: /{home}").returncode == 0
        for command in commands(release):
            show(f"$ {command}")
            start = time.monotonic()
            status, output = debian.type(
                f"cd ~/mallard; {command}", "y", show, user, HOME=f"/{home}", TERM="dumb", COLUMNS="100"
            )
            assert status == 0, f"{command}: exit status {status}\n{output}"
            assert "mallard: error" not in output
            check(command, output)
            store(release, user, command, time.monotonic() - start)
    finally:
        debian.remove()
