"""Shares of variance: against plain loops, against `variance_components`, and in a small simulation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import variance_components
from otherwords.metrics.variance_shares import attribute, attribution

FACTORS = ["wording", "format"]


def long_table(scores: np.ndarray) -> pl.DataFrame:
    """From scores [item, wording, format, repeat]; NaN where there is none."""
    rows = [(f"q{i}", f"w{w}", f"f{f}", score) for (i, w, f, _), score in np.ndenumerate(scores)]
    table = pl.DataFrame(rows, schema=["id", *FACTORS, "score"], orient="row")
    return table.with_columns(pl.col("score").fill_nan(None))


def draw(seed: int, n_items: int = 12, repeats: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1, (n_items, 1, 1, 1)) * np.array([1.0, 0.6])[None, :, None, None]
    return (rng.random((n_items, 2, 3, repeats)) < p).astype(np.float64)


def test_components_are_those_of_plain_loops() -> None:
    scores = draw(1)
    n_items, n_wordings, n_formats, repeats = scores.shape
    cells = scores.mean(axis=3)
    apart = cells - cells.mean(axis=0)
    noise = scores.var(axis=3, ddof=1).mean()
    products: dict[tuple[bool, bool], list[float]] = {}
    for i in range(n_items):
        for a, b in product(product(range(n_wordings), range(n_formats)), repeat=2):
            same = (a[0] == b[0], a[1] == b[1])
            products.setdefault(same, []).append(apart[i][a] * apart[i][b])
    mean = {same: np.mean(one) for same, one in products.items()}
    larger = n_items / (n_items - 1)
    found = attribution(long_table(scores), FACTORS)
    assert found["noise"].variance == pytest.approx(noise)
    assert found["item"].variance == pytest.approx(mean[False, False] * larger)
    for term, same in (("item × wording", (True, False)), ("item × format", (False, True))):
        assert found[term].variance == pytest.approx((mean[same] - mean[False, False]) * larger)
    # of each cell's noise, one part in n went with the mean over items
    between = mean[True, True] - noise / repeats * (1 - 1 / n_items)
    alone = mean[True, False] + mean[False, True] - 2 * mean[False, False]
    rest = (between - mean[False, False] - alone) * larger
    assert found["item × several factors"].variance == pytest.approx(rest)
    # the variance of the wordings' means, less what other items would bring into it
    per_item = cells.mean(axis=2)
    error = np.var(per_item[:, 0] - per_item[:, 1], ddof=1) / n_items / 2
    assert found["wording"].variance == pytest.approx(np.var(per_item.mean(axis=0), ddof=1) - error)
    assert sum(share.estimate.value or 0 for share in found.shares) == pytest.approx(1)


def test_one_factor_agrees_with_variance_components() -> None:
    scores = draw(2)[:, :, :1]
    table = long_table(scores)
    parts = variance_components(
        table.with_columns(
            pl.col("wording").replace({"w0": "orig"}).alias("variant"),
            pl.int_range(pl.len()).over("id", "wording").alias("repeat"),
        )
    )
    found = attribution(table, ["wording"])
    assert found["noise"].variance == pytest.approx(parts["noise"].value)
    phrasing = (found["wording"].variance or 0) + (found["item × wording"].variance or 0)
    # up to the noise of the wordings' means over items
    assert phrasing == pytest.approx(parts["phrasing"].value, abs=0.01)
    # `item` of variance_components also takes off what wordings do to all items alike
    shared = np.var(scores.mean(axis=(0, 2, 3)), ddof=1)
    assert found["item"].variance == pytest.approx((parts["item"].value or 0) + shared / 2, abs=0.01)


def test_order_and_names_do_not_matter_and_rows_without_a_score_are_counted() -> None:
    table = long_table(draw(3))
    found = attribution(table, FACTORS)
    renamed = table.with_columns(pl.col("wording").replace({"w0": "z"})).sample(
        fraction=1, shuffle=True, seed=1
    )
    other = attribution(pl.concat([renamed, renamed.head(3).with_columns(score=None)]), FACTORS)
    for one, two in zip(found.shares, other.shares, strict=True):
        assert one.estimate.value == pytest.approx(two.estimate.value)
        assert two.estimate.n_missing == 3


def test_what_cannot_be_told_is_said() -> None:
    constant = attribution(long_table(np.ones((5, 2, 3, 2))), FACTORS)
    assert constant.sentence == "Nothing to attribute: all scores are the same."
    assert {share.estimate.value for share in constant.shares} == {None}
    once = attribution(long_table(draw(4)[..., :1]), FACTORS)
    assert "item × several factors" not in {share.term for share in once.shares}
    assert once.notes == (
        "no cell was run twice: what several factors do to single items is counted as noise",
    )
    fraction = draw(5)
    fraction[:, 1, 2] = np.nan
    fraction[:, 0, 0] = np.nan
    found = attribution(long_table(fraction), FACTORS)
    assert found.notes == ("wording × format cannot be told: too few of its cells were asked",)
    assert found["wording"].estimate.value is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop("format"), "the table has no column 'format'; it has id, wording, score"),
        (
            lambda table: table.with_columns(format=pl.lit("f")),
            "the factor 'format' has fewer than two levels with a score",
        ),
        (lambda table: table.head(12), "attribution takes at least two items with a score"),
        (lambda table: table.with_columns(score=3.0), "a score lies between 0 and 1, got 3"),
        (
            lambda table: table.with_columns(format=pl.col("wording")),
            "the factors were not crossed: too few cells were asked to tell them apart",
        ),
    ],
)
def test_bad_tables(change: Callable[[pl.DataFrame], pl.DataFrame], message: str) -> None:
    with pytest.raises(InputError) as caught:
        attribution(change(long_table(draw(1))), FACTORS)
    assert message in str(caught.value)


def test_a_large_effect_is_named_and_no_effect_is_not() -> None:
    rng = np.random.default_rng(6)
    easiness = rng.random((60, 1, 1, 1))
    null = (rng.random((60, 2, 3, 2)) < easiness).astype(np.float64)
    assert (
        "no effect on all items alike found of wording or format; n = 60 items."
        in attribution(long_table(null), FACTORS).sentence
    )
    strong = null.copy()
    strong[:, 1] = rng.random((60, 3, 2)) < 0.15
    found = attribution(long_table(strong), FACTORS)
    assert found["wording"].found
    assert not found["format"].found
    assert "comes from wording;" in found.sentence


def test_intervals_hold_the_shares_that_were_drawn(benchmark_script: Callable[[str], ModuleType]) -> None:
    simulation = benchmark_script("sim_templates")
    rng = np.random.default_rng(7)
    held = [simulation.attribution_once(rng, "large effects", half=True) for _ in range(30)]
    terms = {term for one in held for term in one} - {"(found)"}
    assert len(terms) == 13
    # 30 simulations of 95%: below 80% in one of a thousand
    assert min(np.mean([one[term] for one in held]) for term in terms) >= 0.8
    assert np.mean([[one[term] for term in terms] for one in held]) >= 0.93


def test_arrays_and_a_frame_give_the_same() -> None:
    scores = draw(8)
    cells = np.argwhere(np.ones(scores.shape, bool))
    from_arrays = attribute(cells[:, 0], cells[:, 1:3], scores.ravel(), FACTORS)
    assert [share.variance for share in from_arrays.shares] == pytest.approx(
        [share.variance for share in attribution(long_table(scores), FACTORS).shares]
    )
