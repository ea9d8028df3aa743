"""The text of a scope's containment, and whether it is exact."""

from __future__ import annotations

from mallard.advisor.profile.scopes import BreakEven, Scope
from mallard.advisor.profile.words import UNKNOWN, share

NEVER = "never"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}"


def separated_share(scope: Scope) -> float | None:
    """The share of the possible activations that the stacks distinguish. None for a marked scope."""
    seen = scope.separations
    if scope.name is not None or seen is None or not seen.at_most:
        return None
    return min(1.0, seen.seen / seen.at_most)


def exact(scope: Scope) -> bool:
    """False if calls that nothing separates may count as one activation."""
    return scope.name is not None or separated_share(scope) == 1.0


def contained(scope: Scope) -> str:
    """`98 %`, or `≤ 98 %` if it is an upper bound."""
    text = share(scope.figures.containment)
    if exact(scope) or text == UNKNOWN:
        return text
    return f"{AT_MOST} {'100 %' if text.startswith('>') else text}"


def break_even(point: BreakEven | None) -> str:
    """The containment from which a region saves more than it costs; `never` if not even 100 % is enough."""
    if point is None or point.share is None:
        return UNKNOWN
    return share(point.share) if point.share <= 1 else NEVER
