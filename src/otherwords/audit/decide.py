"""Reason codes → a label for each item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from otherwords.audit.heuristics import HEURISTICS
from otherwords.audit.normalise import normalise
from otherwords.audit.settings import AuditSettings
from otherwords.core.errors import InputError
from otherwords.core.types import Item

Label: TypeAlias = Literal["clean", "ambiguous", "unanswerable"]


@dataclass(frozen=True, slots=True)
class Decision:
    id: str
    label: Label
    reasons: tuple[str, ...]


def audit_choices(choices: Sequence[str], settings: AuditSettings | None = None, *, id: str = "") -> Decision:
    """Unanswerable: fewer than two different options are left. Ambiguous: any other reason was found."""
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        raise InputError("choices must be a list of texts", item=id or None)
    if not choices:
        raise InputError("has no choices to audit", item=id or None)
    settings = settings or AuditSettings()
    reasons = tuple(dict.fromkeys(code for look in HEURISTICS for code in look(choices, settings)))
    different = {normalise(choice) or choice.strip() for choice in choices} - {""}
    if len(different) < 2:
        return Decision(id, "unanswerable", (*reasons, "fewer_than_two_options"))
    return Decision(id, "ambiguous" if reasons else "clean", reasons)


def audit_items(items: Iterable[Item], settings: AuditSettings | None = None) -> list[Decision]:
    """One decision for each item that has choices; the others have nothing to audit."""
    return [audit_choices(item.choices, settings, id=item.id) for item in items if item.choices]
