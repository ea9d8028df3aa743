#!/usr/bin/env python3
"""Three servers with a past: what `mallard age` calls as the load and the churn of each.

    servers.py serve PORT                        documents over HTTP, in Python objects
    servers.py load SERVER large|small PLACE     the fixed request: builds, reads and drops its own data
    servers.py churn SERVER steady|peaks PLACE   a round of replacement among what the server holds

SERVER is documents, redis or postgresql. PLACE is the port of the first two, and the folder of pgbouncer's
socket for the third. A round replaces items at random; `peaks` then drops 60 % of all items, which the next
round puts back. The number of a round, which the server counts, is the seed of its random choices.
"""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import math
import random
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

DROPPED_SHARE = 0.6
MOST_BYTES = 2048
TEXT = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz ", k=2 * MOST_BYTES))


class Store(Protocol):
    """A server's client. An item has a number, which is negative for those of the load."""

    items: ClassVar[int]  # that the server holds at the peak
    replaced: ClassVar[int]  # by a round of churn
    entries: ClassVar[tuple[int, int]]  # of an item: least and most, log-uniform
    probes: ClassVar[dict[str, tuple[int, int]]]  # size of a load -> items, and entries of each

    def __init__(self, place: str) -> None: ...

    def next_round(self) -> int: ...

    def put(self, item: int, entries: int, rng: random.Random) -> None: ...

    def read(self, item: int) -> None: ...

    def drop(self, item: int) -> None: ...

    def close(self) -> None: ...


def text(rng: random.Random) -> str:
    """16 / sqrt(u) letters, as the blocks of a model's history."""
    length = min(MOST_BYTES, int(16 / math.sqrt(1 - rng.random())))
    begin = rng.randrange(MOST_BYTES)
    return TEXT[begin : begin + length]


class DocumentServer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    documents: ClassVar[dict[str, Any]] = {}
    rounds: ClassVar = 0

    def do_PUT(self) -> None:
        self.documents[self.path] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(b"")

    def do_GET(self) -> None:
        self._answer(json.dumps(self.documents[self.path]).encode())

    def do_DELETE(self) -> None:
        del self.documents[self.path]
        self._answer(b"")

    def do_POST(self) -> None:
        DocumentServer.rounds += 1
        self._answer(str(self.rounds).encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Documents:
    items: ClassVar = 300
    replaced: ClassVar = 250
    entries: ClassVar = (10, 3000)
    probes: ClassVar = {"large": (2, 20_000), "small": (400, 20)}

    def __init__(self, place: str) -> None:
        self._connection = http.client.HTTPConnection("localhost", int(place))

    def next_round(self) -> int:
        return int(self._ask("POST", "/round"))

    def put(self, item: int, entries: int, rng: random.Random) -> None:
        document = [
            {"name": f"entry {number}", "text": text(rng), "tags": [text(rng), number]}
            for number in range(entries)
        ]
        self._ask("PUT", f"/{item}", json.dumps(document))

    def read(self, item: int) -> None:
        self._ask("GET", f"/{item}")

    def drop(self, item: int) -> None:
        self._ask("DELETE", f"/{item}")

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, path: str, body: str | None = None) -> bytes:
        self._connection.request(method, path, body)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: the server answers {answer.status}")
        return content


class Redis:
    items: ClassVar = 1500
    replaced: ClassVar = 1500
    entries: ClassVar = (10, 3000)
    probes: ClassVar = {"large": (4, 20_000), "small": (2000, 20)}

    def __init__(self, place: str) -> None:
        self._socket = socket.create_connection(("localhost", int(place)))
        self._answers = self._socket.makefile("rb")

    def next_round(self) -> int:
        return int(self._call("INCR", "round"))

    def put(self, item: int, entries: int, rng: random.Random) -> None:
        fields = [word for number in range(entries) for word in (f"field {number}", text(rng))]
        self._call("HSET", f"session {item}", *fields)

    def read(self, item: int) -> None:
        self._call("HGETALL", f"session {item}")

    def drop(self, item: int) -> None:
        self._call("DEL", f"session {item}")

    def close(self) -> None:
        self._socket.close()

    def _call(self, *words: str) -> bytes:
        parts = (f"${len(word)}\r\n{word}\r\n" for word in words)
        self._socket.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
        return self._answer()

    def _answer(self) -> bytes:
        line = self._answers.readline().rstrip()
        if line[:1] == b"-" or not line:
            raise SystemExit(f"redis: {line.decode() or 'the connection ended'}")
        if line[:1] == b"*":
            for _ in range(int(line[1:])):
                self._answer()
        elif line[:1] == b"$":
            return self._answers.read(int(line[1:]) + 2)
        return line[1:]


class Postgresql:
    """An item is a prepared statement with a plan, as the applications behind a pool of connections have."""

    items: ClassVar = 1000
    replaced: ClassVar = 500
    entries: ClassVar = (1, 400)
    probes: ClassVar = {"large": (4, 10_000), "small": (400, 10)}

    def __init__(self, place: str) -> None:
        words = ["psql", "-XqAtw", "-v", "ON_ERROR_STOP=1", "-h", place, "-p", "6432", "-U", "postgres"]
        self._psql = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def next_round(self) -> int:
        self._run("SET client_min_messages = error; CREATE TEMP SEQUENCE IF NOT EXISTS rounds;")
        self._run("SELECT nextval('rounds');")
        assert self._psql.stdout
        return int(self._psql.stdout.readline())

    def put(self, item: int, entries: int, rng: random.Random) -> None:
        values = ", ".join(f"'{text(rng)}' || $1" for _ in range(entries))
        self._run(f'PREPARE "statement {item}" (text) AS SELECT ARRAY[{values}] FROM generate_series(1, 2);')
        self.read(item)

    def read(self, item: int) -> None:
        """Six executions: the plan for any parameter is made in the sixth, and kept."""
        for _ in range(6):
            self._run(f"EXECUTE \"statement {item}\" ('x') \\g /dev/null")

    def drop(self, item: int) -> None:
        self._run(f'DEALLOCATE "statement {item}";')

    def close(self) -> None:
        assert self._psql.stdin
        self._psql.stdin.close()
        if self._psql.wait():
            raise SystemExit(f"psql ended with exit status {self._psql.returncode}")

    def _run(self, command: str) -> None:
        assert self._psql.stdin
        print(command, file=self._psql.stdin, flush=True)


SERVERS: dict[str, type[Store]] = {"documents": Documents, "redis": Redis, "postgresql": Postgresql}


def load(store: Store, size: str) -> None:
    rng = random.Random(size)
    items, entries = store.probes[size]
    for item in range(-items, 0):
        store.put(item, entries, rng)
        store.read(item)
        store.drop(item)


def churn(store: Store, pattern: str) -> None:
    number = store.next_round()
    for item in range(store.items) if number == 1 else dropped(store, pattern, number - 1):
        put(store, item, random.Random(f"{number} {item}"))
    rng = random.Random(number)
    for _ in range(store.replaced):
        item = rng.randrange(store.items)
        store.drop(item)
        put(store, item, rng)
    for item in dropped(store, pattern, number):
        store.drop(item)


def dropped(store: Store, pattern: str, number: int) -> Sequence[int]:
    """The items that are missing after a round."""
    return random.Random(f"drop {number}").sample(range(store.items), dropped_count(type(store), pattern))


def dropped_count(store: type[Store], pattern: str) -> int:
    return int(DROPPED_SHARE * store.items) if pattern == "peaks" else 0


def put(store: Store, item: int, rng: random.Random) -> None:
    least, most = store.entries
    store.put(item, round(math.exp(rng.uniform(math.log(least), math.log(most)))), rng)


def requests(store: type[Store], churn: str, rounds: int) -> int:
    """Items that are put in so many rounds, without those of the first fill."""
    return rounds * store.replaced + (rounds - 1) * dropped_count(store, churn)


def main() -> int:
    match sys.argv[1:]:
        case ["serve", port]:
            http.server.HTTPServer(("localhost", int(port)), DocumentServer).serve_forever()
        case ["load", server, size, place]:
            with contextlib.closing(SERVERS[server](place)) as store:
                load(store, size)
        case ["churn", server, pattern, place]:
            with contextlib.closing(SERVERS[server](place)) as store:
                churn(store, pattern)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
