"""Quantiles of accuracy over templates from a sparse grid."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics.template_quantiles import QUANTILES, accuracy_quantiles, grid_quantiles


def test_a_tenth_of_the_grid_tells_the_quantiles(benchmark_script: Callable[[str], ModuleType]) -> None:
    simulation = benchmark_script("sim_templates")
    rng = np.random.default_rng(1)
    held, error, naive_error = [], [], []
    for _ in range(8):
        chances = simulation.template_chances(rng, 0.4)
        score = (rng.random(chances.shape) < chances).astype(np.float64)
        asked = simulation.sparse_grid(rng, *chances.shape, 0.1)
        assert set(asked.sum(axis=1)) == {2}
        assert set(asked.sum(axis=0)) == {10}
        value, low, high = grid_quantiles(score * asked, asked, draws=200)
        whole = np.quantile(score.mean(axis=0), QUANTILES)
        held.append((low <= whole) & (whole <= high))
        error.append(np.abs(value - whole))
        naive_error.append(np.abs(np.quantile((score * asked).sum(axis=0) / 10, QUANTILES) - whole))
    assert np.mean(held) >= 0.85
    assert np.mean(error) <= 0.6 * np.mean(naive_error)


def table_of(scores: np.ndarray) -> pl.DataFrame:
    rows = [(f"q{i}", f"t{t}", score) for (i, t), score in np.ndenumerate(scores)]
    return pl.DataFrame(rows, schema=["id", "template", "score"], orient="row", nan_to_null=True)


def test_a_whole_grid_shows_its_own_quantiles_and_is_not_surer_than_its_runs() -> None:
    rng = np.random.default_rng(2)
    accuracy = np.linspace(0.2, 0.9, 8)
    scores = (rng.random((60, 8)) < accuracy).astype(np.float64)
    found = accuracy_quantiles(table_of(scores), draws=200)
    for estimate, quantile in zip(found, QUANTILES, strict=True):
        assert estimate.value == pytest.approx(np.quantile(scores.mean(axis=0), quantile), abs=0.06)
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0.05 < estimate.high - estimate.low < 0.4
        assert estimate.reason == ""
    assert [one.group for one in found] == ["5%", "50%", "95%"]


def test_repeats_count_as_one_cell_and_missing_scores_are_counted() -> None:
    scores = (np.random.default_rng(3).random((20, 4)) < 0.6).astype(np.float64)
    once, twice = table_of(scores), pl.concat([table_of(scores)] * 2)
    assert [one.value for one in accuracy_quantiles(once, draws=50)] == [
        one.value for one in accuracy_quantiles(twice, draws=50)
    ]
    scores[3, 1] = np.nan
    (found,) = accuracy_quantiles(table_of(scores), quantiles=[0.5], draws=50)
    assert (found.n_missing, found.n_rows, found.reason) == (1, 79, "79 of 80 cells were asked")


def test_what_has_no_quantiles() -> None:
    two = table_of(np.ones((5, 2)))
    assert accuracy_quantiles(two)[0].reason == "quantiles take at least 3 templates with a score; here: 2"
    same = accuracy_quantiles(table_of(np.ones((20, 4))), draws=50)
    assert all(0.8 < (one.low or 0) <= (one.value or 0) <= (one.high or 0) <= 1 for one in same)
    with pytest.raises(InputError, match=r"^a quantile lies between 0 and 1, got 5$"):
        accuracy_quantiles(two, quantiles=[5])
    with pytest.raises(InputError, match="the table has no column 'wording'; it has id, template, score"):
        accuracy_quantiles(two, "wording")
