"""Rules: a named function for each claim that figures can decide, from evidence to the claim's cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.bench.claims.claim import claims
from mallard.bench.claims.statement import Statement
from mallard.bench.evidence import Evidence

Cells = list[float]
Figures = Callable[[Evidence], Cells]  # empty if a part of the claim's subject was not measured
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Rule:
    figures: Figures
    statement: Statement
    experiment: str  # empty if mallard has no experiment for the claim
    command: str  # the command that measures it
    compiler: str = ""  # the compiler whose rows it needs; empty for all but the second one
    of_machine: bool = False  # a time of the authors' machine, which no other machine's can match

    @property
    def name(self) -> str:
        return self.figures.__name__


class Rules:
    """The rules of one document and experiment. The object is a decorator that adds a rule."""

    def __init__(self, source: str, experiment: str, command: str = "") -> None:
        self._source, self._experiment, self._command = source, experiment, command
        self.by_claim: dict[Key, Rule] = {}

    def __call__(
        self,
        section: str,
        text: str,
        statement: Statement,
        command: str = "",
        *,
        compiler: str = "",
        of_machine: bool = False,
    ) -> Callable[[Figures], Figures]:
        key = (self._source, section, text)
        if key not in {claim.key for claim in claims()} and self._source != "mallard":
            raise KeyError(f"no such claim: {key}")

        def add(figures: Figures) -> Figures:
            self.by_claim[key] = Rule(
                figures, statement, self._experiment, command or self._command, compiler, of_machine
            )
            return figures

        return add
