"""Fewer rounds for arms that cannot be the answer, and further ones where intervals are too wide for it.

After the first rounds, the arms leave that cannot save as much as the best one surely does, or enough for a
change. Only arms that are not the answer have fewer rounds, so no saving is advised for its noise.

Rounds that are added until an effect looks significant end in false advice. Here their number is decided
once, after the planned rounds, by the widths of the intervals, which do not depend on the sign of an effect.
Without further rounds remain the trials in which they cannot change the answer:

- no arm may still save enough to be worth a change, so that nothing is advised;
- the best arm saves time at SURE, and no other one may save much more.

The intervals of arms with further rounds are at SURE: several arms are compared, each of them twice, and
after some tens of rounds a median's interval has a little less than its confidence. The other arms, which are
not the answer, keep their intervals. A simulation in the tests counts the false advice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from mallard.shared.stats import Difference

SURE = 0.9995
MOST_ROUNDS = 149  # with the planned ones
FIRST_ROUNDS = 3  # after which arms leave
LEAST_GROWTH = 3  # times the planned rounds; after fewer, the interval at SURE is no narrower


def final_interval(time: Difference, planned: int) -> Difference:
    """At SURE after further rounds."""
    return time.at(SURE) if time.n > planned else time


def possible_answers(times: Mapping[str, Difference], least: float) -> list[str]:
    """The arms that may save at least `least` seconds, and as much as the best one surely does."""
    certain = max((-time.high for time in times.values()), default=0.0)
    return [name for name, time in times.items() if -time.low >= max(certain, least)]


def further_rounds(
    times: Mapping[str, Difference], least: float, runs: int, others: int
) -> tuple[int, list[str]]:
    """The number of further rounds, in at most so many runs, and the arms that take part in them, besides
    `others` of them. `times` has the change of time by arm; `least` seconds are worth a change.
    """
    planned = max((time.n for time in times.values()), default=0)
    sure = {name: time.at(SURE) for name, time in times.items() if time.n == planned > 1}
    leaders = [name for name, time in sure.items() if time.high < 0 and -time.median >= least]
    leader = min(leaders, key=lambda name: sure[name].high, default=None)
    certain = -sure[leader].high if leader else 0.0
    rivals = [name for name in sure if name != leader and -times[name].low >= certain + least]
    arms = [*([leader] if leader else []), *rivals]
    if not rivals or least <= 0 or max(times[name].width for name in arms) < least:
        return 0, []
    # The width falls with the root of the rounds.
    needed = math.ceil(planned * (max(sure[name].width for name in arms) / least) ** 2)
    total = min(MOST_ROUNDS, needed, planned + runs // (len(arms) + others))
    return (total - planned, arms) if total >= LEAST_GROWTH * planned else (0, [])
