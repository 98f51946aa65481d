"""Exports of the readers: files, records and Inspect tasks → items, or an error with file, line and item."""

from __future__ import annotations

from otherwords.core.types import items_hash
from otherwords.items.files import (
    SUFFIXES,
    items_from_records,
    load_cases,
    load_for_audit,
    load_items,
    load_mcq_dataset,
)
from otherwords.items.samples import items_from_task

__all__ = [
    "SUFFIXES",
    "items_from_records",
    "items_from_task",
    "items_hash",
    "load_cases",
    "load_for_audit",
    "load_items",
    "load_mcq_dataset",
]
