"""The strategies that can serve a scope (advisor/trial/serve/strategy.cpp), with descriptions."""

from __future__ import annotations

STRATEGIES = {
    "monotonic": "a monotonic allocator (rewound when no block of the scope is live)",
    "multipool": "a multipool",
    "multipool+monotonic": "a multipool over a monotonic allocator (released when no block is live)",
    "small-object-pool": "a small-object pool (for blocks up to 64 bytes)",
    "adaptive-pool": "adaptive pools (one a size, for blocks up to 1 KiB)",
    "heap": "a local heap",
}
