"""A vector that grows by one element at a time: forward, if its block can grow."""

from __future__ import annotations

from mallard.bench.experiments.vectors_that_grow import FORWARD, growing

EXPERIMENT = growing(
    "expansion-forward",
    "push to the back of a vector that may grow in place",
    (("--elements 10^7 --type int", "a vector that outgrows the caches"),),
    "Forward growth",
    "A vector grows: forward in place",
    FORWARD,
    "Growing forward in place",
)
