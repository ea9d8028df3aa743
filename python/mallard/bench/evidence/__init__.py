"""Measured repetitions and printed tables in one form, so that a rule can be run on either.

rows -> measured.by_setting -> Measured(setting, an Evidence a repetition)
a paper's tables -> published.table_evidence(tables) -> Evidence
"""

from mallard.bench.evidence.evidence import Evidence
from mallard.bench.evidence.measured import Measured, by_setting

__all__ = ["Evidence", "Measured", "by_setting"]
