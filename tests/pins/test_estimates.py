"""Every number that is computed from a table is what version 0.1 computed, to 1e-12."""

from __future__ import annotations

from functools import cache
from typing import Any

import doors
import pytest
from pin_cases import TABLE_NAMES, computed, estimate_parts, metric_names, other_parts
from pin_data import apart, load, replaced, require_same

pytestmark = pytest.mark.slow

SENTENCES = ("notes", "suggestions", "source", "why")
"""Said beside the numbers, for people. An estimate's `method` and `reason` are not among them."""
EVERY = (*TABLE_NAMES, "other")


@cache
def found(name: str) -> tuple[Any, dict[str, Any]]:
    """Numbers, and sentences apart from them."""
    parts = other_parts() if name == "other" else estimate_parts(name)
    return apart({part: computed(function) for part, function in parts.items()}, SENTENCES)


@pytest.mark.parametrize("name", EVERY)
def test_estimates_of_a_table(name: str) -> None:
    """`other` are those that need no table."""
    expected, _ = apart(load(f"estimates_{name}"), SENTENCES)
    require_same(expected, found(name)[0])


@pytest.mark.parametrize("name", EVERY)
def test_sentences_beside_the_numbers(name: str) -> None:
    """What was reworded on purpose since is listed in `doors.REWORDED`."""
    _, expected = apart(load(f"estimates_{name}"), SENTENCES)
    require_same(replaced(expected, doors.REWORDED), found(name)[1])


def test_every_metric_is_still_there() -> None:
    assert set(metric_names()) <= set(doors.METRIC_NAMES)
