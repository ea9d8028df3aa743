"""Measured repetitions in the form of printed tables, so that a rule can be run on either."""

from mallard.bench.evidence.evidence import Evidence, Measured, by_setting

__all__ = ["Evidence", "Measured", "by_setting"]
