"""A dataset → its audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from otherwords.audit.balance import length_of_answers, position_of_answers
from otherwords.audit.decide import audit_items
from otherwords.audit.result import Audit
from otherwords.audit.settings import AuditSettings
from otherwords.audit.twins import find_twins
from otherwords.core.errors import InputError
from otherwords.core.types import Item


def audit_dataset(
    dataset: str | Path | Iterable[Item | Mapping[str, Any]],
    settings: AuditSettings | None = None,
    *,
    name: str = "",
) -> Audit:
    """The labels, and what the right answers and the questions show beside them.

    `dataset` is a file, anything Inspect can name, or items; records such as
    `{"id": "q1", "choices": ["Yes", "No"]}` will do. Labels come from the options alone: the question is
    only read to find duplicates.
    """
    settings = settings or AuditSettings()
    if isinstance(dataset, str | Path):
        from otherwords.pipeline.auditing import read_for_audit

        found = read_for_audit(dataset)
        name, items = name or found.name, found.items
    else:
        items = [_as_item(one, place) for place, one in enumerate(dataset, start=1)]
    return Audit(
        name=name,
        decisions=tuple(audit_items(items, settings)),
        without_options=sum(not item.choices for item in items),
        settings=settings,
        position=position_of_answers(items),
        length=length_of_answers(items),
        twins=find_twins(items, settings),
    )


run_ambiguity_audit = audit_dataset
"""The name under which others know it."""


def _as_item(given: Item | Mapping[str, Any], place: int) -> Item:
    if isinstance(given, Item):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"expected items or records with choices, got {type(given).__name__}")
    from otherwords.pipeline.auditing import read_record_for_audit

    return read_record_for_audit(given, place)
