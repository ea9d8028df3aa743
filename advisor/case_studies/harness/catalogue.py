"""The case studies as data: what is built, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass

UNCHANGED, NULL = "before", "null"
UNDER = "@"  # between a build and the malloc that it runs under
# The strategies of a trial, by the name of the build that has such an allocator of mallard.
OF_MALLARD = {
    "monotonic": "monotonic",
    "multipool": "multipool",
    "multipool_monotonic": "multipool+monotonic",
    "small_object_pool": "small-object-pool",
    "adaptive_pool": "adaptive-pool",
    "heap": "heap",
}


@dataclass(frozen=True)
class Input:
    name: str
    words: tuple[str, ...]  # {FILE} is the generated input, {HERE} the folder of the case study
    generator: str = ""  # what harness/inputs.py writes as FILE
    later: bool = False  # added when the advisor was finished


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    scope: str
    inputs: tuple[Input, ...]
    # Builds other than before and null, and the advice that each one follows: a strategy or a pattern. Of
    # two for one advice the first is taken.
    builds: tuple[tuple[str, str], ...] = tuple(OF_MALLARD.items())
    command: tuple[str, ...] = ()  # an installed program, in place of the case study's own
    package: str = ""  # of the command

    @property
    def program(self) -> str:
        return self.name

    @property
    def strategies(self) -> dict[str, str]:
        return dict(self.builds)

    def find_build(self, strategy: str) -> str:
        """The first build with that strategy, or '' if the library has no place for it."""
        return next((build for build, advice in self.builds if advice == strategy), "")


def _documents(
    small_times: int, large_times: int, records_times: int, whole_times: int, kind: str = "json"
) -> tuple[Input, ...]:
    """Orders from a seed, and a file of Debian: each of its records as a document, and another one whole."""
    return (
        Input("small", ("{FILE}", str(small_times)), f"small_{kind}"),
        Input("large", ("{FILE}", str(large_times)), f"large_{kind}"),
        Input("records", ("{FILE}", str(records_times)), f"records_{kind}", later=True),
        Input("whole", ("{FILE}", str(whole_times)), f"whole_{kind}", later=True),
    )


def _sizes(
    small: tuple[int, ...], large: tuple[int, ...], single: tuple[int, ...], medium: tuple[int, ...]
) -> tuple[Input, ...]:
    """Messages that the program makes itself."""
    return (
        Input("small", tuple(map(str, small))),
        Input("large", tuple(map(str, large))),
        Input("single", tuple(map(str, single)), later=True),
        Input("medium", tuple(map(str, medium)), later=True),
    )


WITH_POOL = (*OF_MALLARD.items(), ("library_pool", "monotonic"))
WITH_POOLS = (*WITH_POOL, ("library_pool_reused", "monotonic"))
ZONES = (("library_pool_reused", "monotonic"),)
# An allocator of a trial is rewound and keeps its chunks, as an arena that is used again does.
REUSED_AND_FRESH = (("library_pool_reused", "monotonic"), ("library_pool", "monotonic"))
ARENAS = (*REUSED_AND_FRESH, ("reused", "reuse"))

CASES = {
    case.name: case
    for case in (
        Case("boost_json", "Boost.JSON", "handle", _documents(150, 100, 60, 80), WITH_POOL),
        Case("nlohmann_json", "nlohmann-json", "handle", _documents(36, 32, 18, 28)),
        Case("rapidjson", "RapidJSON", "handle", _documents(150, 120, 60, 100), WITH_POOLS),
        Case(
            "lua",
            "Lua 5.4",
            "run_script",
            (
                Input("trees", ("{HERE}/trees.lua",)),
                Input("words", ("{HERE}/words.lua",)),
                Input("tokens", ("{HERE}/tokens.lua",), later=True),
                Input("elements", ("{HERE}/elements.lua",), later=True),
            ),
        ),
        Case(
            "protobuf",
            "Protocol buffers",
            "handle",
            _sizes(small=(4, 500, 180), large=(200, 20, 100), single=(1, 2000, 90), medium=(40, 100, 100)),
            ARENAS,
        ),
        Case(
            "msgpack",
            "msgpack-cxx",
            "handle",
            _sizes(small=(8, 500, 600), large=(1000, 10, 240), single=(1, 2000, 500), medium=(100, 100, 190)),
            ZONES,
        ),
        Case(
            "json_server",
            "a server of Boost.Asio and Boost.JSON",
            "handle",
            _documents(80, 60, 16, 35),
            WITH_POOL,
        ),
        Case(
            "grpc_server",
            "a server of gRPC",
            "handle",
            _sizes(small=(4, 1500), large=(200, 300), single=(1, 2500), medium=(40, 1000)),
            REUSED_AND_FRESH,
        ),
        Case(
            "leveldb",
            "LevelDB",
            "main",
            (Input("short", ("90000", "100")), Input("long", ("40000", "1000"))),
            (),
        ),
        Case("pugixml", "pugixml", "handle", _documents(200, 150, 18, 10, "xml")),
        Case("expat", "Expat", "handle", _documents(60, 90, 10, 10, "xml")),
        Case(
            "clang_syntax",
            "clang++ -fsyntax-only",
            "clang_main(int, char**)",
            (
                Input("containers", ("{HERE}/containers.cpp",)),
                Input("algorithms", ("{HERE}/algorithms.cpp",)),
            ),
            (),
            command=("clang++-16", "-std=c++20", "-fsyntax-only"),
            package="clang-16",
        ),
    )
}
