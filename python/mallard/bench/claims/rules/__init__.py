"""All rules by claim."""

from __future__ import annotations

from mallard.bench.claims.rule import Key, Rule, Rules
from mallard.bench.claims.rules import (
    allocplus,
    findings,
    p0089_density,
    p0089_others,
    p0213,
    small_documents,
)

GROUPS: tuple[Rules, ...] = (
    p0089_density.claim,
    p0089_others.density,
    p0089_others.locality,
    p0089_others.utilization,
    p0089_others.contention,
    p0213.density,
    p0213.utilization,
    p0213.contention,
    p0213.p0089_contention,
    p0213.fragmentation,
    small_documents.loki,
    small_documents.optimized,
    allocplus.forward,
    allocplus.shrink,
    allocplus.burst,
    allocplus.pools,
    findings.density,
    findings.locality,
    findings.fragmentation,
)
RULES: dict[Key, Rule] = {key: rule for group in GROUPS for key, rule in group.by_claim.items()}
