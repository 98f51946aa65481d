"""Files → items, refused with file, line and item when something is wrong."""

from __future__ import annotations

from otherwords.core.hashing import items_hash
from otherwords.items.files import load_items

__all__ = ["items_hash", "load_items"]
