"""Names and types of columns, and paths of keys, in all that commands write; numbers in JSON to 1e-12."""

from __future__ import annotations

from pathlib import Path

import pytest
from pin_cases import OUTPUT_PARTS
from pin_data import lay_out, load, require_same
from since_0_1 import (
    ACCURACY,
    AGENT_COLUMNS,
    COMPARE_RENEWED,
    DECISION_KEYS,
    DISTANCE,
    FIGURES,
    FIX_KEYS,
    FIX_RENEWED,
    INTERVALS,
    ITEM_COLUMNS,
    REPORT_FILES,
    REPORT_KEYS,
    REPORT_RENEWED,
    TABLE_COLUMNS,
    TRAJECTORIES,
    UPLOAD_KEYS,
    VARIANTS,
    names_in,
    old_comparison,
    old_junit,
    without,
)

pytestmark = pytest.mark.slow

NEW = {
    "aggregate": TABLE_COLUMNS,
    "aggregate public": tuple(
        name for name in TABLE_COLUMNS if name not in (DISTANCE, *TRAJECTORIES, "user_errors")
    ),
    "report": (*AGENT_COLUMNS, *ITEM_COLUMNS, *REPORT_FILES),
    "report json": REPORT_KEYS,
    "report json with audit": REPORT_KEYS,
    "hal upload": UPLOAD_KEYS,
    "variants line": VARIANTS,
    "fix json": FIX_KEYS,
    "compare json": DECISION_KEYS,
}
"""What later versions write beside what 0.1 wrote."""
RENEWED = {
    "report": FIGURES,
    **dict.fromkeys(("report json", "report json with audit"), (*INTERVALS, *ACCURACY, *REPORT_RENEWED)),
    "fix json": FIX_RENEWED,
    "compare json": COMPARE_RENEWED,
    "variants line": ("same",),
}
"""What has other numbers; a file of 0.1 that is vetted again is brought up to date, and has other lines."""
OLD = {"check junit": old_junit, "compare json": old_comparison}
"""What is more than a name."""


@pytest.mark.parametrize("name", OUTPUT_PARTS)
def test_what_is_written(name: str, folder: Path) -> None:
    lay_out(folder)
    found, new = OLD.get(name, lambda one: one)(OUTPUT_PARTS[name]()), NEW.get(name, ())
    assert set(new) <= names_in(found)
    other = (*new, *RENEWED.get(name, ()))
    require_same(without(load("outputs")[name], other), without(found, other))
