"""The exit statuses of `mallard`."""

DONE = 0
FINDINGS = 1  # done, but the results need attention
ERROR = 2  # bad input, a missing tool, output that cannot be written: standard error has the reason
INTERRUPTED = 130  # the status of a program that SIGINT ended
READER_CLOSED = 141  # the status of a program that SIGPIPE ended, as in `mallard show | head -1`
