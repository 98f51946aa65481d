"""The modules beside this file can be imported by name; commands see a neutral environment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from pin_data import neutral_environment


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder to work in; what is run there sees nothing of the user's settings."""
    with neutral_environment(tmp_path):
        yield tmp_path
