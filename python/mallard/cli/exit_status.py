"""What the exit status of `mallard` says."""

DONE = 0
FINDINGS = 1  # done, but something is not as it should be; or the reader of the output went away
BAD_INPUT = 2
INTERRUPTED = 130
