"""Texts that differ in nothing but case and white space, made the same."""

from __future__ import annotations

from functools import lru_cache

from otherwords.core.memory import OF_AN_ITEM


@lru_cache(maxsize=OF_AN_ITEM)
def folded(text: str) -> str:
    small = text.casefold()
    if small.isprintable() and "  " not in small:  # no white space but single spaces
        return small.strip()
    return " ".join(small.split())


def unmarked(text: str) -> str:
    """Without its last mark as well: two rewordings that share it are one."""
    return folded(text).rstrip(".?! ")
