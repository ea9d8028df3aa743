#!/usr/bin/env -S python3 -I -S
"""Stands in for the native runner: it speaks the same format, and fails on demand.

FAKE_BENCH is a JSON object:
    describe   what to change in the description
    behaviour  strategy -> one of crash, kill, hang, oom, fail, garbage, foreign, wrong_checksum, hog, slow
    log        a file that gets one line for each cell that was begun: its arguments
"""

import json
import os
import signal
import sys
import time
import zlib

SETTINGS = json.loads(os.environ.get("FAKE_BENCH", "{}"))
TYPES = (
    "vector<int>",
    "vector<string>",
    "unordered_set<int>",
    "unordered_set<string>",
    "vector<vector<int>>",
    "vector<vector<string>>",
    "vector<unordered_set<int>>",
    "vector<unordered_set<string>>",
    "unordered_set<vector<int>>",
    "unordered_set<vector<string>>",
    "unordered_set<unordered_set<int>>",
    "unordered_set<unordered_set<string>>",
)
ALLOCATORS = ("monotonic", "multipool", "multipool backed by monotonic")
BINDINGS = ("type parameter", "type parameter", "abstract base", "abstract base")
# Time for a leaf element in nanoseconds: made up, with the same order as the papers'.
NANOSECONDS = {"null": 8.0, "AS1": 60.0, "AS1-keep": 45.0, "AS2": 63.0}


def strategies() -> list[dict[str, str]]:
    named = [
        {
            "name": "null",
            "allocator": "memory already there",
            "binding": "type parameter",
            "destruction": "winked out",
        },
        {"name": "AS1", "allocator": "global default", "binding": "type parameter", "destruction": "normal"},
        {
            "name": "AS1-keep",
            "allocator": "global default",
            "binding": "type parameter",
            "destruction": "normal",
        },
        {"name": "AS2", "allocator": "new/delete", "binding": "abstract base", "destruction": "normal"},
    ]
    for number in range(3, 15):
        named.append(
            {
                "name": f"AS{number}",
                "allocator": ALLOCATORS[(number - 3) // 4],
                "binding": BINDINGS[(number - 3) % 4],
                "destruction": "winked out" if number % 2 == 0 else "normal",
            }
        )
    return named


def description() -> dict[str, object]:
    return {
        "format": 1,
        "version": "0.1.0",
        "compiler": "fake 1.0",
        "standard_library": "fake",
        "flags": "-O3",
        "optimised": True,
        "sanitizers": "",
        "commit": "0123abc",
        "build_id": "fake-build",
        "experiments": {
            "density": {
                "structures": [
                    {"name": f"DS{place + 1}", "type": text, "inner_log2": 7 if place >= 4 else 0}
                    for place, text in enumerate(TYPES)
                ],
                "strategies": strategies(),
                "sizes_log2": list(range(6, 17)),
            },
            "primitives": {
                "operations": [
                    {"name": "pair", "text": "allocate and deallocate 24 bytes"},
                    {"name": "create", "text": "create, allocate 24 bytes, destroy"},
                ],
                "strategies": ["AS1", "AS3", "AS5", "AS7", "AS9"],
            },
        },
        **SETTINGS.get("describe", {}),
    }


class Arguments:
    """argparse would double the time that the fake takes to start."""

    def __init__(self, words: list[str]) -> None:
        self.experiment = words[0]
        given = dict(zip(words[1::2], words[2::2], strict=True))
        self._texts = {name.removeprefix("--"): value for name, value in given.items()}
        unknown = sorted(set(self._texts) - set(OPTIONS))
        if unknown or self.experiment not in ("density", "primitives"):
            print(f"mallard-bench: error: unknown {unknown or self.experiment}", file=sys.stderr)
            sys.exit(2)

    def text(self, name: str) -> str:
        return self._texts[name]

    def number(self, name: str) -> int:
        return int(self._texts[name])

    def has(self, name: str) -> bool:
        return name in self._texts


OPTIONS = (
    "ds",
    "operation",
    "buffer",
    "hash",
    "pages",
    "strategy",
    "size",
    "product",
    "inner",
    "buffer-bytes",
    "seed",
    "repetition",
    "cpu",
)


def result(asked: Arguments) -> dict[str, object]:
    if asked.experiment == "density":
        parameters = {
            "ds": asked.text("ds"),
            "size_log2": asked.number("size"),
            "product_log2": asked.number("product"),
            "inner_log2": asked.number("inner"),
            "buffer": asked.text("buffer"),
            "buffer_bytes": asked.number("buffer-bytes") if asked.has("buffer-bytes") else 1 << 30,
            "hash": asked.text("hash"),
            "pages": asked.text("pages"),
        }
    else:
        parameters = {
            "operation": asked.text("operation"),
            "product_log2": asked.number("product"),
            "block_bytes": 24,
        }
    text = json.dumps(parameters, sort_keys=True)
    operations = 2 ** asked.number("product")
    number = int(asked.text("strategy")[2:]) if asked.text("strategy")[2:].isdigit() else 0
    nanoseconds = NANOSECONDS.get(asked.text("strategy"), 15.0 + 1.5 * number)
    # The same for the same cell, and a percent or two apart between repetitions.
    noise = (
        1.0
        + (zlib.crc32(f"{text}{asked.text('strategy')}{asked.number('repetition')}".encode()) % 40) / 1000.0
    )
    cpu_ns = round(operations * nanoseconds * noise)
    return {
        "format": 1,
        "experiment": asked.experiment,
        "parameters": parameters,
        "strategy": asked.text("strategy"),
        "repetition": asked.number("repetition"),
        "seed": asked.number("seed"),
        "status": "ok",
        "cpu_ns": cpu_ns,
        "wall_ns": cpu_ns,
        "user_ns": cpu_ns,
        "system_ns": 0,
        "operations": operations,
        "iterations": 64,
        "minor_faults": 3,
        "major_faults": 0,
        "peak_rss_bytes": 1 << 24,
        "spills": 0,
        "load1": 0.1,
        "notes": [],
        **({"pinned_cpu": asked.number("cpu")} if asked.has("cpu") else {}),
        **(looked_at_once(text, asked.number("seed")) if asked.number("repetition") == 0 else {}),
    }


def looked_at_once(text: str, seed: int) -> dict[str, object]:
    checksum = f"{zlib.crc32(f'{text}{seed}'.encode()):08x}"
    return {"checksum": checksum, "allocations": 17, "deallocations": 17}


def misbehave(how: str, answer: dict[str, object]) -> None:
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "hang":
        time.sleep(3600)
    elif how == "slow":
        time.sleep(0.2)
    elif how == "oom":
        print(json.dumps({**answer, "status": "out_of_memory", "cpu_ns": 0}))
        sys.exit(3)
    elif how == "fail":
        print("mallard-bench: error: nothing works today", file=sys.stderr)
        sys.exit(1)
    elif how == "garbage":
        print("this is no JSON")
        sys.exit(0)
    elif how == "foreign":
        answer["strategy"] = "AS99"
    elif how == "wrong_checksum":
        answer["checksum"] = "deadbeef" if "checksum" in answer else ""
    elif how == "hog":
        try:
            taken = bytearray(1 << 46)
            answer["peak_rss_bytes"] = len(taken)
        except MemoryError:
            print("mallard-bench: error: out of memory", file=sys.stderr)
            sys.exit(3)


def main() -> None:
    if sys.argv[1:] == ["--describe"]:
        print(json.dumps(description()))
        return
    asked = Arguments(sys.argv[1:])
    if "log" in SETTINGS:
        with open(SETTINGS["log"], "a", encoding="utf-8") as log:
            log.write(" ".join(sys.argv[1:]) + "\n")
    answer = result(asked)
    misbehave(SETTINGS.get("behaviour", {}).get(asked.text("strategy"), ""), answer)
    print(json.dumps(answer))


main()
