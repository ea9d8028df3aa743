"""Runs the command line as `python -m mallard`."""

import sys

from mallard.cli import main

if __name__ == "__main__":
    sys.exit(main())
