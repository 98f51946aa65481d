"""What is kept in the logs of a run: names, hashes, and metadata of task, samples and scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from pin_data import lay_out, load, require_same
from pin_runs import FRESH_RUNS, metadata_pin
from since_0_1 import LOG_METADATA, names_in, old_metadata

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", FRESH_RUNS)
def test_what_a_log_holds(name: str, folder: Path) -> None:
    lay_out(folder)
    found = metadata_pin(name)
    assert set(LOG_METADATA) <= names_in(found)
    require_same(old_metadata(load("metadata")[name]), old_metadata(found))
