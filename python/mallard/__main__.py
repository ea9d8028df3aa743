"""Runs the command line as `python -m mallard`."""

import signal
import sys

# During the imports, which take half a second, an interrupt ends the process without a traceback. From
# run_reporting_errors on, it is an exception. An ignored interrupt stays ignored.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from mallard.cli import main

if __name__ == "__main__":
    sys.exit(main())
