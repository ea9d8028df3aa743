"""`python -m mallard` is the same as `mallard`."""

import sys

from mallard.cli import main

if __name__ == "__main__":
    sys.exit(main())
