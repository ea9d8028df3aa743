"""The text of figures, and the palette's step for a ratio."""

from __future__ import annotations

import math
import re

from mallard.shared.stats import Ratio

# Upper ends of the steps, as ratios. "f" is faster, "s" slower, and "eq" has 1 in its interval.
STEPS = (
    (1 / 32, "f6"),
    (1 / 8, "f5"),
    (1 / 4, "f4"),
    (1 / 2, "f3"),
    (0.8, "f2"),
    (1.0, "f1"),
    (1.25, "s1"),
    (2.0, "s2"),
    (4.0, "s3"),
    (8.0, "s4"),
    (32.0, "s5"),
    (math.inf, "s6"),
)
PALETTE = ("", *(name for _, name in STEPS), "eq", "z0", "z1", "z2", "z3", "z4")  # without a colour at first
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LEGEND = (
    ("f6", "under ¹\u2044₃₂"),
    ("f5", "¹\u2044₃₂\u2013⅛"),
    ("f4", "⅛\u2013¼"),
    ("f3", "¼\u2013½"),
    ("f2", "½\u20130.8"),
    ("f1", "0.8\u20131"),
    ("eq", "no difference"),
    ("s1", "1\u20131.25"),
    ("s2", "1.25\u20132"),
    ("s3", "2\u20134"),
    ("s4", "4\u20138"),
    ("s5", "8\u201332"),
    ("s6", "over 32"),
)


def step(ratio: float) -> str:
    return next(name for end, name in STEPS if ratio <= end)


def ratio_step(ratio: Ratio) -> str:
    return "eq" if ratio.verdict == "no difference" else step(ratio.median)


def with_raised_exponents(text: str) -> str:
    """2^27 and 10^6 with a raised exponent."""
    return re.sub(r"\b(2|10)\^(\d+)", lambda match: match[1] + match[2].translate(RAISED), text)
