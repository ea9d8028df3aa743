"""How mallard-record is started, and how its messages reach the user."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress

from mallard.advisor.recording.messages import message_lines
from mallard.advisor.recording.program import check_program, find_command

ENDING_SIGNALS = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2),
    signal.SIGPIPE,
)


def program_words(program: Sequence[str], folder: str = "") -> tuple[list[str], list[str]]:
    """The words that follow the options of mallard-record for a program started in `folder`, and notes for
    the user. Raises a UsageError if the program cannot be recorded."""
    command = find_command(program, folder)
    notes = check_program(command.elf)
    return ["--started", command.started, "--elf", command.elf, "--", *command.words], notes


def start_reporter() -> int:
    """Starts a process that prints the messages of the collector, which then takes the place of this process
    and waits for it. Returns: the descriptor for `--facts`."""
    facts, reader = socket.socketpair()
    if os.fork() == 0:
        try:
            facts.close()
            _print_messages(reader)
        finally:
            os._exit(0)
    reader.close()
    facts.set_inheritable(True)
    return facts.detach()


def _print_messages(reader: socket.socket) -> None:
    """Until the collector has ended: it decides what a signal does."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with reader.makefile(encoding="utf-8") as lines:
        for line in lines:
            for text in message_lines(json.loads(line)):
                with suppress(OSError):
                    os.write(2, f"{text}\n".encode(errors="backslashreplace"))
