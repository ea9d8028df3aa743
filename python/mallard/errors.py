"""The errors that the command line prints as `mallard: error: ...` with exit status 2."""


class UsageError(Exception):
    """The request cannot be done. The text says what is wrong, which value, what is allowed and what to
    do."""


class StoreError(UsageError):
    """The database cannot be opened, read or written. Every row committed before stays."""
