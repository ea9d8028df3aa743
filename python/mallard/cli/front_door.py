"""The check that ./mallard runs before it sets anything up: is the command valid, and what does it need?

Runs with the standard library alone. A bad command ends here, with exit status 2. Help, and a verb that
needs nothing, are answered here on standard output, so that one start of Python serves them. The needs go to
file descriptor NEEDS_FD: ANSWERED, or the lines that mallard.cli.needs explains.
"""

from __future__ import annotations

import contextlib
import os
import sys

from mallard.cli import parse_command, print_answer
from mallard.cli.exit_status import run_reporting_errors
from mallard.cli.needs import ANSWERED, NOTHING
from mallard.cli.parser import Answer

NEEDS_FD = 3


def main() -> int:
    try:
        command = parse_command(sys.argv[1:])
        needs = command.needs()
    except Answer as answer:
        status = print_answer(answer)
        needs = NOTHING
    else:
        status = command.run() if needs == NOTHING else 0
    lines = [ANSWERED] if needs == NOTHING else needs.lines()
    with contextlib.suppress(BrokenPipeError):  # ./mallard was killed meanwhile
        os.write(NEEDS_FD, "".join(f"{line}\n" for line in lines).encode())
    return status


if __name__ == "__main__":
    sys.exit(run_reporting_errors(main))
