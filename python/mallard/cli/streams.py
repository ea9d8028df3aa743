"""Standard output and standard error that may be closed, or lead to where nothing can be written any more.

What cannot be written to standard output ends the verb by an OutputError. What cannot be written to
standard error is dropped: it was to be read at once, by nobody, and a benchmark goes on without its progress.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

from mallard.errors import UsageError

REMEDY = "send it where it can be written: '> FILE', or '> /dev/null' for none"


class OutputError(UsageError):
    """Standard output is closed, or takes no more."""


class ReaderGone(Exception):  # noqa: N818 - no error
    """The reader of the pipe went away, which is nothing to complain of."""


class _Stream:
    """Hands everything on; an error of the system goes to `failed`."""

    def __init__(self, stream: TextIO, failed: Callable[[OSError], None]) -> None:
        self._stream = stream
        self._failed = failed

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _lose(self, error: OSError) -> None:
        # The interpreter flushes once more at its end; what is left must go somewhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._failed(error)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Whatever is printed meanwhile goes through guarded streams. Standard output that is closed is an
    OutputError at once, before anything is done whose outcome nobody could learn.
    """
    output, errors = cast("TextIO | None", sys.stdout), cast("TextIO | None", sys.stderr)
    with contextlib.ExitStack() as opened:
        # Its descriptor is taken, too: no database must be opened where others write their complaints.
        there = errors or opened.enter_context(open(os.devnull, "w", encoding="utf-8"))
        sys.stderr = cast("TextIO", _Stream(there, _drop))
        try:
            if output is None:
                raise OutputError(f"standard output is closed; {REMEDY}")
            sys.stdout = cast("TextIO", _Stream(output, _end))
            try:
                yield
            except BaseException:
                with contextlib.suppress(OutputError, ReaderGone):
                    sys.stdout.flush()
                raise
            sys.stdout.flush()
        finally:
            sys.stdout, sys.stderr = cast("TextIO", output), cast("TextIO", errors)


def _drop(error: OSError) -> None:
    pass


def _end(error: OSError) -> None:
    if isinstance(error, BrokenPipeError):
        raise ReaderGone from None
    raise OutputError(f"standard output cannot be written: {error.strerror}; {REMEDY}") from None


def tell(text: str) -> None:
    """A line on standard error, if anybody can get it."""
    if sys.stderr is not None:
        print(text, file=cast("TextIO", _Stream(sys.stderr, _drop)), flush=True)
