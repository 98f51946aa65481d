"""Every threshold of the audit in one place."""

from __future__ import annotations

from dataclasses import dataclass

from otherwords.core.errors import InputError, UnknownNameError


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
    years_crowd: bool = False
    """Whether years (whole numbers from 1500 to 2100 without a unit) may be crowded too."""
    boolean_tokens: int = 2
    """An option with more words than this is not read as yes, no, true, false or maybe."""
    most_options: int = 100
    """Options of an item beyond which they are not compared with one another."""
    near_duplicate_items: float = 0.9
    """Jaccard similarity of two items' words (question and options) from which they are nearly the same."""
    significance: float = 0.05
    """Of the test that the right answers stand at every place equally often."""
    ignore: tuple[str, ...] = ()
    """Reason codes, whole or without what follows the colon, that do not count."""

    def __post_init__(self) -> None:
        from otherwords.audit.reasons import REASONS, family

        for name in ("near_duplicate", "near_duplicate_items"):
            _require(0 < getattr(self, name) <= 1, name, "above 0 and at most 1", getattr(self, name))
        for name in ("crowding", "crowding_of_three", "crowding_of_three_strict"):
            _require(0 <= getattr(self, name) < 1, name, "from 0 to below 1", getattr(self, name))
        _require(0 < self.significance < 1, "significance", "between 0 and 1", self.significance)
        for name in ("boolean_tokens", "most_options"):
            _require(getattr(self, name) >= 1, name, "1 or more", getattr(self, name))
        known = {*REASONS, *map(family, REASONS)}
        for code in self.ignore:
            if code not in known:
                raise UnknownNameError("reason", code, known)

    def counts(self, code: str) -> bool:
        from otherwords.audit.reasons import family

        return code not in self.ignore and family(code) not in self.ignore


def _require(holds: bool, name: str, wanted: str, got: float) -> None:
    if not holds:
        raise InputError(f"{name} must be {wanted}, got {got:g}")
