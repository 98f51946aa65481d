"""Names and types of columns, and paths of keys, in all that commands write; numbers in JSON to 1e-12."""

from __future__ import annotations

from pathlib import Path

import pytest
from pin_cases import OUTPUT_PARTS
from pin_data import lay_out, load, require_same

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", OUTPUT_PARTS)
def test_what_is_written(name: str, folder: Path) -> None:
    lay_out(folder)
    require_same(load("outputs")[name], OUTPUT_PARTS[name]())
