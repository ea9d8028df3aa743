"""The fate of the mutants that were drawn: kept as they are judged, summed up, and written for people."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dev.mutation.accepted import Accepted
from dev.mutation.mutants import Mutant
from dev.mutation.verdict import Verdict


@dataclass(frozen=True)
class Judged:
    mutant: Mutant
    key: str
    verdict: Verdict
    seconds: float


class Kept:
    """The verdicts so far, a line of JSON each, so that a run that was broken off can go on."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.judged: dict[str, Judged] = {}
        if file.exists():
            whole, _, cut_off = file.read_text(encoding="utf-8").rpartition("\n")
            if cut_off:
                file.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
            for line in whole.splitlines():
                entry = json.loads(line)
                verdict = Verdict(entry["how"], entry["by"])
                mutant = Mutant(**entry["mutant"])
                self.judged[entry["key"]] = Judged(mutant, entry["key"], verdict, entry["seconds"])

    def add(self, judged: Judged) -> None:
        self.judged[judged.key] = judged
        entry = {"key": judged.key, "how": judged.verdict.outcome, "by": judged.verdict.by}
        line = json.dumps({**entry, "seconds": judged.seconds, "mutant": asdict(judged.mutant)})
        with self.file.open("a", encoding="utf-8") as to:
            to.write(f"{line}\n")


def survivors(all_judged: Sequence[Judged]) -> list[Judged]:
    return [judged for judged in all_judged if judged.verdict.outcome in {"survived", "not reached"}]


def is_accepted(judged: Judged, accepted: Sequence[Accepted]) -> bool:
    return any(entry.is_about(judged.mutant) for entry in accepted)


def sums(all_judged: Sequence[Judged], accepted: Sequence[Accepted]) -> dict[str, Any]:
    """The percentage is of the mutants that a test of this build could see. Counted apart are those that do
    not compile and those that an #if leaves out.
    """
    counts = Counter(judged.verdict.outcome for judged in all_judged)
    killed = counts["killed"] + counts["hung"]
    judgeable = len(all_judged) - counts["not compiled"] - counts["inactive"] - counts["gone"]
    surviving = survivors(all_judged)
    killers = [judged.verdict.by for judged in all_judged if judged.verdict.outcome in {"killed", "hung"}]
    return {
        "drawn": len(all_judged),
        "not_compiled": counts["not compiled"],
        "gone": counts["gone"],
        "inactive": counts["inactive"],
        "not_reached": counts["not reached"],
        "judged": judgeable,
        "killed": killed,
        "hung": counts["hung"],
        "killed_by_random_operations": sum(by.startswith("random") for by in killers),
        "survived": len(surviving),
        "accepted": sum(is_accepted(judged, accepted) for judged in surviving),
        "killed_percent": round(100 * killed / judgeable, 1) if judgeable else 0.0,
        "interval_percent": [round(100 * end, 1) for end in wilson_interval(killed, judgeable)],
    }


def wilson_interval(hits: int, draws: int) -> tuple[float, float]:
    """The 95 % interval of a share, of which `hits` of `draws` is a sample (Wilson 1927)."""
    if draws == 0:
        return (0.0, 1.0)
    z = statistics.NormalDist().inv_cdf(0.975)
    centre = hits + z * z / 2
    half = z * math.sqrt(hits * (draws - hits) / draws + z * z / 4)
    return ((centre - half) / (draws + z * z), (centre + half) / (draws + z * z))


def page(all_judged: Sequence[Judged], accepted: Sequence[Accepted]) -> str:
    """The survivors in Markdown, those without a reason first."""
    figures = sums(all_judged, accepted)
    low, high = figures["interval_percent"]
    lines = ["# Mutants that survived", ""]
    lines.append(
        f"{figures['killed']} of {figures['judged']} were killed, {figures['killed_percent']} % "
        f"(95 % interval: {low} to {high} %). Of the {figures['drawn']} drawn, {figures['not_compiled']} do "
        f"not compile, and an #if leaves {figures['inactive']} out."
    )
    for title, wanted in (("Without a reason", False), ("Accepted", True)):
        lines += ["", f"## {title}", ""]
        for judged in sorted(survivors(all_judged), key=lambda j: (j.mutant.file, j.mutant.line)):
            if is_accepted(judged, accepted) == wanted:
                unseen = ", which no program includes" if judged.verdict.outcome == "not reached" else ""
                lines += [f"- {judged.mutant.place} ({judged.mutant.kind}{unseen}): `{judged.mutant.change}`"]
    return "\n".join(lines) + "\n"
