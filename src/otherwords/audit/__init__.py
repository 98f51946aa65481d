"""Items that are ambiguous before any rewording, told from their choices alone: the stem is never read.

Only duplicate items are looked for in the questions too.
"""

from __future__ import annotations

from otherwords.audit.critic import Critic
from otherwords.audit.dataset import audit_dataset, run_ambiguity_audit
from otherwords.audit.decide import Decision, audit_choices, audit_items
from otherwords.audit.file import AuditLabels, audit_json, read_audit
from otherwords.audit.reasons import REASONS
from otherwords.audit.result import Audit, ChoicesOnly, CriticCounts
from otherwords.audit.settings import AuditSettings
from otherwords.audit.twins import Twins, TwinSearch
from otherwords.audit.words import GATES, findings

__all__ = [
    "GATES",
    "REASONS",
    "Audit",
    "AuditLabels",
    "AuditSettings",
    "ChoicesOnly",
    "Critic",
    "CriticCounts",
    "Decision",
    "TwinSearch",
    "Twins",
    "audit_choices",
    "audit_dataset",
    "audit_items",
    "audit_json",
    "findings",
    "read_audit",
    "run_ambiguity_audit",
]
