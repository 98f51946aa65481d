"""`different`: the variant is not the original again, nor another candidate again."""

from __future__ import annotations

from otherwords.checks.base import judges, result
from otherwords.checks.reading import Compared, Wording
from otherwords.core.families import traits_of
from otherwords.core.types import CheckResult, varied_text
from otherwords.english.normalize import unmarked

NAME = "different"
_PASSED = result(NAME, None)


@judges(NAME)
def different(compared: Compared) -> CheckResult:
    item, variant = compared.item, compared.variant
    if variant.choices != item.choices:
        return _PASSED
    if variant.prompt == item.prompt:
        return result(NAME, "the same as the original, byte for byte")
    if not traits_of(variant.kind).changes_form and wording(compared)[0] == compared.before.unmarked:
        return result(NAME, "the same as the original but for spaces, case or its last mark")
    return _PASSED


def wording(compared: Compared) -> Wording:
    """What two candidates must not share."""
    if compared.wording is None:
        compared.wording = _wording(compared)
    return compared.wording


def _wording(compared: Compared) -> Wording:
    variant = compared.variant
    if traits_of(variant.kind).changes_form:
        return variant.prompt, variant.choices
    if variant.prompt is compared.item.prompt:
        return compared.before.unmarked, variant.choices
    return unmarked(varied_text(variant.prompt)), variant.choices
