"""Every threshold of the audit in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditSettings:
    near_duplicate: float = 0.9
    """Jaccard similarity of two options' words from which they count as nearly the same."""
    crowding: float = 0.01
    """With four or more numbers: relative distance of neighbours up to which they are crowded."""
    crowding_of_three: float = 0.0015
    """The same with exactly three numbers."""
    crowding_of_three_strict: float = 0.002
    strict: bool = False
    """Use `crowding_of_three_strict`."""
    boolean_tokens: int = 2
    """An option with more words than this is not read as yes, no, true, false or maybe."""
