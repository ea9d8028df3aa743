#!/usr/bin/env python3
"""The load of docs/advisor/tutorial.md: orders of a hundred items, on two connections to server.cpp.

    client.py PORT ORDERS

Waits until the server listens. Prints how many orders were answered, and what they cost.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time

SECONDS_TO_CONNECT = 30
SAMPLES, ITEMS = 20, 100


def order(draw: random.Random) -> bytes:
    items = [
        {
            "sku": draw.randrange(10**6),
            "price": draw.randrange(1, 100) / 4,
            "quantity": draw.randrange(1, 9),
            "tags": [f"category {draw.randrange(9)}", f"tag {draw.randrange(99)}"],
        }
        for _ in range(ITEMS)
    ]
    customer = f"customer {draw.randrange(25)}"
    text = json.dumps({"customer": customer, "items": items}, separators=(",", ":")).encode()
    return len(text).to_bytes(4, "big") + text


def connect(port: int) -> socket.socket:
    end = time.monotonic() + SECONDS_TO_CONNECT
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def main() -> None:
    port, orders = map(int, sys.argv[1:])
    draw = random.Random(1)
    samples = [order(draw) for _ in range(SAMPLES)]
    connections = [connect(port) for _ in range(2)]
    files = [connection.makefile("rb") for connection in connections]
    total = 0.0
    for number in range(0, orders, len(connections)):
        for place, connection in enumerate(connections):
            connection.sendall(samples[(number + place) % SAMPLES])
        for file in files:
            total += json.loads(file.readline())["total"]
    for connection in connections:
        connection.close()
    print(f"{orders} orders of {total:,.2f}")


if __name__ == "__main__":
    main()
