"""Files and Inspect tasks → items, refused with file, line and item when something is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names
from otherwords.core.hashing import items_hash
from otherwords.items.files import SUFFIXES, load_for_audit, load_items, load_mcq_dataset

if TYPE_CHECKING:
    from otherwords.items.inspect_task import items_from_task

__all__ = ["SUFFIXES", "items_from_task", "items_hash", "load_for_audit", "load_items", "load_mcq_dataset"]

# Looked up on first use, because importing Inspect takes seconds.
__getattr__, _ = lazy_names(__name__, {"items_from_task": "otherwords.items.inspect_task"})
