from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from otherwords.checks.reading import Pair
from otherwords.core.types import Item, original, variant_id


def _pair(before: str, after: str) -> Pair:
    item = Item("i", before)
    return Pair(item, replace(original(item), id=variant_id("i", "v"), name="v", kind="llm", prompt=after))


@pytest.fixture
def pair_of() -> Callable[[str, str], Pair]:
    """Two texts → the pair that a comparison takes."""
    return _pair
