#!/usr/bin/env python3
"""Runs `mallard age` on the servers of servers.py, and stores how they age, and what the model predicts.

    advisor/aged_servers/measure.py --redis PATH              all rows, under glibc
    advisor/aged_servers/measure.py --redis PATH --malloc mimalloc3=/usr/lib/libmimalloc.so.3 large-peaks
    advisor/aged_servers/measure.py documents-large-peaks     one row, stored in place of an earlier one

PATH is a redis-server that was built with MALLOC=libc, as Debian's is not: `apt-get source redis`, then
`make MALLOC=libc`. PostgreSQL and pgbouncer are Debian's, and refuse to run as root. `mallard age` must have
been called before, which builds its programs. The machine should do nothing else.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from servers import SERVERS, requests  # noqa: E402

from mallard.shared.machine import facts  # noqa: E402

STORED = ROOT / "bench/results/aged_servers.json"
FORMAT = 1
PROGRAM = Path(__file__).with_name("servers.py")
PYTHON = "/usr/bin/python3"
POSTGRESQL = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/lib/postgresql"))
START_LOADS = 6  # of mallard age, before the first round of churn
ROUNDS = 12  # of churn
FACTS = ("cpu", "cores", "virtual", "kernel", "libc", "load1")
KINDS = ("large-peaks", "large-steady", "small-peaks")
POOL = """[databases]
postgres = host=localhost port={port} user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
auth_type = any
default_pool_size = 1
server_reset_query =
server_lifetime = 86400
server_idle_timeout = 0
server_login_retry = 0.1
logfile = {folder}/pool.log
pidfile = {folder}/pool.pid
"""


@dataclass(frozen=True)
class Started:
    """A server as `mallard age` starts it, and the place of its clients."""

    words: list[str]
    place: str
    version: str
    options: tuple[str, ...] = ()


def free_port() -> int:
    with socket.create_server(("localhost", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def first_line(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[0]


@contextmanager
def documents(_: argparse.Namespace) -> Iterator[Started]:
    port = str(free_port())
    words = ["env", "PYTHONMALLOC=malloc", PYTHON, str(PROGRAM), "serve", port]
    yield Started(words, port, first_line(PYTHON, "--version"))


@contextmanager
def redis(arguments: argparse.Namespace) -> Iterator[Started]:
    port = str(free_port())
    server = str(arguments.redis)
    version = first_line(server, "--version")
    if "malloc=libc" not in version:
        raise SystemExit(f"{server} is '{version}'; give one that was built with MALLOC=libc by --redis PATH")
    yield Started([server, "--port", port, "--save", ""], port, " ".join(version.split()[:3]))


@contextmanager
def postgresql(_: argparse.Namespace) -> Iterator[Started]:
    """pgbouncer keeps one backend, which serves all clients and so has a past."""
    with tempfile.TemporaryDirectory() as folder:
        port, data = free_port(), f"{folder}/data"
        initdb = [str(POSTGRESQL / "initdb"), "-D", data, "-A", "trust", "-U", "postgres"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
        Path(folder, "pool.ini").write_text(POOL.format(folder=folder, port=port))
        options = ("--stop", f"{POSTGRESQL}/pg_ctl stop -m fast -D {data}", "--port", str(port))
        server = str(POSTGRESQL / "postgres")
        words = [server, "-D", data, "-k", folder, "-h", "localhost", "-p", str(port), "-c", "autovacuum=off"]
        subprocess.run(["pgbouncer", "-d", f"{folder}/pool.ini"], check=True)
        try:
            yield Started(words, folder, first_line(server, "--version"), options)
        finally:
            subprocess.run(["pkill", "--pidfile", f"{folder}/pool.pid"], check=False)


STARTS = {"documents": documents, "redis": redis, "postgresql": postgresql}


def measure(name: str, request: str, churn: str, arguments: argparse.Namespace) -> dict[str, Any]:
    client = f"{shlex.quote(sys.executable)} {shlex.quote(str(PROGRAM))}"
    with STARTS[name](arguments) as server:
        words = [
            *(str(ROOT / "mallard"), "age", "--json", "--age", "young,used,old", "--rounds", "5"),
            *("--global", arguments.malloc, "--loads", str(START_LOADS + ROUNDS), *server.options),
            *("--load", f"{client} load {name} {request} {server.place}"),
            *("--churn", f"{client} churn {name} {churn} {server.place}", "--", *server.words),
        ]
        before = facts()
        done = subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} ended with exit status {done.returncode}")
    answer = json.loads(done.stdout)
    return {
        "server": name,
        "version": server.version,
        "request": request,
        "churn": churn,
        "malloc": arguments.malloc.partition("=")[0],
        "rounds": ROUNDS,
        "requests": requests(SERVERS[name], churn, ROUNDS),
        "commit": first_line("git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": {fact: before[fact] for fact in FACTS},
        "headline": answer["headline"],
        "loads": answer["server"]["loads"],
        "compared": answer["server"]["compared"],
        "slower": answer["server"]["slower"],
        "model": answer["rows"],
    }


def store(row: dict[str, Any]) -> None:
    rows = json.loads(STORED.read_text())["rows"] if STORED.exists() else []
    key = ("server", "request", "churn", "malloc")
    rows = [other for other in rows if any(other[name] != row[name] for name in key)] + [row]
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    STORED.write_text(f'{{"format": {FORMAT}, "rows": [\n  {lines}\n]}}\n')


def main() -> int:
    names = [f"{server}-{kind}" for kind in KINDS for server in STARTS]
    parser = argparse.ArgumentParser(description="Measure how servers age, and what the model predicts.")
    parser.add_argument("--redis", type=Path, default=shutil.which("redis-server"), metavar="PATH")
    parser.add_argument(
        "--malloc", default="glibc", metavar="NAME", help="as mallard age --global (default: glibc)"
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"words of {', '.join(names)} (default: all)")
    arguments = parser.parse_args()
    chosen = [name for name in names if not arguments.rows or any(word in name for word in arguments.rows)]
    for name in chosen:
        server, request, churn = name.split("-")
        row = measure(server, request, churn, arguments)
        print(f"{name}: {row['headline']}", flush=True)
        store(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
