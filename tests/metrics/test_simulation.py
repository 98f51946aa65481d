"""A fast part of benchmarks/sim_statistics.py, seeded, with limits as wide as so few tables need.

Each of these failed on version 0.2, whose figures are in the docstrings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

TABLES = 100


@pytest.fixture(scope="module")
def simulation(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("sim_statistics")


@pytest.fixture(scope="module")
def decisions(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("sim_decisions")


def spare(share: float, tables: int = TABLES) -> float:
    """Three standard errors of a share of so many tables."""
    return 3 * (share * (1 - share) / tables) ** 0.5


def tallies(simulation: ModuleType, process: str, n_items: int, *only: str) -> dict[str, object]:
    (setting,) = [one for one in simulation.SETTINGS if (one.process, one.n_items) == (process, n_items)]
    found = simulation.tally(setting, TABLES, only)
    assert found
    return found


@pytest.mark.parametrize("process", ["easy, 3 repeats", "easy, 3 repeats, no effect"])
def test_intervals_hold_the_truth_on_few_easy_items(simulation: ModuleType, process: str) -> None:
    """At 12 items S_prompt was held in 79%, s_corrected in 67%, phrasing share in 70%, accuracy in 84%."""
    found = tallies(simulation, process, 12)
    assert len(found) >= 35
    for metric, one in found.items():
        assert one.coverage >= 0.94 - spare(0.94), (metric, one)
        assert one.flattered <= 0.035 + spare(0.035), (metric, one)


def test_a_gate_above_the_truth_is_not_passed_by_chance(simulation: ModuleType) -> None:
    """A gate just above the true s_corrected of 12 easy items was passed by 24%."""
    found = tallies(simulation, "easy, 3 repeats", 12, "s_corrected", "s_prompt", "accuracy")
    assert {name: one.flattering for name, one in found.items() if one.flattering > 4} == {}


def test_a_loss_in_few_items_is_not_understated(simulation: ModuleType) -> None:
    """With pseudo-items alone, the interval was below a loss that is whole in 15% of 30 items in 4.7%."""
    found = tallies(simulation, "rewording breaks 15% of the items", 30, "delta_accuracy", "r_prompt", "pdr")
    for metric, one in found.items():
        assert one.coverage >= 0.94 - spare(0.94), (metric, one)
        assert one.flattering <= 3, (metric, one)


@pytest.mark.parametrize(("spread", "of_accuracy", "of_delta"), [(0.3, 0.95, 0.9), (0.6, 0.9, 0.8)])
def test_intervals_for_both_hold_where_wordings_are_shared(
    simulation: ModuleType, spread: float, of_accuracy: float, of_delta: float
) -> None:
    """At 100 items and a logit sd of .3 and .6, accuracy was held in 90% and 78%, delta in 79% and 58%."""
    process = f"6 wordings shared by items, logit sd {spread}"
    names = ("accuracy", "delta_accuracy", "s_prompt", "fragility_score")
    found = tallies(simulation, process, 100, *names)
    assert set(found) == set(names)
    for metric, one in found.items():
        assert one.coverage >= 0.94 - spare(0.94), (metric, one)
    # for other items alone they are too narrow, as they were: the process is the one that was seen
    (setting,) = [one for one in simulation.SETTINGS if (one.process, one.n_items) == (process, 100)]
    alone = simulation.tally(replace(setting, generalize="items"), TABLES, names)
    assert alone["accuracy"].coverage < of_accuracy
    assert alone["delta_accuracy"].coverage < of_delta


@pytest.mark.parametrize(
    "setting", ["skewed variance, 30", "skewed errors, 30", "shared wordings sd 0.6, 100"]
)
def test_compare_does_not_alarm_where_there_is_nothing(decisions: ModuleType, setting: str) -> None:
    """It did in 13.2% of tables of 30 items with skew, and in 35% with shared wordings of logit sd .6."""
    rows = list(decisions.alarms(TABLES, setting))
    assert rows
    for row in rows:
        assert row.value <= 0.06 + spare(0.06), str(row)


def test_bounds_hold_what_the_missing_runs_would_have_shown(decisions: ModuleType) -> None:
    rows = list(decisions.bounds(TABLES))
    assert len(rows) == 8
    assert all(row.value == 1.0 for row in rows)


def test_noise_is_not_taken_for_sensitivity_and_a_known_effect_comes_out(decisions: ModuleType) -> None:
    for row in decisions.corrected(400):
        assert row.ok, str(row)


def test_tests_find_nothing_where_there_is_nothing(decisions: ModuleType) -> None:
    for row in decisions.tests_of_nothing(TABLES):
        assert row.value <= row.high + spare(0.06), str(row)
