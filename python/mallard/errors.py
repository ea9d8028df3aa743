"""The one exception that the command line turns into `mallard: error: ...` and exit status 2."""


class UsageError(Exception):
    """What was asked cannot be done; the text says what, which value, what is allowed and what to do."""


class StoreError(UsageError):
    """The database cannot be opened, read or written; every row committed before stays."""
