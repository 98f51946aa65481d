"""`rank_templates`: templates compared in pairs on the same items; their spread; summaries with all factors.

Templates are compared pairwise on the items and user wordings that both were asked, paired by item, and p
values are corrected for all pairs. The mean of the best of many flatters it; a difference that is real does
not depend on which one came out best. So it is with the spread, the best template's accuracy minus the
worst's: that of equal templates looks large by noise alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import ORIG, TEMPLATE
from otherwords.core.errors import InputError
from otherwords.core.template_results import (
    Attribution,
    RankedTemplate,
    TemplateDifference,
    TemplateRanking,
    TemplateSummary,
)
from otherwords.core.texts import points_between
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import ACCURACY_TESTED_AT
from otherwords.metrics.intervals import LEVEL, Side, Statistic, chance, intervals
from otherwords.metrics.measures import ratio
from otherwords.metrics.outcome_rows import (
    BoolArray,
    FloatArray,
    IntArray,
    scored_runs,
    select_outcomes,
    text_codes,
)
from otherwords.metrics.significance import holm
from otherwords.metrics.template_quantiles import FEWEST_TEMPLATES, QUANTILES, accuracy_quantiles
from otherwords.metrics.variance_shares import attribution, crossed_runs


def rank_templates(
    table: pl.DataFrame, *, original: str = ORIG, level: float = LEVEL, seed: int = 0
) -> TemplateRanking:
    """Which templates are better than which, and by how much.

    Args:
        table: One row a run of one model, with the columns `template`, `id` and `score` (0 to 1), and where
            users' wordings of the items were asked as well, `wording` or else `variant`. Rows without a score
            are left out.
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
    grid = _grid(table, original)
    names, mean, count = grid.names, grid.mean, grid.count
    is_original = np.array([one == original for one in grid.wordings])
    rows = []
    for number, name in enumerate(names):
        mine = grid.table.filter(template=name)
        n_rows = int(count[number].sum())
        counts = (0, n_rows, grid.n_missing[number])
        rows.append(_row(name, mean[number], count[number] > 0, is_original, counts, mine, level, seed))
    order = sorted(range(len(names)), key=lambda one: (-(rows[one].accuracy.value or 0.0), names[one]))
    pairs = list(combinations(order, 2))
    found = [_paired(grid, a, b, level) for a, b in pairs]
    adjusted = holm([p for _, p in found])
    differences = tuple(
        TemplateDifference(names[a], names[b], estimate, p)
        for (a, b), (estimate, _), p in zip(pairs, found, adjusted, strict=True)
    )
    beaten = {one.b if (one.difference.value or 0.0) > 0 else one.a for one in differences if one.real}
    best = tuple(names[number] for number in order if names[number] not in beaten)
    templates = tuple(rows[number] for number in order)
    return TemplateRanking(templates, differences, best, _ranking_sentence(differences, best, mean.shape[1]))


@dataclass(frozen=True)
class _Grid:
    """Mean score and number of runs of each template × item × user wording."""

    table: pl.DataFrame
    names: list[str]
    wordings: list[str]
    mean: FloatArray
    count: IntArray
    n_missing: list[int]
    """Runs of each template without a score."""

    def gains(self, a: int, b: int) -> FloatArray:
        """How much more `a` scores than `b`, of each item that both were asked in the same user wording."""
        values, there = _over(self.mean[a] - self.mean[b], (self.count[a] > 0) & (self.count[b] > 0))
        return values[there]


def _grid(table: pl.DataFrame, original: str) -> _Grid:
    table = crossed_runs(table, original)[0].drop_nulls("template")
    scored = scored_runs(table, ("id", "template", "variant"))
    names, wordings = (scored[name].unique().sort().to_list() for name in ("template", "variant"))
    if len(names) < 2:
        raise InputError(
            f"a ranking takes at least two templates with a score, and there {'is' if names else 'are'} "
            f"{len(names)}",
            hint="Make several: otherwords vary CASES --template a.txt --template b.txt -o variants.jsonl",
        )
    codes = [text_codes(scored[name]) for name in ("template", "id", "variant")]
    shape = (len(names), int(codes[1].max()) + 1, len(wordings))
    place = np.ravel_multi_index(codes, shape)
    size = math.prod(shape)
    count = np.bincount(place, minlength=size).reshape(shape)
    total = np.bincount(place, weights=scored["score"].to_numpy(), minlength=size).reshape(shape)
    missing = [table.filter(template=name).height - int(count[n].sum()) for n, name in enumerate(names)]
    return _Grid(table, names, wordings, total / np.maximum(count, 1), count, missing)


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


def _paired(grid: _Grid, a: int, b: int, level: float) -> tuple[Estimate, float | None]:
    values = grid.gains(a, b)
    counts = (0, int(grid.count[[a, b]].sum()), 0)
    name = f"{grid.names[a]} − {grid.names[b]}"
    estimate = mean_of_items("difference", name, values, counts, level, signed=True)
    if not len(values):
        estimate = replace(estimate, reason="they have no item and user wording in common")
    return estimate, chance_of_mean(values)


SPREAD = "template_spread"


def template_spread(
    table: pl.DataFrame, *, at_most: float = 0.0, original: str = ORIG, level: float = LEVEL
) -> tuple[Estimate, float | None]:
    """The accuracy of the best template minus that of the worst, without what noise adds to it.

    The means of equal templates differ by noise, and the difference of the largest and the smallest of many
    is large. The value is the range of means that are shrunk towards each other as far as noise explains
    their variance: 0 where it explains all. The low end is what the surest pair differs by at least, by
    Bonferroni over all pairs in both directions; the high end is what any pair may differ by.

    Args:
        table: As `rank_templates` takes it.
        at_most: The spread that is asked about.
        original: The `variant` that is the item's own wording.
        level: Of the interval.

    Returns:
        The spread with its interval, which speaks for other items, and the p that it is `at_most` or less.

    Raises:
        InputError: As `rank_templates`.

    Example:
        >>> import polars as pl
        >>> from otherwords import template_spread
        >>> rows = [(t, i, float(t == "new" or i % 3 == 0)) for t in ("old", "new") for i in range(30)]
        >>> table = pl.DataFrame(rows, schema=["template", "id", "score"], orient="row")
        >>> spread, p = template_spread(table, at_most=0.1)
        >>> print(spread, p < 0.001)
        template_spread 0.66 (0.39 to 0.80), 30 items True
    """
    grid = _grid(table, original)
    pairs = [
        (a, b, gains) for a, b in combinations(range(len(grid.names)), 2) if len(gains := grid.gains(a, b))
    ]
    n = grid.mean.shape[1]
    counts = (n, int(grid.count.sum()), sum(grid.n_missing))
    why = "" if pairs else "no two templates have an item and user wording in common"
    low, high, p_values = 0.0, 0.0, []
    for _, _, gains in pairs:
        surest = mean_of_items(SPREAD, "", gains, counts, 1 - (1 - level) / (2 * len(pairs)), signed=True)
        any_pair = mean_of_items(SPREAD, "", gains, counts, level, signed=True)
        if surest.low is None or surest.high is None or any_pair.low is None or any_pair.high is None:
            why = surest.reason
            continue
        low, high = max(low, surest.low, -surest.high), max(high, any_pair.high, -any_pair.low)
        statistic = _mean_statistic(gains, signed=True)
        p_values += [chance(statistic, at_most, side="above"), chance(statistic, -at_most, side="below")]
    p = min((one for one in p_values if one is not None), default=None)
    if why:
        return Estimate(SPREAD, "", None, None, None, *counts, reason=why), None
    seen, value = _range_without_noise(len(grid.names), pairs)
    value = min(max(value, low), high)
    if_missing: tuple[float | None, float | None] = (None, None)
    if counts[2]:
        least, most = _range_if_missing(grid)
        if_missing = (max(value + least - seen, 0.0), min(value + most - seen, 1.0))
    told = Estimate(
        SPREAD,
        "",
        value,
        low,
        high,
        *counts,
        "paired by item, Bonferroni over pairs",
        "",
        "items",
        *if_missing,
    )
    return told, None if p is None else min(p * len(p_values), 1.0)


def _range_without_noise(n: int, pairs: Sequence[tuple[int, int, FloatArray]]) -> tuple[float, float]:
    """The range of the templates' effects as seen, and shrunk by what noise adds to their variance."""
    effect, noise = np.zeros(n), 0.0
    for a, b, gains in pairs:
        effect[a] += gains.mean() / n
        effect[b] -= gains.mean() / n
        noise += float(gains.var(ddof=1)) / len(gains) if len(gains) > 1 else 0.0
    # the variance of effects is the mean over pairs of half their squared difference, and so is its noise
    noise /= 2 * len(pairs)
    variance = float(effect.var(ddof=1))
    seen = float(np.ptp(effect))
    return seen, seen * math.sqrt(max(1 - noise / variance, 0.0)) if variance > 0 else 0.0


def _range_if_missing(grid: _Grid) -> tuple[float, float]:
    """The least and the most that the range could be if every run without a score had one."""
    runs = grid.count.sum(axis=(1, 2))
    right = (grid.mean * grid.count).sum(axis=(1, 2))
    lacking = np.array(grid.n_missing)
    worst, best = right / (runs + lacking), (right + lacking) / (runs + lacking)
    apart = worst[:, None] - best[None, :]
    reach = best[:, None] - worst[None, :]
    np.fill_diagonal(reach, 0.0)
    return max(float(apart.max()), 0.0), float(reach.max())


def _ranking_sentence(differences: Sequence[TemplateDifference], best: Sequence[str], n_items: int) -> str:
    n = f"; n = {n_items:,} items."
    real = [one for one in differences if one.real]
    if not real:
        return f"No template is better than another{n}"
    told = []
    for one in real:
        ends = (one.difference.value, one.difference.low, one.difference.high)
        value, low, high = (end or 0.0 for end in ends)
        a, b = (one.a, one.b) if value > 0 else (one.b, one.a)
        low, high = (low, high) if value > 0 else (-high, -low)
        told.append(f"{a} is better than {b} by {points_between(abs(value), low, high)}")
    more = f"; {len(told) - 3} more pairs differ" if len(told) > 3 else ""
    equal = f"; which of {', '.join(best)} is better cannot be told" if len(best) > 1 else ""
    return "; ".join(told[:3]) + more + equal + n


def template_summaries(
    table: Any, benchmark: str | None = None, *, seed: int = 0
) -> tuple[TemplateSummary, ...]:
    """What each agent's runs say of templates and of crossed factors; nothing where there are none.

    Args:
        table: Outcome table with the column `template`, or `levels`; `wording` names users' wordings.
        benchmark: Only this task.
        seed: Of what is drawn.

    Returns:
        For each task and model with two templates or a design: the ranking, the spread, quantiles over
        templates, and the shares of variance of templates, factors, items and noise.

    Raises:
        InputError: The table has no such task, or a column is not there.

    Example:
        >>> import polars as pl
        >>> from otherwords import template_summaries
        >>> rows = [(t, i, t, float(t == "new" or i % 3 == 0)) for t in ("old", "new") for i in range(30)]
        >>> table = pl.DataFrame(rows, schema=["template", "id", "variant", "score"], orient="row")
        >>> (found,) = template_summaries(table)
        >>> print(found.ranking.sentence)
        new is better than old by 67 points (43 to 80); n = 30 items.
    """
    outcomes = select_outcomes(table, benchmark)
    found = []
    for (task, model), part in outcomes.group_by("task", "model", maintain_order=True):
        runs, factors = crossed_runs(part)
        ranked = runs.drop_nulls(["score", TEMPLATE])[TEMPLATE].n_unique() > 1
        if factors or ranked:
            found.append(
                TemplateSummary(
                    *(str(task or ""), str(model or "")),
                    ranking=rank_templates(part, seed=seed) if ranked else None,
                    spread=template_spread(part)[0] if ranked else None,
                    quantiles=accuracy_quantiles(runs, seed=seed) if ranked else (),
                    attribution=_attributed(runs, factors, seed) if factors else None,
                )
            )
    return tuple(found)


def _attributed(runs: pl.DataFrame, factors: Mapping[str, str], seed: int) -> Attribution | None:
    columns = runs.select("id", "score", **{name: pl.col(column) for name, column in factors.items()})
    try:
        return attribution(columns.drop_nulls(list(factors)), list(factors), seed=seed)
    except InputError:  # too few items, or cells that do not tell the factors apart
        return None
