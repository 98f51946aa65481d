"""`rank_templates`: from scores of templates on the same items to a ranking that may say that none is better.

Templates are compared pairwise on the items and user wordings that both were asked, paired by item, and p
values are corrected for all pairs. The mean of the best of many flatters it; a difference that is real does
not depend on which one came out best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from otherwords.core.contract import ORIG
from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import ACCURACY_TESTED_AT
from otherwords.metrics.accuracy_quantiles import FEWEST_TEMPLATES, QUANTILES, accuracy_quantiles
from otherwords.metrics.intervals import LEVEL, Side, Statistic, chance, intervals
from otherwords.metrics.measures import ratio
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray, scored_runs, text_codes
from otherwords.metrics.significance import holm


@dataclass(frozen=True, slots=True)
class RankedTemplate:
    """What one template scores."""

    template: str
    accuracy: Estimate
    """Over all items and user wordings that it was asked."""
    loss: Estimate
    """Accuracy lost where users say the same in other words, against the items' own wording."""
    worst: Estimate
    """The accuracy that 5% of the users' wordings are below; see `accuracy_quantiles`."""


@dataclass(frozen=True, slots=True)
class TemplateDifference:
    """How much more `a` scores than `b`, on the items and user wordings that both were asked."""

    a: str
    b: str
    difference: Estimate
    p: float | None
    """That they are equal, by Holm over all pairs."""

    @property
    def real(self) -> bool:
        """Whether noise does not explain it."""
        return self.p is not None and self.p <= 1 - LEVEL


@dataclass(frozen=True, slots=True)
class TemplateRanking:
    """The result of `rank_templates`."""

    templates: tuple[RankedTemplate, ...]
    """Those with the highest accuracy first; only differences that are real are a ranking."""
    differences: tuple[TemplateDifference, ...]
    """Of all pairs; `a` is the one that is higher up in `templates`."""
    best: tuple[str, ...]
    """Templates that no other one really beats."""
    sentence: str

    @property
    def real(self) -> tuple[TemplateDifference, ...]:
        """Differences that noise does not explain."""
        return tuple(one for one in self.differences if one.real)


def rank_templates(
    table: pl.DataFrame, *, original: str = ORIG, level: float = LEVEL, seed: int = 0
) -> TemplateRanking:
    """Which templates are better than which, and by how much.

    Args:
        table: One row a run, with the columns `template`, `id` and `score` (0 to 1), and `variant` where
            users' wordings of the items were asked as well. Rows without a score are left out.
        original: The `variant` that is the item's own wording.
        level: Of the intervals.
        seed: Of the draws for `worst`.

    Returns:
        Accuracy, loss under users' rewording and the worst 5% of each template; the paired difference of each
        pair, with its p; and a sentence, which may be that no template is better than another.

    Raises:
        InputError: A column is not there, fewer than two templates have a score, or a score is not in 0 to 1.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.template_ranking import rank_templates
        >>> rows = [(t, i, float(t == "new" or i % 3 == 0)) for t in ("old", "new") for i in range(30)]
        >>> table = pl.DataFrame(rows, schema=["template", "id", "score"], orient="row")
        >>> print(rank_templates(table).sentence)
        new is better than old by 67 points (43 to 80); n = 30 items.
    """
    has_wordings = "variant" in table.columns
    table = table.with_columns(
        variant=pl.col("variant").fill_null(original) if has_wordings else pl.lit(original)
    )
    scored = scored_runs(table, ("id", "template", "variant"))
    names, wordings = (scored[name].unique().sort().to_list() for name in ("template", "variant"))
    if len(names) < 2:
        raise InputError(f"a ranking takes at least two templates with a score, and there is {len(names)}")
    codes = [text_codes(scored[name]) for name in ("template", "id", "variant")]
    shape = (len(names), int(codes[1].max()) + 1, len(wordings))
    place = np.ravel_multi_index(codes, shape)
    size = math.prod(shape)
    count = np.bincount(place, minlength=size).reshape(shape)
    total = np.bincount(place, weights=scored["score"].to_numpy(), minlength=size).reshape(shape)
    mean = total / np.maximum(count, 1)
    is_original = np.array([one == original for one in wordings])
    rows = []
    for number, name in enumerate(names):
        mine = table.filter(pl.col("template").cast(pl.String).fill_null("") == name)
        n_rows = int(count[number].sum())
        counts = (0, n_rows, mine.height - n_rows)
        rows.append(_row(name, mean[number], count[number] > 0, is_original, counts, mine, level, seed))
    order = sorted(
        range(len(names)), key=lambda number: (-(rows[number].accuracy.value or 0.0), names[number])
    )
    pairs = list(combinations(order, 2))
    found = [
        _paired(mean[a], count[a], mean[b], count[b], f"{names[a]} − {names[b]}", level) for a, b in pairs
    ]
    adjusted = holm([p for _, p in found])
    differences = tuple(
        TemplateDifference(names[a], names[b], estimate, p)
        for (a, b), (estimate, _), p in zip(pairs, found, adjusted, strict=True)
    )
    beaten = {one.b if (one.difference.value or 0.0) > 0 else one.a for one in differences if one.real}
    best = tuple(names[number] for number in order if names[number] not in beaten)
    templates = tuple(rows[number] for number in order)
    return TemplateRanking(templates, differences, best, _ranking_sentence(differences, best, shape[1]))


def _row(
    name: str,
    mean: FloatArray,
    asked: BoolArray,
    is_original: BoolArray,
    counts: tuple[int, int, int],
    runs: pl.DataFrame,
    level: float,
    seed: int,
) -> RankedTemplate:
    value, there = _over(mean, asked)
    own, own_there = _over(mean[:, is_original], asked[:, is_original])
    others, others_there = _over(mean[:, ~is_original], asked[:, ~is_original])
    both = own_there & others_there
    accuracy = mean_of_items("accuracy", name, value[there], counts, level)
    loss = mean_of_items("loss", name, (own - others)[both], counts, level, signed=True)
    if not both.any():
        loss = replace(loss, reason="no item was asked in its own wording and in another one")
    (worst,) = accuracy_quantiles(runs, "variant", quantiles=QUANTILES[:1], level=level, seed=seed)
    if worst.value is None:
        n = int(asked.any(axis=0).sum())
        worst = replace(
            worst, reason=f"it takes at least {FEWEST_TEMPLATES} user wordings, and there are {n}"
        )
    return RankedTemplate(name, accuracy, loss, replace(worst, metric="worst", group=name))


def _over(mean: FloatArray, asked: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Each item's mean over the wordings that it was asked in, and whether there are any."""
    n = asked.sum(axis=1)
    return np.sum(mean, axis=1, where=asked) / np.maximum(n, 1), n > 0


def mean_of_items(
    metric: str,
    group: str,
    values: FloatArray,
    counts: tuple[int, int, int],
    level: float = LEVEL,
    *,
    signed: bool = False,
) -> Estimate:
    """The mean of one number from each item, with its interval over items."""
    if not len(values):
        return Estimate(metric, group, None, None, None, 0, *counts[1:], reason="no item has a score")
    statistic = _mean_statistic(values, signed)
    # a difference that excludes 0 is one whose test does
    (interval,) = intervals([statistic], level=level, tested=signed)
    return Estimate(
        *(metric, group, statistic.value, interval.low, interval.high, len(values), *counts[1:]),
        method=interval.method,
        reason=interval.reason,
        generalizes=interval.generalizes,
    )


def chance_of_mean(values: FloatArray, side: Side = "two") -> float | None:
    """P that the mean of a signed number from each item is 0."""
    return chance(_mean_statistic(values, signed=True), 0.0, side=side) if len(values) else None


def _mean_statistic(values: FloatArray, signed: bool) -> Statistic:
    least = -1.0 if signed else 0.0
    return Statistic(
        np.column_stack([values, np.ones(len(values))]),
        ratio,
        (np.array([least, 1.0]), np.array([1.0, 1.0])),
        at_each_end=1 if signed else 2,
        signed=signed,
        tested_at=ACCURACY_TESTED_AT,
    )


def _paired(
    mean_a: FloatArray, count_a: IntArray, mean_b: FloatArray, count_b: IntArray, name: str, level: float
) -> tuple[Estimate, float | None]:
    values, there = _over(mean_a - mean_b, (count_a > 0) & (count_b > 0))
    n_rows = int(count_a.sum() + count_b.sum())
    estimate = mean_of_items("difference", name, values[there], (0, n_rows, 0), level, signed=True)
    if not there.any():
        estimate = replace(estimate, reason="they have no item and user wording in common")
    return estimate, chance_of_mean(values[there])


def _ranking_sentence(differences: Sequence[TemplateDifference], best: Sequence[str], n_items: int) -> str:
    n = f"; n = {n_items:,} items."
    real = [one for one in differences if one.real]
    if not real:
        return f"No template is better than another{n}"
    told = []
    for one in real:
        value, low, high = (
            100 * (end or 0.0) for end in (one.difference.value, one.difference.low, one.difference.high)
        )
        a, b = (one.a, one.b) if value > 0 else (one.b, one.a)
        low, high = (low, high) if value > 0 else (-high, -low)
        told.append(f"{a} is better than {b} by {abs(value):.0f} points ({low:.0f} to {high:.0f})")
    more = f"; {len(told) - 3} more pairs differ" if len(told) > 3 else ""
    equal = f"; which of {', '.join(best)} is better cannot be told" if len(best) > 1 else ""
    return "; ".join(told[:3]) + more + equal + n
