#!/usr/bin/env -S python3 -I -S
"""Stands in for the native runner: it speaks the same format, and fails on demand.

FAKE_BENCH is a JSON object:
    describe   what to change in the description
    malloc     the malloc that every row tells of; without it what LD_PRELOAD says
    behaviour  strategy -> one of crash, kill, hang, oom, fail, garbage, foreign, wrong_checksum, hog
    held       [N, file]: every cell but the first N waits until the file is there
    log        a file that gets one line for each cell that was begun: its arguments
"""

import json
import os
import signal
import sys
import time
import zlib

SETTINGS = json.loads(os.environ.get("FAKE_BENCH", "{}"))
PLACES = {"release-clang": "clang++ 16.0.6", "release": "g++ 12.2.0"}
COMPILER = next((text for place, text in PLACES.items() if f"/{place}/" in sys.argv[0]), "fake 1.0")
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
LOCAL = tuple(
    f"{mechanism}{used}"
    for mechanism in ("monotonic", "multipool", "multipool+monotonic")
    for used in ("", "/wink", "/base", "/base/wink")
)
# Time for a leaf element in nanoseconds: made up, with the same order as the papers'.
NANOSECONDS = {"null": 8.0, "new-delete": 60.0, "new-delete-keep": 45.0, "new-delete/base": 63.0}
SHARED = ("synchronized-multipool", "concurrent-multipool")
REUSES = tuple(f"multipool-{order}" for order in ("last", "first", "lowest", "hybrid", "random"))


# Of the real runner: the parts that the fake does not change.
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
with open(os.path.join(TREE, "python/mallard/bench/described.json"), encoding="utf-8") as described:
    DESCRIBED = json.load(described)["experiments"]


def strategy(name: str, allocator: str, binding: str, destruction: str = "normal") -> dict[str, str]:
    return {"name": name, "allocator": allocator, "binding": binding, "destruction": destruction}


def strategies() -> list[dict[str, str]]:
    named = [
        strategy("null", "memory already there", "type parameter", "winked out"),
        strategy("new-delete", "global default", "type parameter"),
        strategy("new-delete-keep", "global default", "type parameter"),
        strategy("new-delete/base", "new/delete", "abstract base"),
    ]
    for name in LOCAL:
        binding = "abstract base" if "/base" in name else "type parameter"
        destruction = "winked out" if "/wink" in name else "normal"
        named.append(strategy(name, name.partition("/")[0], binding, destruction))
    return named


def these(*names: str) -> list[dict[str, str]]:
    return [each for each in strategies() if each["name"] in names]


def variants() -> list[dict[str, object]]:
    return [{**each, "variant": "another order of reuse"} for each in extra(*REUSES)]


def extra(*names: str) -> list[dict[str, object]]:
    return [strategy(name, name, "type parameter") for name in names]


LIBRARY = ("fast-fit", "fixed-pool", "small-object-pool")
ADAPTIVE = tuple(
    f"{name}{burst}"
    for name in ("fixed-pool", "adaptive-pool", "adaptive-pool-aligned", "boost-allocator")
    for burst in ("", "-burst")
)
BURSTS = ("heap", "heap-burst", *ADAPTIVE)
VECTORS = (
    *("heap", "heap-v1", "heap-v2-masked", "heap-v2", "region-heap-v2"),
    *("boost-allocator-v1", "boost-allocator-v2-masked", "boost-allocator-v2", "realloc"),
)
COUNTS = {"elements": [1, 100_000_000], "step": [1, 100_000_000], "iterations": [1, 1_000_000_000]}
CHURN_LIMITS = {"live": [1, 10_000_000], "operations": [1, 1_000_000_000], "most_bytes": [8, 65536]}


def contenders() -> list[dict[str, str]]:
    return [
        strategy("pmr-unsynchronized", "std::pmr::unsynchronized_pool_resource", "abstract base"),
        strategy("boost-pool", "boost::pool", "type parameter"),
    ]


NOT_WINKED = ("new-delete", "new-delete/base", *(name for name in LOCAL if not name.endswith("/wink")))
RECYCLING = tuple(name for name in NOT_WINKED if not name.startswith("monotonic"))
FEW = ("null", "new-delete", "multipool")


def with_limits(experiments: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    return {
        name: {key: value for key, value in DESCRIBED[name].items() if key != "strategies"} | own
        for name, own in experiments.items()
    }


def description() -> dict[str, object]:
    return {
        "format": 1,
        "version": "0.1.0",
        # Stands in for the runner of a preset if it is called from that preset's place.
        "compiler": COMPILER,
        "standard_library": "fake",
        "flags": "-O3",
        "optimised": True,
        "sanitizers": "",
        "commit": "0123abc",
        "build_id": f"fake-build{'' if COMPILER == 'fake 1.0' else ' ' + COMPILER}",
        "experiments": with_limits(
            {
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
                    "strategies": [
                        "new-delete",
                        "monotonic",
                        "monotonic/base",
                        "multipool",
                        "multipool/base",
                    ],
                },
                "locality": {
                    "strategies": these(*RECYCLING) + variants(),
                    "links_log2": [10, 27],
                },
                "utilization": {
                    "strategies": these("null", *NOT_WINKED) + contenders(),
                    "total_log2": [10, 40],
                },
                "contention": {"strategies": these(*NOT_WINKED) + extra(*SHARED), "threads": [1, 64]},
                "fragmentation": {"strategies": strategies() + variants()},
                "small-objects": {
                    "strategies": these(*FEW) + variants() + extra(*LIBRARY, "loki"),
                    "object_bytes": [1, 1024],
                },
                "fixed-block": {
                    "strategies": these(*FEW) + extra("fixed-pool", "class-new", "fixed-string"),
                },
                "adaptive-pool": {"strategies": these(*FEW[1:]) + extra(*ADAPTIVE), "range": [1, 100000]},
                **{
                    name: {"strategies": these(*FEW[:2]) + extra(*VECTORS), **COUNTS}
                    for name in ("expansion-forward", "expansion-backward", "shrink-to-fit")
                },
                "burst": {"strategies": these(*FEW[1:]) + extra(*BURSTS), "range": [1, 100000]},
                "heap-churn": {
                    "strategies": these(*FEW) + extra("heap", "heap/base", "region-heap"),
                    **CHURN_LIMITS,
                },
            }
        ),
        "missing": [{"name": "loki", "package": "libloki-dev", "why": "no loki/SmallObj.h"}],
        **SETTINGS.get("describe", {}),
    }


class Arguments:
    """argparse would double the time that the fake takes to start."""

    def __init__(self, words: list[str]) -> None:
        self.experiment = words[0]
        given = dict(zip(words[1::2], words[2::2], strict=True))
        self.texts = {name.removeprefix("--"): value for name, value in given.items()}
        if self.experiment not in DESCRIBED:
            print(f"mallard-bench: error: unknown {self.experiment}", file=sys.stderr)
            sys.exit(2)

    def text(self, name: str) -> str:
        return self.texts[name]

    def number(self, name: str) -> int:
        return int(self.texts[name])

    def has(self, name: str) -> bool:
        return name in self.texts


# Options that are not called as their parameters, and parameters that are lists in one text.
SHORT = {"size": "size_log2", "product": "product_log2", "inner": "inner_log2"}
TEXTS = ("shuffle_factors", "access_factors")
NOT_OF_THE_CELL = ("strategy", "seed", "repetition", "cpu")


def parameters_of(asked: Arguments) -> dict[str, object]:
    given: dict[str, object] = {}
    for option, text in asked.texts.items():
        name = SHORT.get(option, option.replace("-", "_"))
        if option not in NOT_OF_THE_CELL:
            given[name] = int(text) if text.isdigit() and name not in TEXTS else text
    if asked.experiment == "primitives":
        return {**given, "block_bytes": 24}
    if asked.experiment == "density":
        return {"buffer_bytes": 1 << 30, **given}
    if asked.has("elements"):
        return {"iterations": max(3, 1000 // asked.number("elements")), **given}
    return given


def operations_of(asked: Arguments) -> int:
    if asked.has("product"):
        return 2 ** asked.number("product")
    if asked.experiment == "utilization":
        return 2 ** (asked.number("total-log2") - asked.number("block-log2"))
    if asked.experiment == "contention":
        return 2 ** asked.number("iterations-log2") * asked.number("multiplier")
    counts = ("accesses", "links", "objects", "nodes", "count", "operations", "elements")
    return next((asked.number(name) for name in counts if asked.has(name)), 1000)


def figures_of(asked: Arguments, nanoseconds: float) -> dict[str, float]:
    if asked.experiment == "locality":
        return {
            f"sf{shuffle}_af{access}_ns": nanoseconds * (1.0 + 0.1 * int(shuffle))
            for shuffle in asked.text("shuffle-factors").split(",")
            for access in asked.text("access-factors").split(",")
        } | {
            "build_ns": 30.0,
            "shuffle_ns": 90.0,
            "reallocate_ns": 40.0,
            "reaccess_ns": 5.0,
            "built_bytes": 1.0e6,
            "shuffled_bytes": 1.5e6,
            "list_bytes": 64.0,
        }
    if asked.experiment == "utilization":
        return {"held_bytes": 4096.0, "free_ns": 2.5}
    if asked.experiment == "contention":
        return {"slowest_ns": nanoseconds, "fastest_ns": nanoseconds - 1.0, "cpu_ns_per_pair": nanoseconds}
    if asked.experiment == "small-objects":
        phases = ("allocate_ns", "shuffle_ns", "free_ns", "reallocate_ns", "traverse_ns")
        return dict.fromkeys(phases, nanoseconds) | dict.fromkeys(("held_bytes", "freed_bytes"), 4.0e7)
    if asked.experiment in ("adaptive-pool", "burst"):
        phases = ("insert_ns", "erase_ns", "insert_warm_ns", "erase_warm_ns")
        return dict.fromkeys(phases, nanoseconds) | {"held_bytes": 5.0e7, "overhead_percent": 4.0}
    if asked.has("elements"):
        times = dict.fromkeys(("push_back_ns", "shrink_ns"), nanoseconds)
        return times | {"allocations": 5.0, "expansions_forward": 0.0, "peak_live_bytes": 96.0}
    if asked.experiment == "heap-churn":
        return {"pair_ns": nanoseconds, "fragmentation": 1.1, "fragmentation_10": 1.05}
    return {}


def preloaded(libraries: str) -> str:
    """By its name only: the file of a test is no library."""
    return next((name for name in ("jemalloc", "mimalloc", "tcmalloc") if name in libraries), "glibc")


def result(asked: Arguments, libraries: str) -> dict[str, object]:
    parameters = parameters_of(asked)
    text = json.dumps(parameters, sort_keys=True)
    operations = operations_of(asked)
    place = 3 + LOCAL.index(asked.text("strategy")) if asked.text("strategy") in LOCAL else 0
    nanoseconds = NANOSECONDS.get(asked.text("strategy"), 15.0 + 1.5 * place)
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
        "malloc": SETTINGS.get("malloc", preloaded(libraries)),
        "figures": figures_of(asked, nanoseconds),
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


def hold() -> None:
    """Needs the log, whose lines are the cells that were begun."""
    first, released = SETTINGS.get("held", (0, ""))
    if released:
        with open(SETTINGS["log"], encoding="utf-8") as log:
            begun = len(log.readlines())
        while begun > first and not os.path.exists(released):
            time.sleep(0.02)


def measure(words: list[str], libraries: str) -> str:
    """The line of one cell; `libraries` are the preloaded ones."""
    asked = Arguments(words)
    if "log" in SETTINGS:
        with open(SETTINGS["log"], "a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")
    hold()
    answer = result(asked, libraries)
    misbehave(SETTINGS.get("behaviour", {}).get(asked.text("strategy"), ""), answer)
    return json.dumps(answer)


if __name__ == "__main__":
    if sys.argv[1:] == ["--describe"]:
        print(json.dumps(description()))
    else:
        print(measure(sys.argv[1:], os.environ.get("LD_PRELOAD", "")))
