"""Every number that is computed from a table is what version 0.1 computed, to 1e-12."""

from __future__ import annotations

from functools import cache
from typing import Any

import doors
import pytest
from pin_cases import TABLE_NAMES, computed, estimate_parts, metric_names, other_parts
from pin_data import apart, load, replaced, require_same
from since_0_1 import RATES

pytestmark = pytest.mark.slow

SENTENCES = ("notes", "suggestions", "source", "why")
"""Said beside the numbers, for people. An estimate's `method` and `reason` are not among them."""
EVERY = (*TABLE_NAMES, "other")
RENEWED = (
    *("low", "high", "method", "reason", "generalizes", "low_if_missing", "high_if_missing"),
    *("p", "q", "test", "enough"),
)
"""Of an estimate, a difference, a step or a row of a table: intervals and tests are other ones since 0.2."""
CHANGED_COLUMNS = (
    *(*RENEWED, "accuracy_low", "accuracy_high", "delta_low", "delta_high"),
    *("delta_low_if_missing", "delta_high_if_missing"),
)
RENEWED_IN = ({"value", "n_items"}, {"a", "b", "change"}, {"variants", "wobble"}, {"steps", "enough"})
"""Keys by which these are known."""
CHANGED_PARTS = ("check", "fix", "plan", "plan from pilot", "plan of one wording")
"""Decisions and plans follow the intervals; what they do now is held by their own tests."""

NEW_IN_TESTS = ("differ", "n_differ")
"""Of `phrasing_test`: how many items differ between wordings, and how many would by noise alone."""


@cache
def found(name: str) -> tuple[Any, dict[str, Any]]:
    """Numbers, and sentences apart from them."""
    parts = other_parts() if name == "other" else estimate_parts(name)
    return apart(still({part: computed(function) for part, function in parts.items()}), SENTENCES)


def still(value: Any) -> Any:
    """What is still as in 0.1: values and counts, without what was renewed and what is new."""
    if isinstance(value, list):
        return [still(one) for one in value if not (isinstance(one, dict) and one.get("metric") in RATES)]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"columns", "rows"}:
        kept = [place for place, name in enumerate(value["columns"]) if name not in CHANGED_COLUMNS]
        names = list(value["columns"])
        return {names[place]: [row[place] for row in value["rows"]] for place in kept}
    left_out = {*CHANGED_PARTS, *RATES, *NEW_IN_TESTS}
    if any(keys <= value.keys() for keys in RENEWED_IN):
        left_out.update(RENEWED)
    if value.get("metric") == "accuracy":
        # every wording counts the same, as Inspect has it
        left_out.add("value")
    if "−" in str(value.get("group")):
        # of a change: all runs that could have changed it
        left_out.add("n_missing")
    return {name: still(one) for name, one in value.items() if name not in left_out}


@pytest.mark.parametrize("name", EVERY)
def test_estimates_of_a_table(name: str) -> None:
    """`other` are those that need no table."""
    expected, _ = apart(still(load(f"estimates_{name}")), SENTENCES)
    require_same(expected, found(name)[0])


@pytest.mark.parametrize("name", EVERY)
def test_sentences_beside_the_numbers(name: str) -> None:
    """What was reworded on purpose since is listed in `doors.REWORDED`."""
    _, expected = apart(still(load(f"estimates_{name}")), SENTENCES)
    require_same(replaced(expected, doors.REWORDED), found(name)[1])


def test_every_metric_is_still_there() -> None:
    assert set(metric_names()) <= set(doors.METRIC_NAMES)
