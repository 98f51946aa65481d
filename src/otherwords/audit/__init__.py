"""Exports of the audit: multiple-choice items → labels by rules or a critic, faults of the dataset, its file.

Questions are read only to find duplicate items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names

if TYPE_CHECKING:
    from otherwords.audit.critic import Critic
    from otherwords.audit.dataset_checks import DuplicateGroup, DuplicateSearch
    from otherwords.audit.decide import REASONS, AuditSettings, Decision, audit_choices, audit_items
    from otherwords.audit.result import (
        GATES,
        Audit,
        AuditLabels,
        ChoicesOnly,
        CriticCounts,
        audit_json,
        findings,
        read_audit,
    )

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
    "DuplicateGroup",
    "DuplicateSearch",
    "audit_choices",
    "audit_items",
    "audit_json",
    "findings",
    "read_audit",
]

_NAMES = {
    "critic": ("Critic",),
    "decide": ("REASONS", "AuditSettings", "Decision", "audit_choices", "audit_items"),
    "dataset_checks": ("DuplicateGroup", "DuplicateSearch"),
    "result": (
        *("GATES", "Audit", "AuditLabels", "ChoicesOnly", "CriticCounts"),
        *("audit_json", "findings", "read_audit"),
    ),
}
__getattr__, __dir__ = lazy_names(
    __name__, {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names}
)
