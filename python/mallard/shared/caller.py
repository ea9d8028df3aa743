"""What a program inherits from the caller of mallard: the environment, and signals that are ignored."""

from __future__ import annotations

import os
import signal
from pathlib import Path

IGNORED = "MALLARD_IGNORED"  # the caller's SigIgn of /proc/self/status, set by ./mallard


def environment() -> dict[str, str]:
    """The user's environment, without the variables set by ./mallard and, in the C locale, by Python."""
    first = Path("/proc/self/environ").read_bytes().split(b"\0")
    own = {"MALLARD_ROOT", IGNORED}
    if not any(variable.startswith(b"LC_CTYPE=") for variable in first):
        own.add("LC_CTYPE")
    return {name: value for name, value in os.environ.items() if name not in own}


def signal_name(number: int) -> str:
    """`SIGSEGV`, or `signal 99`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def restore_ignored_signals() -> None:
    """Call this before exec, or in `preexec_fn`.

    Python ignores SIGPIPE and SIGXFSZ from its start on, and hides whether its caller did, as systemd does.
    ./mallard reports that.
    """
    ignored = int(os.environ.get(IGNORED, "0"), 16)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN if ignored >> (number - 1) & 1 else signal.SIG_DFL)
