"""The claims ledger: each claim of the documents, with this machine's figure.

claims.csv -> Claim -> Rule(statement, figures) + rows -> Entry(printed, ours, interval, verdict)
"""

from mallard.bench.claims.judge import Estimate
from mallard.bench.claims.ledger import (
    NOT_APPLICABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    VERDICTS,
    Entry,
    counts,
    finished_runs,
    ledger,
)

__all__ = [
    "NOT_APPLICABLE",
    "NOT_MEASURED",
    "NOT_REPRODUCED",
    "REPRODUCED",
    "VERDICTS",
    "Entry",
    "Estimate",
    "counts",
    "finished_runs",
    "ledger",
]
