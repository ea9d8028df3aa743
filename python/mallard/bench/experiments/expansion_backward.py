"""A vector that grows by one element at a time: backward, into free memory in front of it."""

from __future__ import annotations

from mallard.bench.experiments.vectors_that_grow import BACKWARD, PEAK_LIVE, growing

EXPERIMENT = growing(
    "expansion-backward",
    "push to a vector that may grow to its front only",
    (("--elements 1000 --type int,myint", "bytes to move, and objects to copy"),),
    "Backward growth",
    "A vector grows: backward, to spare memory",
    BACKWARD,
    "Growing backward",
    PEAK_LIVE,
)
