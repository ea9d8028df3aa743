"""The errors that the command line prints as `mallard: error: ...` with exit status 2."""


class UsageError(Exception):
    """The request cannot be carried out. The text names the fault, the value, the allowed values and what to
    do."""


class StoreError(UsageError):
    """The database cannot be opened, read or written. Committed rows are kept."""
