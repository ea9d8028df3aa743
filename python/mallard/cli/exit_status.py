"""The end of a command: its exit status, errors in one line, and standard streams that are closed or fail.

A failure of standard output raises an OutputError. A failure of standard error is ignored: a
benchmark continues without showing its progress.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TextIO, cast

from mallard.shared.errors import UsageError
from mallard.shared.prose import printable

DONE = 0
FINDINGS = 1  # done, but the results need attention
ERROR = 2  # bad input, a missing tool, output that cannot be written: standard error has the reason
INTERRUPTED = 130  # the status of a program that SIGINT ended
READER_CLOSED = 141  # the status of a program that SIGPIPE ended, as in `mallard show | head -1`

REMEDY = "redirect it: '> FILE', or '> /dev/null' for no output"


class OutputError(UsageError):
    """Standard output is closed or cannot be written."""


class ReaderGone(Exception):  # noqa: N818 - no error
    """The reader of the pipe has closed it. The verb ends without a message."""


# Substitutes for letters that the encoding of a terminal lacks. Others are escaped.
PLAIN = {"±": "+-", "·": ".", "…": "...", "→": "->", "≤": "<=", "░": "-"}
PLAIN |= dict.fromkeys("█▉▊▋▌", "#") | dict.fromkeys("▍▎▏", "-")
PLAIN_ERRORS = "mallard-plain"


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    return PLAIN.get(letter) or repr(letter)[1:-1].encode(
        "ascii", "backslashreplace"
    ).decode(), error.start + 1


codecs.register_error(PLAIN_ERRORS, _plain)


class _Stream:
    """Forwards every call to a stream. `failed` takes the errors of the system."""

    def __init__(self, stream: TextIO, failed: Callable[[OSError], None]) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAIN_ERRORS)
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
        # The interpreter flushes again at exit, which must not fail.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._failed(error)


@contextlib.contextmanager
def guard_streams() -> Iterator[None]:
    """Guards both streams in its block. Raises an OutputError at once if standard output is closed, so that
    nothing is done without a way to show the result.
    """
    output, errors = cast("TextIO | None", sys.stdout), cast("TextIO | None", sys.stderr)
    with contextlib.ExitStack() as opened:
        # This also occupies the descriptor, so that no database is opened as standard error.
        stream = errors or opened.enter_context(open(os.devnull, "w", encoding="utf-8"))
        sys.stderr = cast("TextIO", _Stream(stream, _drop))
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


def print_error(text: str) -> None:
    """Writes a line to standard error, if that is possible."""
    if sys.stderr is not None:
        print(text, file=cast("TextIO", _Stream(sys.stderr, _drop)), flush=True)


@contextlib.contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """Treats Ctrl-C, a kill and a closed terminal alike, so that no process that is measured stays behind.

    An ignored signal stays ignored: nohup is for runs that outlast their terminal.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heeded = [number for number in signals if signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def run_reporting_errors(act: Callable[[], int]) -> int:
    """Returns the result of `act`, or reports its error in one line and returns the exit status."""
    try:
        with guard_streams(), _ended_like_an_interrupt():
            return act()
    except UsageError as error:
        print_error(f"mallard: error: {printable(str(error))}")
        return ERROR
    except KeyboardInterrupt:
        print_error("mallard: interrupted")
        return INTERRUPTED
    except ReaderGone:
        return READER_CLOSED
