#!/usr/bin/env python3
"""Stands in for the native runner: it speaks the same format, and fails on demand.

FAKE_BENCH is a JSON object:
    describe   what to change in the description
    behaviour  strategy -> one of crash, kill, hang, oom, fail, garbage, foreign, wrong_checksum, hog, slow
    log        a file that gets one line for each cell that was begun: its arguments
"""

import argparse
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("experiment", choices=["density", "primitives"])
    parser.add_argument("--ds")
    parser.add_argument("--operation")
    parser.add_argument("--buffer")
    parser.add_argument("--hash")
    parser.add_argument("--strategy", required=True)
    for name in ("size", "product", "inner", "buffer-bytes", "seed", "repetition"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--cpu", type=int, default=None)
    return parser.parse_args()


def result(asked: argparse.Namespace) -> dict[str, object]:
    if asked.experiment == "density":
        parameters = {
            "ds": asked.ds,
            "size_log2": asked.size,
            "product_log2": asked.product,
            "inner_log2": asked.inner,
            "buffer": asked.buffer,
            "buffer_bytes": asked.buffer_bytes,
            "hash": asked.hash,
        }
    else:
        parameters = {"operation": asked.operation, "product_log2": asked.product, "block_bytes": 24}
    text = json.dumps(parameters, sort_keys=True)
    operations = 2**asked.product
    number = int(asked.strategy[2:]) if asked.strategy[2:].isdigit() else 0
    nanoseconds = NANOSECONDS.get(asked.strategy, 15.0 + 1.5 * number)
    # The same for the same cell, and a percent or two apart between repetitions.
    noise = 1.0 + (zlib.crc32(f"{text}{asked.strategy}{asked.repetition}".encode()) % 40) / 1000.0
    cpu_ns = round(operations * nanoseconds * noise)
    return {
        "format": 1,
        "experiment": asked.experiment,
        "parameters": parameters,
        "strategy": asked.strategy,
        "repetition": asked.repetition,
        "seed": asked.seed,
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
        **({"pinned_cpu": asked.cpu} if asked.cpu is not None else {}),
        **(looked_at_once(text, asked.seed) if asked.repetition == 0 else {}),
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
    asked = arguments()
    if "log" in SETTINGS:
        with open(SETTINGS["log"], "a", encoding="utf-8") as log:
            log.write(" ".join(sys.argv[1:]) + "\n")
    answer = result(asked)
    misbehave(SETTINGS.get("behaviour", {}).get(asked.strategy, ""), answer)
    print(json.dumps(answer))


main()
