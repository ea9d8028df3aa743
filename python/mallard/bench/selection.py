"""Selections by name, number or range: `1,4-6`, `6..16`, `new-delete,multipool/wink`, `AS1,AS7-AS10`.

Each parser takes the text, its option and the available items. It returns the selected items in their
order, each once. Invalid text raises a UsageError that names what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mallard.bench.strategy_names import aliases_for
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean


def select_names(text: str, option: str, available: Sequence[str]) -> list[str]:
    """Names with or without their letters (`DS4`, `ds4`, `4`), and ranges of them (`DS4-DS6`, `4-6`)."""
    return _select(text, option, available, {name: name for name in available}, in_words(available))


def select_strategies(text: str, option: str, available: Sequence[str]) -> list[str]:
    """Names or aliases: P0089's numbers, ranges of them (`AS7-AS10`, `7-10`)."""
    aliases = aliases_for(available)
    numbers = in_words(list(aliases))
    allowed = (
        f"{in_words(available)}; of these the papers number {numbers}" if numbers else in_words(available)
    )
    return _select(text, option, available, {name: name for name in available} | aliases, allowed)


def _select(
    text: str, option: str, available: Sequence[str], known: Mapping[str, str], allowed: str
) -> list[str]:
    """`known` maps the names in `available` and their aliases to names."""
    chosen: set[str] = set()
    for item in _items(text, option, allowed):
        chosen.update(_named(item, known) or _range_of_names(item, option, known, allowed))
    return [name for name in available if name in chosen]


def select_sizes(text: str, option: str, available: Sequence[int]) -> list[int]:
    """Exponents of two: `6..16`, `6-16`, `6,8,10`, `2^10`."""
    return _numbers(text, option, available, "size", " (exponents of two)", r"(?:2\^)?")


def select_numbers(text: str, option: str, available: Sequence[int]) -> list[int]:
    """Whole numbers: `1..8`, `1-8`, `1,2,4`."""
    return _numbers(text, option, available, "number", "", "")


def select_counts(text: str, option: str, least: int, most: int) -> list[int]:
    """Counts as powers or plain numbers, in ascending order: `2^21`, `10^7`, `2097152`, `2^0..2^8`."""
    low, high = least.bit_length() - 1, most.bit_length() - 1
    allowed = f"{least} to {most}, as in {option} 2^{low}..2^{high} or {option} {least},{most}"
    chosen: set[int] = set()
    for item in _items(text, option, allowed):
        chosen.update(_counts(item, option, allowed))
    outside = [count for count in sorted(chosen) if not least <= count <= most]
    if outside:
        raise UsageError(f"{option}: {outside[0]} is not possible; allowed are {allowed}")
    return sorted(chosen)


def select_count(text: str, option: str, least: int, most: int) -> int:
    chosen = select_counts(text, option, least, most)
    if len(chosen) > 1:
        raise UsageError(f"{option} {text}: give one number")
    return chosen[0]


def _counts(item: str, option: str, allowed: str) -> list[int]:
    powers = re.fullmatch(r"(2|10)\^(\d{1,2})(?:(?:\.\.|-)(?:(2|10)\^)?(\d{1,2}))?", item, re.ASCII)
    if powers and powers[3] in (None, powers[1]):
        base, first = int(powers[1]), int(powers[2])
        last = int(powers[4] or first)
        if first > last:
            raise UsageError(f"{option} {item} is an empty range; write {base}^{last}..{base}^{first}")
        return [int(base**exponent) for exponent in range(first, last + 1)]
    if re.fullmatch(r"\d{1,18}", item, re.ASCII):
        return [int(item)]
    raise UsageError(f"{option} '{item}' is not a number; allowed are {allowed}")


def _numbers(
    text: str, option: str, available: Sequence[int], noun: str, meaning: str, prefix: str
) -> list[int]:
    all_of_them = f"{min(available)}..{max(available)}"
    allowed = f"{all_of_them}{meaning}, as in {option} {all_of_them} or {option} {_example_pair(available)}"
    chosen: set[int] = set()
    for item in _items(text, option, allowed):
        match = re.fullmatch(rf"{prefix}(\d{{1,9}})(?:(?:\.\.|-){prefix}(\d{{1,9}}))?", item)
        if not match:
            raise UsageError(f"{option} '{item}' is not a {noun}; allowed are {allowed}")
        first = int(match[1])
        last = int(match[2] or first)
        if first > last:
            raise UsageError(
                f"{option} {item} is an empty range; write the smaller {noun} first: {last}..{first}"
            )
        outside = [number for number in (first, last) if number not in available]
        if outside:
            raise UsageError(f"{option} {item}: there is no {noun} {outside[0]}; allowed are {allowed}")
        chosen.update(range(first, last + 1))
    return [number for number in available if number in chosen]


def _example_pair(available: Sequence[int]) -> str:
    """Two of the numbers as an example: 8,10 of the sizes 6 to 16."""
    return (
        f"{available[len(available) // 5]},{available[2 * len(available) // 5]}"
        if len(available) > 1
        else str(available[0])
    )


def in_words(names: Sequence[str]) -> str:
    """Names with runs of three or more joined: DS1, DS4-DS6."""
    words: list[str] = []
    run: list[str] = []
    for name in [*names, ""]:
        if run and not _follows(run[-1], name):
            words += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
            run = []
        if name:
            run.append(name)
    return ", ".join(words)


def _items(text: str, option: str, allowed: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise UsageError(f"{option} '{text}' selects nothing; allowed are {allowed}")
    if not all(items):
        better = ",".join(filter(None, items))
        raise UsageError(f"{option} '{text}' has a comma too many; write {option} {better}")
    return items


def _named(item: str, known: Mapping[str, str]) -> list[str]:
    return [name for word, name in known.items() if word.lower() == item.lower() or _number(word) == item]


def _range_of_names(item: str, option: str, known: Mapping[str, str], allowed: str) -> list[str]:
    prefix = next((_letters(word) for word in known if _number(word)), "")
    match = re.fullmatch(rf"(?:{prefix})?(\d+)(?:-|\.\.)(?:{prefix})?(\d+)", item, re.IGNORECASE)
    if not match:
        raise UsageError(
            f"{option} '{item}' is unknown{did_you_mean(item, known.values(), known)}; allowed are {allowed}"
        )
    first, last = int(match[1]), int(match[2])
    if first > last:
        turned = f"{prefix}{last}-{prefix}{first}"
        raise UsageError(f"{option} {item} is an empty range; write the smaller number first: {turned}")
    numbered = {int(number): name for word, name in known.items() if (number := _number(word))}
    outside = [number for number in (first, last) if number not in numbered]
    if outside:
        raise UsageError(f"{option} {item}: there is no {prefix}{outside[0]}; allowed are {allowed}")
    return [name for number, name in numbered.items() if first <= number <= last]


def _letters(name: str) -> str:
    return name.rstrip("0123456789")


def _number(name: str) -> str:
    """The digits of a name that is letters followed by digits; empty for any other."""
    match = re.fullmatch(r"[A-Za-z]+(\d+)", name)
    return match[1] if match else ""


def _follows(previous: str, name: str) -> bool:
    number, next_number = _number(previous), _number(name)
    if not number or not next_number or _letters(previous) != _letters(name):
        return False
    return int(next_number) == int(number) + 1
