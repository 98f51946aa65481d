"""Reason codes → a label for each item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from otherwords.audit.heuristics import HEURISTICS
from otherwords.audit.normalise import folded
from otherwords.audit.reasons import UNANSWERABLE
from otherwords.audit.settings import AuditSettings
from otherwords.core.errors import InputError
from otherwords.core.types import Item

Label: TypeAlias = Literal["clean", "ambiguous", "unanswerable"]
LABELS: tuple[Label, ...] = ("clean", "ambiguous", "unanswerable")
_DEFAULT = AuditSettings()


@dataclass(frozen=True, slots=True)
class Decision:
    id: str
    label: Label
    reasons: tuple[str, ...]

    def with_reason(self, code: str) -> Decision:
        reasons = tuple(dict.fromkeys((*self.reasons, code)))
        return replace(self, label=label_for(reasons), reasons=reasons)


def label_for(reasons: Iterable[str]) -> Label:
    """Unanswerable: nobody could be right. Ambiguous: any other reason was found."""
    found = set(reasons)
    return "unanswerable" if found & UNANSWERABLE else "ambiguous" if found else "clean"


def audit_choices(
    choices: Sequence[str],
    settings: AuditSettings | None = None,
    *,
    id: str = "",
    target: int | tuple[str, ...] = (),
) -> Decision:
    """`target` is the place of the right option, or what is given as right though it is none of them."""
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        raise InputError("choices must be a list of texts", item=id or None)
    if not choices:
        raise InputError("has no choices to audit", item=id or None)
    settings = settings or _DEFAULT
    found = [code for look in HEURISTICS for code in look(choices, settings)]
    texts = [folded(choice) for choice in choices]
    if len({text for text in texts if text}) < 2:
        found.append("fewer_than_two_options")
    if isinstance(target, int):
        if not 0 <= target < len(choices):
            found.append("answer_not_an_option")
        elif texts.count(texts[target]) > 1:
            found.append("right_answer_twice")
    elif target:
        found.append("answer_not_an_option")
    reasons = tuple(dict.fromkeys(code for code in found if settings.counts(code)))
    return Decision(id, label_for(reasons), reasons)


def audit_items(items: Iterable[Item], settings: AuditSettings | None = None) -> list[Decision]:
    """One decision for each item that has choices; the others have nothing to audit."""
    return [
        audit_choices(item.choices, settings, id=item.id, target=item.target)
        for item in items
        if item.choices
    ]
