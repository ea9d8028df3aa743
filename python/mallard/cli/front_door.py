"""The question of ./mallard before it sets anything up: is the command right, and what does it need?

It runs with the standard library alone. A wrong command ends here, with exit status 2.
"""

from __future__ import annotations

import sys

from mallard.cli import reported, understood
from mallard.command_line.exit_status import DONE
from mallard.command_line.needs import ANSWER
from mallard.command_line.parser import Answer


def main() -> int:
    try:
        lines = understood(sys.argv[1:]).needs().lines()
    except Answer:
        lines = [ANSWER]
    print(*lines, sep="\n")
    return DONE


if __name__ == "__main__":
    sys.exit(reported(main))
