"""`different`: the variant is not the original again, nor another candidate again."""

from __future__ import annotations

from otherwords.checks.base import judges, result
from otherwords.checks.reading import Compared, Wording
from otherwords.core.folding import unmarked
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult

NAME = "different"
_BY_FORM = ("format", "position", "naturalistic")
"""Kinds for which a change of spaces, of marks or of place is a change."""
_PASSED = result(NAME, None)


@judges(NAME)
def different(compared: Compared) -> CheckResult:
    item, variant = compared.item, compared.variant
    if variant.choices != item.choices:
        return _PASSED
    if variant.prompt == item.prompt:
        return result(NAME, "the same as the original, byte for byte")
    if variant.kind not in _BY_FORM and wording(compared)[0] == compared.before.unmarked:
        return result(NAME, "the same as the original but for spaces, case or its last mark")
    return _PASSED


def wording(compared: Compared) -> Wording:
    """What two candidates must not share."""
    if compared.wording is None:
        compared.wording = _wording(compared)
    return compared.wording


def _wording(compared: Compared) -> Wording:
    variant = compared.variant
    if variant.kind in _BY_FORM:
        return variant.prompt, variant.choices
    if variant.prompt is compared.item.prompt:
        return compared.before.unmarked, variant.choices
    return unmarked(varied_text(variant.prompt)), variant.choices
