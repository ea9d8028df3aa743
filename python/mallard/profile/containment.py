"""The containment of a scope in words, and how sure it is."""

from __future__ import annotations

from mallard.profile.scopes import BreakEven, Scope
from mallard.profile.words import UNKNOWN, share

NEVER = "never"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}"


def told_apart(scope: Scope) -> float | None:
    """The share of the activations that the stacks allow which were told apart. None for a marked scope."""
    seen = scope.separations
    if scope.name is not None or seen is None or not seen.at_most:
        return None
    return min(1.0, seen.seen / seen.at_most)


def exact(scope: Scope) -> bool:
    """False if calls that nothing separates may count as one activation."""
    return scope.name is not None or told_apart(scope) == 1.0


def contained(scope: Scope) -> str:
    """`98 %`, or `≤ 98 %` if it is an upper bound."""
    text = share(scope.figures.containment)
    if exact(scope) or text == UNKNOWN:
        return text
    return f"{AT_MOST} {'100 %' if text.startswith('>') else text}"


def break_even(found: BreakEven | None) -> str:
    """The containment from which a region saves more than it costs; `never` if not even 100 % is enough."""
    if found is None or found.share is None:
        return UNKNOWN
    return share(found.share) if found.share <= 1 else NEVER
