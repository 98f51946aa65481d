"""Items that are ambiguous before any rewording, told from their choices alone: the stem is never read."""

from __future__ import annotations

from otherwords.audit.decide import Decision, audit_choices, audit_items
from otherwords.audit.settings import AuditSettings

__all__ = ["AuditSettings", "Decision", "audit_choices", "audit_items"]
