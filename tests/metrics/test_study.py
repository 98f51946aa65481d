"""Correlations over agents without the noise of their estimates; benchmarks/sim_study.py has the coverage."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import UnknownNameError
from otherwords.metrics import s_corrected
from otherwords.metrics.study import disattenuated, rankings, sensitivities, transfers, trends


@pytest.fixture(scope="module")
def sim(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("sim_study")


@pytest.fixture(scope="module")
def table(sim: ModuleType) -> pl.DataFrame:
    found: pl.DataFrame = sim.study_table(np.random.default_rng(3), sim.Setting("", 8, 40, 0.9))
    return found


def test_noise_is_taken_out_of_the_correlation() -> None:
    rng = np.random.default_rng(1)
    true = rng.normal(size=4000)
    x, y = true + rng.normal(size=4000), true + rng.normal(size=4000)
    value, low, high, observed = disattenuated(x, y, 1.0, 1.0)
    assert observed == pytest.approx(0.5, abs=0.03)
    assert value == pytest.approx(1.0, abs=0.05)
    assert 0.9 < low <= 1.0
    assert high == 1.0


def test_without_noise_it_is_the_plain_correlation() -> None:
    x, y = np.array([1.0, 2, 3, 4, 6]), np.array([1.0, 3, 2, 5, 6])
    value, low, high, observed = disattenuated(x, y, 0.0, 0.0)
    assert value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert value == pytest.approx(observed)
    assert low < value < high


def test_where_nothing_but_noise_is_left_there_is_no_value() -> None:
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    value, low, high, _ = disattenuated(x, y, 9.0, 9.0)
    assert value is None
    assert (low, high) == (-1.0, 1.0)


@pytest.mark.parametrize(("reliability", "correlation"), [(0.6, 0.0), (0.9, 0.9)])
def test_coverage_in_small(sim: ModuleType, reliability: float, correlation: float) -> None:
    held, said, _ = sim.by_sums(8, reliability, correlation, 150)
    assert held >= 0.9
    assert said <= 0.11 or correlation > 0


def test_the_errors_of_agents_are_those_of_their_estimates(table: pl.DataFrame) -> None:
    """Leaving out one item at a time gives about the width of each agent's own interval."""
    one = sensitivities(table, "s_corrected")[0]
    assert one.agents == tuple(f"agent{number:02}" for number in range(8))
    first = s_corrected(table.filter(task="bench0"), model="agent00")
    assert one.estimates[0].value == pytest.approx(first.value)
    assert first.low is not None
    assert first.high is not None
    assert np.sqrt(one.errors[0, 0]) == pytest.approx((first.high - first.low) / 4, rel=0.35)


def test_what_all_agents_share_is_no_noise_between_them(table: pl.DataFrame) -> None:
    """Two agents with the very same scores differ by nothing."""
    one = table.filter(task="bench0", model="agent00")
    twins = pl.concat([one, one.with_columns(model=pl.lit("twin"))])
    (found,) = sensitivities(twins, "s_corrected")
    assert found.noise == pytest.approx(0.0, abs=1e-12)
    assert found.reliability is None


def test_transfers_of_tables(table: pl.DataFrame) -> None:
    found = sensitivities(table, "s_corrected")
    (pair,) = transfers(found)
    assert (pair.a, pair.b, len(pair.agents)) == ("bench0", "bench1", 8)
    assert pair.correlation.value is not None
    assert pair.observed is not None
    assert pair.correlation.value >= pair.observed > 0
    assert transfers(found) == [pair]  # nothing depends on chance
    (few,) = transfers(sensitivities(table.filter(pl.col("model") < "agent03"), "s_corrected"))
    assert few.said == "cannot tell"
    assert few.correlation.reason == "3 agents are on both; a correlation over agents takes 4"


def test_trends_with_numbers_and_names(table: pl.DataFrame) -> None:
    found = sensitivities(table, "s_corrected")
    values = dict(zip(found[0].agents, found[0].values.tolist(), strict=True))
    columns = {
        "size": values,  # the measure itself: it rises by one for one
        "family": {
            agent: "high" if value > np.median(found[0].values) else "low" for agent, value in values.items()
        },
        "date": dict.fromkeys(values, 3.0),
    }
    told = {(one.column, one.task): one for one in trends(found, columns)}
    slope = told["size", "bench0"]
    assert slope.slope.value == pytest.approx(1.0)
    assert slope.p is not None
    assert slope.p < 1e-6
    family = told["family", "bench0"]
    assert family.p is not None
    assert family.p < 0.05
    assert sum(n for _, n in family.means.values()) == 8
    assert family.means["high"][0] > family.means["low"][0]
    same = told["date", "all"].slope
    assert (same.value, same.reason) == (None, "8 models have it, of 1 different values; it takes 4 of 3")


def test_rankings_by_each_wording() -> None:
    """Under `turned` the worse agent is better; under `same` nothing changes."""
    rows = [
        ("quiz", model, f"q{item}", variant, float((model == "good") != (variant == "turned")))
        for model in ("good", "poor")
        for item in range(6)
        for variant in ("orig", "same", "turned")
    ]
    table = pl.DataFrame(rows, schema=["task", "model", "id", "variant", "score"], orient="row")
    (found,) = rankings(table)
    told = {one.variant: (one.tau.value, one.tau.low, one.tau.high, one.best) for one in found.wordings}
    assert told == {"same": (1.0, 1.0, 1.0, "good"), "turned": (-1.0, -1.0, -1.0, "poor")}


def test_an_unknown_measure_is_told_with_near_ones(table: pl.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown measure 's_promt'. Did you mean: s_prompt"):
        sensitivities(table, "s_promt")
