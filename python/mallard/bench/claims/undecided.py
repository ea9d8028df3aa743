"""Claims without a rule, and the reason why no figure of this machine decides them.

Some describe the authors' machine or settings, and do not apply here. For others mallard has no experiment
yet, so no command measures them.
"""

from __future__ import annotations

from mallard.bench.claims.rule import Key

MACHINE = "describes the authors' machine"
EQUAL_PARAMETER = "a parameter of the experiment; mallard uses this value"
WINDOWS = "concerns Visual C++ on Windows; mallard runs on Linux"
NO_EXPERIMENT = "mallard has no experiment for it yet"
SMALLER_SCALES = (
    "a parameter of the experiment; --paper uses this value, --quick and --standard a smaller one"
)
FIXED_ACCESSES = (
    "a parameter of the experiment; --paper uses this value, other scales fix the number of accesses"
)
LARGER_BLOCKS = "a property of the authors' multipool; mallard's multipool pools larger blocks too"

P0089, P0213 = "P0089R1", "P0213R0"
LOKI, ALLOCPLUS, OPTIMIZED = "Loki_SOA_blog", "allocplus_v0.1", "Optimized_C++_ch13"

NOT_APPLICABLE_HERE: dict[Key, str] = {
    (P0089, "6 setup", "L3 cache of the dual Xeon E5-2620v2 server (6 cores each, 2.1 GHz fixed)"): MACHINE,
    (P0089, "6 setup", "RAM (13 GB available to processes)"): MACHINE,
    (P0089, "6 setup", "compiler gcc-5.1 -O3 -march=native, Linux 3.18"): MACHINE,
    (P0089, "7 setup", "random string length range, uniform"): EQUAL_PARAMETER,
    (P0089, "7 setup", "leaf elements times iterations held constant (log2)"): SMALLER_SCALES,
    (P0089, "7 setup", "leaf elements per composite element, DS5-DS12"): EQUAL_PARAMETER,
    (P0089, "8 setup", "access factor times repeat factor"): FIXED_ACCESSES,
    (P0089, "8 setup", "shuffle factor used for Tables 16-21"): EQUAL_PARAMETER,
    (P0089, "7 general", "MSVC/Windows: gain from custom strategies rarely exceeds"): WINDOWS,
    (P0089, "7 general", "MSVC/Windows: virtual overhead, containers of int"): WINDOWS,
    (P0089, "7 general", "MSVC/Windows: virtual overhead, containers of string"): WINDOWS,
    (P0089, "7 general", "Windows vs Linux-Intel time, containers of int"): WINDOWS,
    (P0089, "7 general", "Power7 gcc: default allocator slower for DS1;DS5;DS9"): (
        "concerns a Power7 processor; this machine has another"
    ),
    (P0089, "9 B III", "multipool maximum pooled block; larger requests pass through"): LARGER_BLOCKS,
    (P0213, "8 setup", "compiler Clang 3.6 on AWS r3.2xlarge (Xeon E5-2670 v2; 8 vCPU)"): MACHINE,
    (P0213, "8 setup", "memory of the machine"): MACHINE,
    (P0213, "9 setup", "static buffer for monotonic strategies (log2)"): (
        "a parameter of the experiment; mallard uses this value if memory allows"
    ),
    (P0213, "9 setup", "random string length range, uniform"): EQUAL_PARAMETER,
    (P0213, "9 setup", "creation/destruction iterations x leaf elements held at (log2)"): SMALLER_SCALES,
    (P0213, "9 DS1", "P0089 global slower than this paper"): "compares the machines of the two papers",
    (P0213, "10 setup", "problem size |G| (log2) for Tables 9-11"): EQUAL_PARAMETER,
    (P0213, "10 setup", "access factor times repeat factor"): FIXED_ACCESSES,
    (P0213, "10 setup", "shuffle passes"): EQUAL_PARAMETER,
    (P0213, "11 B III", "multipool takes its backing allocator above chunk size (log2)"): LARGER_BLOCKS,
    (P0213, "12 setup", "iterations multiplied relative to P0089"): EQUAL_PARAMETER,
    (P0213, "12 B IV", "threads from which all strategies degrade on AWS"): (
        "the paper blames a quirk of its virtual server"
    ),
    (P0213, "13 setup", "randomly sized chunks allocated beforehand (log2)"): EQUAL_PARAMETER,
    (P0213, "13 setup", "random chunk size range, uniform"): EQUAL_PARAMETER,
    (LOKI, "setup", "objects allocated per run"): EQUAL_PARAMETER,
    (ALLOCPLUS, "1 expansion", "dlmalloc minimum allocation, 32-bit (12 usable)"): (
        "a property of 32-bit dlmalloc; this machine is 64-bit and has another malloc"
    ),
    (ALLOCPLUS, "1 expansion", "dlmalloc minimum allocation, 64-bit (24 usable)"): (
        "a property of dlmalloc; this machine has another malloc"
    ),
    (ALLOCPLUS, "2 burst (WinXP/VC2003)", "contiguous bytes per burst allocation (default)"): (
        "a parameter of the author's library"
    ),
    (ALLOCPLUS, "3 adaptive pools", "nodes per block configured (minimum)"): EQUAL_PARAMETER,
    (OPTIMIZED, "intro", "whole-program gain from optimizing memory management"): (
        "concerns programs in general and names none"
    ),
    (OPTIMIZED, "high-performance managers", "faster manager code vs default"): (
        "concerns memory managers in general and names none"
    ),
    (OPTIMIZED, "high-performance managers", "Hoard vs malloc (vendor claim)"): (
        "a vendor's claim about Hoard, which Debian does not package"
    ),
}


def why_not_applicable(key: Key) -> str:
    """The reason; empty if the claim could be measured."""
    return NOT_APPLICABLE_HERE.get(key, "")
