"""What the exit status of `mallard` says."""

DONE = 0
FINDINGS = 1  # done, but something is not as it should be
ERROR = 2  # bad input, a tool that is missing, output that cannot be written: the line on standard error says
INTERRUPTED = 130  # as of a program that SIGINT ended
READER_GONE = 141  # as of a program that SIGPIPE ended: nobody read on, as in `mallard list | head -1`
