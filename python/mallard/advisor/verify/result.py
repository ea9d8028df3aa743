"""The result of a verification, and its JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from mallard.advisor.verify.advice import Advice
from mallard.advisor.verify.comparison import Change, Comparison
from mallard.advisor.verify.ownership import Ownership

FORMAT, VERSION = "mallard verify", 1


@dataclass(frozen=True)
class Verification:
    comparison: Comparison
    ownership: Ownership
    advice: Advice | None = None

    @property
    def is_sound(self) -> bool:
        return self.comparison.is_sound and self.ownership.is_sound

    @property
    def fact(self) -> Change | None:
        """The change to compare with the advice: the allocator's part, if it was measured."""
        return self.comparison.allocator or self.comparison.whole

    def json(self) -> str:
        document = {"format": FORMAT, "version": VERSION, "sound": self.is_sound, **asdict(self)}
        return json.dumps(document, indent=1)
