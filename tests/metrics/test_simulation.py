"""A fast part of benchmarks/sim_statistics.py, with limits as wide as so few tables need."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

TABLES = 250


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "sim_statistics.py"
    spec = importlib.util.spec_from_file_location("sim_statistics", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sim_statistics"] = module
    spec.loader.exec_module(module)
    return module


def test_noise_is_not_taken_for_sensitivity(simulation: ModuleType) -> None:
    for row in simulation.no_effect(4 * TABLES):
        assert row.ok, row
    raw = [row.beside for row in simulation.no_effect(4 * TABLES)]
    assert [text[:33] for text in raw] == [
        "S_prompt from one repeat 0.750, f",
        "S_prompt from one repeat 0.789, f",
        "S_prompt from one repeat 0.909, f",
    ]


def test_a_known_effect_comes_out(simulation: ModuleType) -> None:
    for row in simulation.known_effect(4 * TABLES):
        assert row.ok, row


def test_intervals_hold_the_truth(simulation: ModuleType) -> None:
    """Four standard errors around 95%."""
    off = 4 * (0.95 * 0.05 / TABLES) ** 0.5
    rows = list(simulation.coverage(TABLES, repeats=(1,), settings=simulation.SETTINGS[1::2]))
    assert len(rows) == 4 * 3
    for row in rows:
        assert abs(row.value - 0.95) <= off, row


def test_tests_find_nothing_where_there_is_nothing(simulation: ModuleType) -> None:
    off = 4 * (0.05 * 0.95 / TABLES) ** 0.5
    for row in simulation.type_one(TABLES):
        assert row.value <= 0.05 + off, row
