"""What is kept in the logs of a run: names, hashes, and metadata of task, samples and scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from pin_data import lay_out, load, require_same
from pin_runs import FRESH_RUNS, metadata_pin
from since_0_1 import LOG_METADATA, names_in, old_metadata, without_new_slips

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", FRESH_RUNS)
def test_what_a_log_holds(name: str, folder: Path) -> None:
    lay_out(folder)
    found = metadata_pin(name)
    assert set(LOG_METADATA) <= names_in(found)
    expected = load("metadata")[name]
    require_same(old_metadata(without_new_slips(expected)), old_metadata(without_new_slips(found)))
